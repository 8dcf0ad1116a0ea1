// SPDX-License-Identifier: MIT
#pragma once
// A run as a table: step, one column for each process that moves, what changed.

#include <string>

#include "model/language/source.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce::report {

std::string trace_table(const run_text&);

// The last step: its statement, the kernel function and the procedures it is called from, innermost first. Empty for an
// initial state. `sources`, if given, adds the line of the model.
std::string last_step_place(const run_text&, const language::source_set*);

}  // namespace quiesce::report
