// SPDX-License-Identifier: MIT
#pragma once
// What a source can decide: a rule whose events do not all show may still be found violated, or still be found to hold,
// depending on where the missing ones stand in it.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/property.hpp"

namespace quiesce::observe {

// Kernel version "6.1.192", "v4.4" -> major, minor; {0, 0}: not a version.
struct kernel_version {
  int major = 0, minor = 0;
  auto operator<=>(const kernel_version&) const = default;
  bool known() const { return major > 0; }
};
kernel_version parse_version(std::string_view);

// False: no kernel of this version sends or does it. An unknown version may do what any kernel did.
bool happens_in(std::string_view event, kernel_version);

struct source_view {
  std::function<bool(const std::string& event)> shows;  // whenever it happens
  std::function<std::string(const std::string& event)> why_not;
  bool nets = false;  // which namespace an event is about
  kernel_version kernel;
};

struct decidability {
  bool holds = true;      // no violation found means that it holds
  bool violation = true;  // a violation found is one
  std::string reason;     // what is missing; empty: nothing
};
decidability decidable(const ast::property&, const ast::vocabulary&, const source_view&);

// Events that the property mentions, itself and through ghost variables, and the spans as `close`, `rollback`.
std::vector<std::string> mentioned(const ast::property&, const ast::vocabulary&);
bool reads_ghost(const ast::property&, std::string_view ghost);

}  // namespace quiesce::observe
