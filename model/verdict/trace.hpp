// SPDX-License-Identifier: MIT
#pragma once
// A run of a model in words: what a counterexample prints and what replay follows.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/system/system.hpp"

namespace quiesce {

// `value` is what replay compares; `shown` is for people, empty if only the lowered system understands the choice.
struct trace_choice { std::string what, value, shown; };
struct trace_event { std::string name; std::vector<std::string> args; };
struct trace_change { std::string variable, before, after; };

// An action is named by the process instance and its choices; from one state they determine the step.
struct step_text {
  std::string process;                     // "task(task0)"; empty: the choice of the initial state
  std::vector<trace_choice> choices;
  std::vector<trace_event> events;
  std::vector<trace_change> changes;       // observable variables; of an initial state: all of them, `before` is empty
  std::string statement;                   // one line
  source_range where;
  std::vector<ir::frame> path;             // procedures, outermost first
};

struct run_text {
  std::vector<step_text> steps;           // steps[0] chooses the initial state
  std::string ending;                      // what is wrong at the end, a plain phrase; empty: nothing
  bool shortest = true;                    // no run with fewer steps ends so; of a run without end: comes to such a loop
  // A run without end: behind the last step it goes on behind step `loop_from`, for ever. If that is the last step: nothing moves.
  std::optional<std::size_t> loop_from;
  std::size_t length() const { return steps.empty() ? 0 : steps.size() - 1; }
};

// Words for one step of `system`: `before` is the state it leaves (null for an initial state), `done` and `record` what it did.
// Locals are listed only if `locals`.
step_text describe(const transition_system& system, const word* before, const step& done, const step_record& record, bool locals);

// "process(element)".
std::string process_name(const ir::program&, std::uint32_t process, std::uint32_t instance);

// "error endless_traversal: MESSAGE", "bound recursion", "deadlock of task(t0)"; empty for an ordinary state.
std::string describe_ending(const ir::program&, const step&);

}  // namespace quiesce
