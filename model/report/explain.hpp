// SPDX-License-Identifier: MIT
#pragma once
// For people whose model has too many states.

#include <string>

#include "model/explicit/explain.hpp"
#include "model/language/source.hpp"

namespace quiesce::report {

// Three tables: variables, processes, steps; ends with a newline. `sources`: for the lines of steps.
std::string write_explanation(const explanation&, const language::source_set& sources);

}  // namespace quiesce::report
