// SPDX-License-Identifier: MIT
#pragma once
// Steps of one process instance at a time: what reductions ask for. A stepper that can do it implements this too.

#include <cstdint>

#include "model/system/batch.hpp"

namespace quiesce {

class single_stepper {
 public:
  virtual ~single_stepper() = default;
  // The steps of one instance in `state`, in the fixed order, as stepper::expand puts them; a state without any puts
  // nothing. Processes that move only when nobody else can are no exception: the caller has looked.
  enum class result : std::uint8_t { done, stopped, not_here };  // stopped: the buffer wanted no more
  virtual result steps_of(const word* state, std::uint32_t process, std::uint32_t instance, std::uint32_t parent,
                          successor_buffer&) = 0;
  // Who does it after `not_here`; what was put into the buffer is to be dropped first.
  virtual single_stepper& slower() { return *this; }
};

}  // namespace quiesce
