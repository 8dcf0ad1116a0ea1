// SPDX-License-Identifier: MIT
#pragma once
// Operations as user space asks for them: by namespace and name, taking RTNL. Mirrors rtnl_newlink, rtnl_dellink,
// rtnl_group_dellink, do_setlink of net/core/rtnetlink.c, inet_rtm_newaddr, inet_rtm_newroute, neigh_add; v6.1.
// Every one: -EDEADLK when the caller holds RTNL, -EIO when the stack has stopped, -ENODEV for an unknown namespace or name;
// besides what the operation underneath gives. The teardown that a deletion causes is complete when it returns.

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

struct link_request {
  std::string name;
  std::string kind = "dummy";  // dummy, vlan, macvlan, or "" for a physical device
  std::string lower;           // vlan, macvlan
  int vlan_id = 0;
  bool loose = false;
  int group = 0;
  bool need_ops_lock = false;
  net_device_ops* ops = nullptr;
};

// -EOPNOTSUPP: unknown kind. The pointer is good until the device is deleted.
result<net_device*> rtnl_newlink(net& n, const link_request& request);
status rtnl_dellink(net& n, const std::string& name);
// One batch. -EINVAL for group 0 (the default group), -ENODEV when none is in it.
status rtnl_group_dellink(net& n, int group);
// The named ones as one batch; nothing is deleted if one is unknown.
status rtnl_delete_links(net& n, const std::vector<std::string>& names);
status do_setlink_up(net& n, const std::string& name, bool up);
status do_setlink_netns(net& n, const std::string& name, net& to);
status inet_rtm_newaddr(net& n, const std::string& name, std::uint32_t local, std::uint8_t prefixlen);
status inet_rtm_deladdr(net& n, const std::string& name, std::uint32_t local, std::uint8_t prefixlen);

}  // namespace quiesce::refimpl
