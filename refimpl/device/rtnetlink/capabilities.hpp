// SPDX-License-Identifier: MIT
#pragma once
// What can be driven here: permissions, device kinds, kernel. Everything is tried, nothing is assumed.

#include <string>
#include <vector>

#include "refimpl/device/rtnetlink/answer.hpp"

namespace quiesce::rtnetlink {

// Why real devices cannot be driven here, or nothing: a namespace is made and deleted again.
std::string why_not();

struct kind_support {
  std::string kind;  // dummy, ifb, veth, macvlan, bridge, vlan, tap, tun
  bool there = false;
  std::string reason;  // the kernel's answer where it is not
};
// Makes one of each in a namespace of its own. Takes a second or two of grace periods.
answer detect_kinds(std::vector<kind_support>& out);
bool supports(const std::vector<kind_support>& kinds, const std::string& kind);

struct running_kernel {
  std::string release;  // uname -r
  std::string variant;  // the variant of the reference stack that stands for it, or for the nearest one
  bool listed = false;  // false: `variant` is only the nearest; a difference proves nothing
};
running_kernel this_kernel();
running_kernel kernel_of_release(const std::string& release);

// What user space cannot make a kernel do. None of it is imitated: scenarios that need one are not run on real devices.
struct excluded {
  const char* what;
  const char* why;
};
const std::vector<excluded>& not_drivable();

}  // namespace quiesce::rtnetlink
