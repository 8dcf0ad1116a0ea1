// SPDX-License-Identifier: MIT
#pragma once
// NETDEV_DOWN_BATCH and NETDEV_UNREGISTER_BATCH: which namespaces get one, where, and with which device. The one place where
// the variants of the 2016 series and its prior art differ in the core. Mirrors include/net/net_namespace.h
// (net_add_event_list, net_del_event_list) of the posted patch 1 and the hunks of patch 2 in dev_close_many and
// rollback_registered_many.

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

// locks: RTNL. Empty without CONFIG_NET_NS.
void net_add_event_list(list_head* head, net& n);
void net_del_event_list(net& n);

// What one close or rollback has to deliver. Lives on the frame of that call, as `net_head` does.
class batch {
 public:
  explicit batch(stack& s) : stack_(s), net_head_(&s.dangling_head) {}
  // dev_close_many's filter loop: a device that is up.
  void add_down(net_device& dev);
  // After all NETDEV_DOWN of the close.
  void deliver_down();
  // unregister_netdevice_many at `place`: collects the namespaces of `head` and delivers, if the variant does so here.
  void unregister(list_head* head, batch_place place);

 private:
  void deliver(event_kind event);
  void collect(net_device& dev);
  void notify(event_kind event, net& n, net_device* dev);

  stack& stack_;
  stack_list_head net_head_;          // collect == event_list
  std::vector<net_device*> devices_;  // the others: devices in order (per_device), or the first of each namespace
};

// 2.6.33, behind the second grace period: the first device of each namespace keeps its reference until it has been passed,
// the others `put` theirs before. O(devices * namespaces), as there.
void batch_of_representatives(stack& s, list_head* head, void (*put)(net_device&));

// Events that the variant sends directly. locks: RTNL.
void batch_after_single_down(net_device& dev);  // __dev_notify_flags
void batch_after_rebroadcast(net_device& dev);  // netdev_wait_allrefs
void batch_after_move(net_device& dev);         // dev_change_net_namespace, dev_net(dev) still the old one

}  // namespace quiesce::refimpl
