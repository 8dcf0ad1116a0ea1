// SPDX-License-Identifier: MIT
#pragma once
// The netdev notifier chain. Mirrors kernel/notifier.c, include/linux/notifier.h and register_netdevice_notifier of
// net/core/dev.c; v4.4 and v6.1.

#include <functional>
#include <string>
#include <vector>

#include "refimpl/core/event.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

inline constexpr int NOTIFY_DONE = 0;
inline constexpr int NOTIFY_OK = 1;
inline constexpr int NOTIFY_STOP_MASK = 0x8000;
inline constexpr int NOTIFY_BAD = NOTIFY_STOP_MASK | 2;
// notifier_from_errno, notifier_to_errno with the errno as `error`.
inline int notifier_from_errno(error e) {
  return e == error::none ? NOTIFY_OK : NOTIFY_STOP_MASK | (1 + static_cast<int>(e));
}
inline error notifier_to_errno(int ret) {
  const int e = ret & ~NOTIFY_STOP_MASK;
  return e > NOTIFY_OK ? static_cast<error>(e - 1) : error::none;
}

struct netdev_notifier_info {
  event_kind event;
  net_device* dev;              // may be NULL in batch events: net->loopback_dev
  net* ns;                      // what dev_net(dev) was meant to be
  net_device* upper = nullptr;  // NETDEV_CHANGEUPPER
  bool linking = false;
};

// The event's device; throws machine_check (NULL dereference in `where`) as dev_net(NULL) would oops.
net_device& netdev_notifier_info_to_dev(const netdev_notifier_info& info, const char* where);

// Runs under RTNL. May close, open, move and unregister devices; must not take RTNL (-EDEADLK) or change the chain. An
// exception is caught: it vetoes a registration with -EFAULT; elsewhere the chain goes on and the operation returns -EFAULT
// when done.
struct notifier_block {
  std::string name;
  std::function<int(const netdev_notifier_info&)> notifier_call;
  int priority = 0;  // descending; equal ones in order of registration
};

// locks: takes RTNL. after: nb is in the chain and saw NETDEV_REGISTER, and NETDEV_UP if up, of every device; or, when it
// vetoed one, it was rolled back as the variant does and is not in the chain. emits: replay span. errors: -EDEADLK, -EEXIST,
// the veto. O(devices).
status register_netdevice_notifier(stack& s, notifier_block& nb);
// Removes nb and replays GOING_DOWN, DOWN, UNREGISTER of every device to it. errors: -EDEADLK, -ENOENT.
status unregister_netdevice_notifier(stack& s, notifier_block& nb);

// Calls the chain until a result carries NOTIFY_STOP_MASK; returns the last one. locks: RTNL. emits: the event, callback
// each.
int call_netdevice_notifiers(event_kind event, net_device& dev);
int call_netdevice_notifiers_info(stack& s, const netdev_notifier_info& info);
int call_netdevice_notifier(notifier_block& nb, stack& s, const netdev_notifier_info& info);

}  // namespace quiesce::refimpl
