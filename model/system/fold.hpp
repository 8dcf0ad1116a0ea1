// SPDX-License-Identifier: MIT
#pragma once
// The binary operators on constants.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/system/ir.hpp"

namespace quiesce::ir {

// Of and_ to maximum, contains, and unite to subtract_set. None: the result has more than 64 bits.
inline std::optional<std::int64_t> folded(op code, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (code) {
    case op::and_:
      return a && b;
    case op::or_:
      return a || b;
    case op::implies:
      return !a || b;
    case op::equal:
      return a == b;
    case op::not_equal:
      return a != b;
    case op::less:
      return a < b;
    case op::less_equal:
      return a <= b;
    case op::add:
      return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case op::subtract:
      return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case op::multiply:
      return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case op::divide:
      return b > 0 ? a / b : 0;
    case op::minimum:
      return std::min(a, b);
    case op::maximum:
      return std::max(a, b);
    case op::contains:
      return (a >> (b & 63)) & 1;
    case op::unite:
      return a | b;
    case op::intersect:
      return a & b;
    case op::subtract_set:
      return a & ~b;
    default:
      return 0;
  }
}

}  // namespace quiesce::ir
