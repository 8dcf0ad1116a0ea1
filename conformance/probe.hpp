// SPDX-License-Identifier: MIT
#pragma once
// State properties on the reference stack: the properties that speak of a model's state, bound to what the stack's tables
// say at the moments when the property could change. A probe reads the stack in the emitting task and changes nothing.
// before: one task runs at a time (any schedule that is controlled).

#include <memory>
#include <string>
#include <vector>

#include "conformance/runner.hpp"

namespace quiesce::conformance {

// One property each. A property that is in neither this table nor decided by events has a line in undecidable_properties().
struct probe_entry {
  const char* property;
  const char* how;  // what of the stack is read, and when
};
const std::vector<probe_entry>& probe_table();

struct undecidable_property {
  const char* property;
  const char* why;
};
const std::vector<undecidable_property>& undecidable_properties();

// The warning of world::use_locked.
inline constexpr const char* changed_under_instance_lock = "netdev_lock: what its holder found has changed";

struct probe_breach {
  const char* property;
  std::string text;
};

class probe_memory;

// One stream. Cost per event: constant, and at the end of each RTNL section the size of the tables.
class probes {
 public:
  probes();
  ~probes();
  // An event that the stack did not emit (seq 0) stands for a moment at which nobody is inside the stack.
  // Calls `broken` for each property that this event shows to be broken; the caller keeps the first of each.
  void push(const refimpl::event& e, refimpl::stack& s, std::vector<probe_breach>& broken);
  // What a machine_check that stopped the stack breaks.
  static void stopped(const refimpl::stop_report& report, std::vector<probe_breach>& broken);
  void reset();

 private:
  std::unique_ptr<probe_memory> memory_;
};

}  // namespace quiesce::conformance
