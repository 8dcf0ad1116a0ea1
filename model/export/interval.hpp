// SPDX-License-Identifier: MIT
#pragma once
// Bounds of a term's value, for languages whose numbers wrap around.

#include "model/export/term.hpp"

namespace quiesce::exporting {

struct interval {
  std::int64_t low = 0, high = 0;
  bool within(std::int64_t limit) const { return -limit <= low && high <= limit; }
};

// A temp whose value is not known counts as one of these numbers. A writer refuses to assign what may be much more to it;
// room is for counters, which are their own value and a small number.
inline constexpr std::int64_t most_in_temp = std::int64_t{1} << 24, room_in_temp = most_in_temp + (std::int64_t{1} << 16);
inline constexpr std::int64_t most_in_int = 2147483647;

// Clamped where it would exceed 2^60.
interval interval_of(const term&);

}  // namespace quiesce::exporting
