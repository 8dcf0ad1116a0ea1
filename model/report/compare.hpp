// SPDX-License-Identifier: MIT
#pragma once
// Two runs side by side.

#include <string>

#include "model/verdict/compare.hpp"

namespace quiesce::report {

// Step, the run under the heading `left`, the other one under `right`; `>` marks the first step that
// differs, `*` the others.
std::string side_by_side(const run_text& run, const followed_run& other, const std::string& left, const std::string& right);

}  // namespace quiesce::report
