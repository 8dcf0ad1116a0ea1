// SPDX-License-Identifier: MIT
#pragma once
// Which properties a model can be asked at all: those whose events and names it knows. Where the user gave properties, these
// alone are meant, and one that does not fit the model is an error.

#include <string>
#include <vector>

#include "model/verdict/catalogue.hpp"

namespace quiesce {

struct inapplicable {
  const property_entry* property = nullptr;
  std::string reason;
};

// Appends the properties that apply to `applicable`; returns the others. Throws diagnostic if the model itself or its settings
// are refused. One lowering for each property.
std::vector<inapplicable> split_applicable(catalogue&, const model_entry&, const instance&,
                                           std::vector<const property_entry*>& applicable);

// In order of declaration.
std::vector<std::string> variant_names(const model_entry&);

}  // namespace quiesce
