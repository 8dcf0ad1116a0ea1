// SPDX-License-Identifier: MIT
#pragma once
// Which properties were never put to the test.

#include <cstdint>

#include "model/system/ir.hpp"

namespace quiesce {

// Bit i: property i has a trigger, and none of the steps of a complete exploration marked it.
inline std::uint64_t vacuous(const ir::program& p, std::uint64_t marked) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < p.properties.size(); ++i)
    if (p.properties[i].has_trigger && !(marked >> i & 1)) out |= std::uint64_t{1} << i;
  return out;
}

}  // namespace quiesce
