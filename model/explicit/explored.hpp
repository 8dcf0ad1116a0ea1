// SPDX-License-Identifier: MIT
#pragma once
// What a search of the full store has reached, for those who look at the states themselves.

#include <vector>

#include "model/explicit/seen_set.hpp"
#include "model/system/system.hpp"

namespace quiesce {

// Valid during the call only. Under symmetry: one state of each orbit.
struct explored {
  const transition_system& system;
  const seen_set& seen;
  const std::vector<seen_set::range>& all;  // ascending by number, which is by depth
};

}  // namespace quiesce
