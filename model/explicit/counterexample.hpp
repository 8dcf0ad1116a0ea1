// SPDX-License-Identifier: MIT
#pragma once
// A concrete run, labelled for people: rebuilt from predecessors by executing the steps again with recording.

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/system.hpp"

namespace quiesce {

struct change {
  ir::variable_id variable = 0;
  std::vector<std::uint32_t> index;
  std::int64_t before = 0, after = 0;
};

struct trace_step {
  std::uint32_t process = ir::nothing;  // template; ir::nothing: the initial state
  std::uint32_t instance = 0;
  std::uint32_t from = 0, to = 0;  // locations of the process; `to` is meaningful where outcome is `state`
  step_outcome outcome = step_outcome::state;
  std::uint8_t kind = 0;  // ir::error_kind or ir::bound_kind
  std::uint64_t violated = 0, marked = 0;
  const ir::instruction* at = nullptr;  // error, bound, stuck: the instruction; lives as long as the system
  step_record record;
  std::vector<change> changes;  // without program counters; the initial state: none
  std::vector<word> state;      // after the step
};

// steps[0] is the initial state.
struct trace {
  std::vector<trace_step> steps;
};

// Which of several steps is meant. Called with a step of the run so far.
using step_filter = std::function<bool(const step&)>;

// Executes: an initial state and then one step for each filter, always the first in the fixed order that its filter accepts.
// Throws std::logic_error where none is accepted.
trace run_trace(const transition_system&, const std::vector<step_filter>&);

// What differs between two states, in order of declaration, program counters left out.
std::vector<change> differences(const transition_system&, const word* before, const word* after);

// True if each step of the trace is a step of the system (same process, outcome and states), from an initial state.
bool replays(const transition_system&, const trace&);

}  // namespace quiesce
