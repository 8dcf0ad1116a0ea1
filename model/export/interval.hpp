// SPDX-License-Identifier: MIT
#pragma once
// Bounds of a term's value, for languages whose numbers wrap around.

#include "model/export/term.hpp"

namespace quiesce::exporting {

struct interval {
  std::int64_t low = 0, high = 0;
  bool within(std::int64_t limit) const { return -limit <= low && high <= limit; }
};

// What a temp may hold whose value is not known: a writer refuses to assign more to it.
inline constexpr std::int64_t most_in_temp = std::int64_t{1} << 24;
inline constexpr std::int64_t most_in_int = 2147483647;

// Clamped where it would exceed 2^60.
interval interval_of(const term&);

}  // namespace quiesce::exporting
