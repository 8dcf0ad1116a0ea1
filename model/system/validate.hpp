// SPDX-License-Identifier: MIT
#pragma once
// Whether a lowered program is well formed. Engines rely on it: after validate() every number of a sort, variable, temp,
// location or jump target is in range. The values that index tables and sets are checked when a step computes them.

#include "model/system/ir.hpp"

namespace quiesce {

// Throws std::logic_error naming the first defect. O(size of the program).
void validate(const ir::program&);

}  // namespace quiesce
