// SPDX-License-Identifier: MIT
#pragma once
// What stands behind the devices of a scenario's run: simulated devices, or real ones. A driver is one file and one line in
// driver_table().

#include <memory>
#include <string>
#include <vector>

#include "conformance/scenario.hpp"
#include "refimpl/device/driver.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::conformance {

// Made for one run of one scenario; outlives its stack. Everything is called under RTNL or before the tasks run.
class scenario_driver {
 public:
  virtual ~scenario_driver() = default;
  // Follows addresses, routes and neighbours; owned by the stack. NULL: nothing to follow.
  virtual std::unique_ptr<refimpl::stack_driver> observer(refimpl::stack&) { return nullptr; }
  // A namespace of the scenario was set up.
  virtual void net_created(net_ref, refimpl::net&) {}
  // The operations of a device that is about to be registered, and of its kind. Owned by the driver.
  virtual refimpl::net_device_ops* operations(device_ref, const device_plan&) = 0;
};

struct driver_entry {
  const char* name;
  const char* meaning;
  bool live;                                    // acts on a running kernel: nothing is shrunk on it
  std::string (*unsupported)(const scenario&);  // a sentence why the scenario cannot run on it; empty: it can
  std::unique_ptr<scenario_driver> (*make)(const scenario&);
};
const std::vector<driver_entry>& driver_table();
// NULL: no driver of that name.
const driver_entry* find_driver(std::string_view name);

}  // namespace quiesce::conformance
