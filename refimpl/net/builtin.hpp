// SPDX-License-Identifier: MIT
#pragma once
// The table of built-in netdev handlers in boot order, and what a stack must release by ownership at its end.
// A new mechanism with a handler is one entry in builtin.cpp.

#include "refimpl/net/notifier.hpp"

namespace quiesce::refimpl {

void register_builtin_handlers(stack& s);

// Handlers, each in its mechanism's file.
int rtnetlink_event(const netdev_notifier_info& info);
int inetdev_event(const netdev_notifier_info& info);
int fib_netdev_event(const netdev_notifier_info& info);
int addrconf_notify(const netdev_notifier_info& info);
int ndisc_netdev_event(const netdev_notifier_info& info);
int ip6_route_dev_notify(const netdev_notifier_info& info);
int vlan_device_event(const netdev_notifier_info& info);
int macvlan_device_event(const netdev_notifier_info& info);
int holder_netdev_event(const netdev_notifier_info& info);
int dst_dev_event(const netdev_notifier_info& info);

// Per-namespace tables of the subsystems: pernet_operations init and exit.
status subsystems_net_init(net& n);  // -ENOMEM: nothing is left
void subsystems_net_exit(net& n);    // devices are gone
void stop_net_timers(net& n);
void release_net_tables(net& n);  // by ownership, for ~stack
void release_device_addresses(net_device& dev);

}  // namespace quiesce::refimpl
