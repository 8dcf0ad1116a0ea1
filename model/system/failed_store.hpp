// SPDX-License-Identifier: MIT
#pragma once
// Which value did not fit, where a step ends in a range error: a stepper that can tell implements this too.

#include <cstdint>

namespace quiesce {

struct failed_store {
  static constexpr std::uint64_t not_told = ~std::uint64_t{0};
  std::int64_t value = 0;
  std::uint64_t element = not_told;  // of the variable's table, in the order of its slots
};

class failed_store_teller {
 public:
  virtual ~failed_store_teller() = default;
  // Of the step that a visitor of initial_recorded or successors_recorded was given, whose instruction is a `set`. Valid
  // during its call.
  virtual failed_store last_failed_store() const = 0;
};

}  // namespace quiesce
