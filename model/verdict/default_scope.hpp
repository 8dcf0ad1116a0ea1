// SPDX-License-Identifier: MIT
#pragma once
// The scope of a question that names none: large enough for everything that the shipped claims show, and one more.

#include <cstdint>
#include <map>
#include <string>

#include "model/verdict/catalogue.hpp"

namespace quiesce {

// For each sort, the largest size at which a shipped claim about the model expects a violation or a deadlock. Empty: no
// claim does.
std::map<std::string, std::int64_t> exhibiting_scope(catalogue&, const model_entry&);

// One more in each sort whose size the model leaves open; a sort that the model gives a size keeps it, or gets what is
// needed. Empty: no claim is about the model.
std::map<std::string, std::int64_t> default_scope(catalogue&, const model_entry&);

}  // namespace quiesce
