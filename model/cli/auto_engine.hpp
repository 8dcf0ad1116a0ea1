// SPDX-License-Identifier: MIT
#pragma once
// --engine auto: the engine that fits, and the verdict's `method` names it.

#include "model/verdict/check.hpp"

namespace quiesce::cli {

// Explores up to two million states, or half of the time that is given. What is not decided then is asked of `learning`, for
// as long; and what that does not decide either is explored to the end of the limits. Runs without end, urgent time,
// reductions, checkpoints and statistics of states are for the explicit engine alone.
answer run_picked(const prepared_check&, const limits&, const progress&);

// Writes into the verdicts of the explicit engine that it was picked.
void name_pick(answer&);

}  // namespace quiesce::cli
