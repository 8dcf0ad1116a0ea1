// SPDX-License-Identifier: MIT
#pragma once
// Whether a lowered program is well formed. Engines rely on it: after validate() no index, jump or temp needs a check of its
// own.

#include "model/system/ir.hpp"

namespace quiesce {

// Throws std::logic_error naming the first defect. O(size of the program).
void validate(const ir::program&);

}  // namespace quiesce
