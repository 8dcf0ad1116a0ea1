// SPDX-License-Identifier: MIT
#pragma once
// The schedule of one run followed on another version of the model.

#include <cstddef>
#include <string>
#include <vector>

#include "model/system/system.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce {

struct followed_step {
  bool taken = false;
  step_text words;  // if taken
  std::string why;  // otherwise: what kept the process from moving
};

struct followed_run {
  std::vector<followed_step> steps;  // one for each step of the schedule, until the other run ended
  std::size_t first_difference = 0;  // the first step that is not the same in both; their number if there is none
  std::string ending;                // how the other run ended, if it did
};

// Step by step the same process moves, with the same choices where it has them: else those that it makes next in the
// schedule, else its first possible step. A process that cannot move lets its step pass.
followed_run follow_schedule(const run_text& schedule, const transition_system& other);

// The same statement with the same choices, events and effects.
bool same_step(const step_text&, const step_text&);

}  // namespace quiesce
