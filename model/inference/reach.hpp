// SPDX-License-Identifier: MIT
#pragma once
// Reachable states of a finite instance of a parametrised core. Only what is found in none of them is worth trying as an
// invariant; nothing that is proved rests on it.

#include "model/inference/structure.hpp"

namespace quiesce::inference {

struct reached {
  shape of;
  std::vector<state> states;  // breadth first
  bool complete = false;      // all of them
};

// At most `most` states, of runs from at most `most_initial` initial states. Throws core_error for what has no finite
// reading.
reached reach(const core&, const std::vector<std::size_t>& others, std::size_t most, std::size_t most_initial);

}  // namespace quiesce::inference
