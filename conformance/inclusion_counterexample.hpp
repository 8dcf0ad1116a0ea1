// SPDX-License-Identifier: MIT
#pragma once
// A counterexample of a model, as a scenario and a schedule of the reference stack: the stack is driven so that it shows the
// same events, and is judged by the same property.

#include "conformance/inclusion_model.hpp"
#include "conformance/judge.hpp"
#include "model/verdict/check.hpp"

namespace quiesce::conformance {

// What of a counterexample becomes a scenario.
struct counterexample_script {
  std::string beyond;  // why it does not, one phrase; empty: it does
  scenario what;
  std::vector<std::string> order;  // the task of each event, t1, t2, ..., in order
};
counterexample_script script_of(const driven_model&, const run_text&, const instance&);

enum class replay_outcome : std::uint8_t {
  breaks,        // the stack breaks the property as well
  keeps,         // it does not
  not_violated,  // the model does not break it within the limits
  beyond,        // no scenario stands for the run, or the property is not about events
};
const char* name(replay_outcome);

struct counterexample_replay {
  std::string claim, variant, property;
  replay_outcome outcome = replay_outcome::beyond;
  std::string detail;  // the reason, or the stack's breach in one line
  std::size_t steps = 0;
};

// Checks one claim that expects a violation, and replays its counterexample. Throws diagnostic: the model's files.
counterexample_replay replay_claim(catalogue&, const rule_book&, const claim_entry&, const limits&);

// Claims about driven models that say violated, in the order of the files. `variant`: only this one of the model; empty:
// all.
std::vector<const claim_entry*> violated_claims(catalogue&, const std::string& variant = {});

}  // namespace quiesce::conformance
