// SPDX-License-Identifier: MIT
#pragma once
// What a range error is about.

#include <string>

#include "model/explicit/counterexample.hpp"
#include "model/system/system.hpp"

namespace quiesce {

// ": n would be 4, beyond 0..3"; empty where the step is no store that fails. `before` is the state that the step leaves,
// null for an initial state. Costs the steps of that state.
std::string range_error_text(const transition_system&, const word* before, const step&, const step_record&);

// How a run ends, where its last step does not lead to a state: "error range: n would be 4, beyond 0..3".
std::string ending_text(const transition_system&, const trace&);

}  // namespace quiesce
