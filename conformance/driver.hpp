// SPDX-License-Identifier: MIT
#pragma once
// What stands behind the devices of a scenario's run: simulated devices, or real ones. A driver is one file and one line in
// driver_table().

#include <map>
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
  // What real devices did otherwise than the stack believes, in order. A run with one is not conformant.
  virtual std::vector<std::string> complaints() const { return {}; }
};

// What a driver cannot do, and how often a scenario asked for it.
using left_out = std::map<std::string, std::size_t>;

struct driver_entry {
  const char* name;
  const char* meaning;
  bool live;                                    // acts on a running kernel: nothing is shrunk on it
  std::string (*unsupported)(const scenario&);  // a sentence why the scenario cannot run on it; empty: it can
  std::unique_ptr<scenario_driver> (*make)(const scenario&);
  // The part of a scenario that it can do, for scenarios that are generated; what is missing then is counted. NULL: all.
  scenario (*fitted)(const scenario&, left_out&) = nullptr;
};
const std::vector<driver_entry>& driver_table();
// NULL: no driver of that name.
const driver_entry* find_driver(std::string_view name);

}  // namespace quiesce::conformance
