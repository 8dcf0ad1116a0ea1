// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/capabilities.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdio>

#include "refimpl/device/rtnetlink/link_requests.hpp"

namespace quiesce::rtnetlink {

std::string why_not() {
  private_net n;
  const answer made = private_net::make(n, "probe");
  return made ? "" : made.text;
}

namespace {

answer try_kind(private_net& n, const std::string& kind, int lower) {
  if (kind == "tap" || kind == "tun") return create_tun(n, "t_" + kind, kind == "tap");
  new_link link;
  link.kind = kind;
  link.name = "t_" + kind;
  link.mac = mac_of(1);
  if (kind == "veth") {
    link.peer_name = "t_peer";
    link.peer_mac = mac_of(2);
  }
  if (kind == "macvlan" || kind == "vlan") {
    link.lower = lower;
    link.mac = mac_of(3);
  }
  link.vlan_id = 2;
  return create_link(n, link, in(usual_limit));
}

}  // namespace

answer detect_kinds(std::vector<kind_support>& out) {
  private_net n;
  if (answer made = private_net::make(n, "probe"); !made) return made;
  int lower = 0;
  for (const char* kind : {"veth", "dummy", "ifb", "bridge", "macvlan", "vlan", "tap", "tun"}) {
    const answer made = try_kind(n, kind, lower);
    out.push_back({kind, static_cast<bool>(made), made.text});
    if (made && lower == 0)
      if (answer a = index_of(n, std::string("t_") + kind, lower, in(usual_limit)); !a) return a;
  }
  return {};
}

bool supports(const std::vector<kind_support>& kinds, const std::string& kind) {
  for (const kind_support& k : kinds)
    if (k.kind == kind) return k.there;
  return false;
}

running_kernel kernel_of_release(const std::string& release) {
  int major = 0, minor = 0;
  if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) != 2) return {release, "6.18", false};
  if (major == 6 && minor == 1) return {release, "6.1", true};
  if (major == 6 && minor == 18) return {release, "6.18", true};
  // Neighbours by device since v6.13, next hops by device and NETDEV_PRE_UNINIT after it: the nearer of the two by number.
  const bool older = major < 6 || (major == 6 && minor < 10);
  return {release, older ? "6.1" : "6.18", false};
}

running_kernel this_kernel() {
  utsname u{};
  uname(&u);
  return kernel_of_release(u.release);
}

const std::vector<excluded>& not_drivable() {
  static const std::vector<excluded> table = {
      {"one dev_close_many over several devices", "`ip link set group N down` closes them one after the other"},
      {"a reference that is leaked, or dropped at a chosen point of the wait",
       "a packet socket can hold one (held_reference) and lets go when it is told to, in real time"},
      {"a proxy entry without device", "the kernel keeps it beyond the exit of its namespace: it would be left behind"},
      {"physical devices", "a device without rtnl_link_ops cannot be made from user space"},
      {"one batch over devices chosen freely", "batches are a group, a veth pair, the devices above one, or a namespace"},
      {"callbacks of a notifier, and what they throw or veto", "no notifier can be registered from user space"},
      {"failing allocations and drivers", "fault injection needs debugfs of the whole machine"},
      {"NETIF_F_NETNS_LOCAL and instance locks as wanted", "they belong to the driver of a device"},
      {"two operations on RTNL in a chosen order", "the kernel's mutex decides"},
      {"expiring exceptions and the collector's runs", "they need packets and time, and are no part of a dump"},
  };
  return table;
}

}  // namespace quiesce::rtnetlink
