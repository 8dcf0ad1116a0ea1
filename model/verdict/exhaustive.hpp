// SPDX-License-Identifier: MIT
#pragma once
// Certificates of claims whose whole finite scope is explored: what a second program needs to explore it again.

#include <string>

#include "model/verdict/check.hpp"
#include "model/verdict/prove.hpp"

namespace quiesce {

struct exhaustive_result {
  answer found;
  certificate written;  // empty where the verdict is not `holds`, or the search did not end; no obligations
};

// Explores the claim's property alone. Throws diagnostic: a claim about any number of elements, about runs without end,
// one that asks for a run, or one that nothing in the core can break.
exhaustive_result certify_exhaustive(catalogue&, const claim_entry&, const limits&, const progress&);

}  // namespace quiesce
