// SPDX-License-Identifier: MIT
#pragma once
// quiesce prove --infer: invariants from the property alone, as declarations.

#include <string>

#include "model/verdict/catalogue.hpp"

namespace quiesce::cli {

struct infer_options {
  bool wanted = false;
  bool from_declared = false;  // start from the declared invariants as well
  std::string file;            // to write to; empty: none
  double seconds = 60;
};

// Finds invariants for the claim; from now on they stand for those beside its model. Their text goes to `output` and to the
// file. False: none were found; `output` says why. Throws diagnostic.
bool infer_invariants(catalogue&, const claim_entry&, const infer_options&, std::string& output);

// The invariants of a file stand for those beside the model of the claim. Throws diagnostic.
void use_invariants(catalogue&, const claim_entry&, const std::string& path);

}  // namespace quiesce::cli
