// SPDX-License-Identifier: MIT
#pragma once
// Counterexamples with the fewest elements, in the words of the core.

#include "model/symbolic/proof.hpp"

namespace quiesce::symbolic {

// Nothing where none with at most e.most_elements elements of each sort is found. `a` is the action of the question, if it
// has one.
std::optional<counterexample> smallest_example(const core&, const script&, const block&, const obligation&, const action* a,
                                               const effort& e);

}  // namespace quiesce::symbolic
