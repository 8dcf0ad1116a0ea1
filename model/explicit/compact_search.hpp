// SPDX-License-Identifier: MIT
#pragma once
// The same search with less for each state: sets without numbers and predecessors (compact_set.hpp). One thread. What
// is found is searched again by the full search, down to its depth, for the same counterexample.

#include "model/explicit/search.hpp"

namespace quiesce {

// For options whose store is not full.
search_result explore_compactly(const transition_system&, const search_options&);

}  // namespace quiesce
