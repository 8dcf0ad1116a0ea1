// SPDX-License-Identifier: MIT
#pragma once
// A search under reductions that lengthen runs, and a second one without them for what was found.

#include "model/explicit/search.hpp"

namespace quiesce {

// `once` explores with the reductions that the options ask for and gives each finding the length of its run. What was found
// is then looked for without merging and partial order, no deeper than it was found, so that its run is a shortest one;
// where a budget ends that search first, the longer run stays and finding::minimal is false. What was covered is as of
// `once`.
search_result explore_reduced(const transition_system&, const search_options&,
                              search_result (*once)(const transition_system&, const search_options&));

}  // namespace quiesce
