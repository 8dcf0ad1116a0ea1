// SPDX-License-Identifier: MIT
#pragma once
// A counterexample of a model, as a scenario and a schedule of the reference stack: the stack is driven so that it does what
// the model did, and is judged by the same property.
//
// A model that is converted is one line in converted_models(). A variant of a model that the stack has under another name,
// or as a change of one that it has, and an option that stands for one of the stack's mutants, are lines in
// counterexample_variant.cpp.

#include <map>
#include <string>
#include <vector>

#include "conformance/judge.hpp"
#include "conformance/schedule_control.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce::conformance {

// What stands for a variant and the options of a model. `why_not`: nothing does, one phrase.
struct stack_version {
  std::string name;  // a variant of the stack, or "6.18 + ...": a change of one
  refimpl::variant_policy policy;
  std::string why_not;
  bool of_stack = false;  // name is one of the stack's own variants
  bool as_is = true;      // and no option changes it
};
stack_version version_of(const std::string& model, const instance&);

// One event of the model, as far as it orders the tasks of the stack.
struct due_event {
  std::string task, event;  // "t1", "NETDEV_DOWN"
  bool operator==(const due_event&) const = default;
};

// What of a counterexample becomes a scenario.
struct counterexample_script {
  std::string beyond;  // why it does not, one phrase; empty: it does
  scenario what;
  std::vector<due_event> order;
  std::vector<due_event> steps;  // the same, and an entry without event where a task takes steps that show none
  bool in_turn = false;          // in simulated time: what counts is milliseconds
  control_bounds bounds;
};
struct converted_model {
  const char* name;
  counterexample_script (*convert)(const run_text&, const instance&);
};
const std::vector<converted_model>& converted_models();

enum class replay_outcome : std::uint8_t {
  breaks,        // the stack breaks the property as well
  keeps,         // it does not, in no schedule that was tried
  not_violated,  // the model does not break it within the limits
  beyond,        // no scenario stands for the run, or nothing here decides the property
  no_variant,    // the stack has no such variant: a mutant of the model
};
const char* name(replay_outcome);

struct counterexample_replay {
  std::string claim, model, model_variant, options, variant, property;
  replay_outcome outcome = replay_outcome::beyond;
  bool as_is = false;                                 // the variant is the stack's own, unchanged
  std::string detail;                                 // the reason, or the stack's breach in one line
  std::size_t steps = 0, devices = 0, schedules = 0;  // of the model; of the scenario; that were tried
  std::string how;  // the schedule that breaks it: "in the model's order", "pct 17", "in turn"
  scenario what;
  std::vector<std::string> actors;  // empty: in turn
  control_bounds bounds;
};

struct replay_effort {
  limits model;                   // of the search for the counterexample
  std::uint64_t schedules = 300;  // near the model's order, and random ones
};

// Checks one claim that expects a violation, and replays its counterexample. Throws diagnostic: the model's files.
counterexample_replay replay_claim(catalogue&, const rule_book&, const claim_entry&, const replay_effort&);

// Claims about converted models that say violated, in the order of the files.
std::vector<const claim_entry*> violated_claims(catalogue&);

}  // namespace quiesce::conformance
