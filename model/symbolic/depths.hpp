// SPDX-License-Identifier: MIT
#pragma once
// After how many steps each event can happen first, by SAT solver.

#include "model/symbolic/engine.hpp"

namespace quiesce::symbolic {

struct event_depths {
  std::vector<std::optional<std::uint64_t>> first;  // by event: the number of the first step that emits it
  std::uint64_t depth = 0;                          // steps looked at
  std::string note;                                 // "no run is longer than 12 steps", "at most 41 steps", "limit of time"
};

// Stops where all events have happened, no run is longer, or at max_depth or the time limit of the options.
event_depths first_depths(const transition_system&, const finite_system&, const engine_options&);

}  // namespace quiesce::symbolic
