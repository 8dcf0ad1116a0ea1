// SPDX-License-Identifier: MIT
#pragma once
// What a driver may implement besides scenario_driver: it follows the operations on routes, neighbours and IPv6 addresses,
// which the stack tells no driver of.

#include "conformance/scenario.hpp"

namespace quiesce::conformance {

class follows_operations {
 public:
  virtual ~follows_operations() = default;
  // The stack carried the operation out. Its task may have been interrupted since: the devices may be gone.
  virtual void carried_out(const operation& op) = 0;
};

}  // namespace quiesce::conformance
