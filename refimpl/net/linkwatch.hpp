// SPDX-License-Identifier: MIT
#pragma once
// Link state changes reported outside RTNL. Mirrors net/core/link_watch.c v6.1.

#include "refimpl/core/schedule.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

struct linkwatch_state {
  linkwatch_state() { INIT_LIST_HEAD(&lweventlist); }
  lock_state lweventlist_lock{"lweventlist_lock"};
  list_head lweventlist;
};

// From any context. after: the device is queued once, with a reference. emits: linkwatch_add_event. errors: -EINVAL when the
// device is not registered: nothing may be queued for a device that run_todo waits for. O(1).
status linkwatch_fire_event(net_device& dev, bool running);
// linkwatch_event, the work item: takes RTNL and runs the queue. errors: -EDEADLK.
status linkwatch_event(stack& s);
// locks: RTNL. Each queued device: NETDEV_CHANGE if up, then its reference is dropped, after the last access (rule L13).
void linkwatch_run_queue(stack& s);
// Takes the device off the queue, if it is on it, and handles it. Without RTNL: the device is down.
void linkwatch_forget_dev(net_device& dev);

}  // namespace quiesce::refimpl
