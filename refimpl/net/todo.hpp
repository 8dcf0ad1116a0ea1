// SPDX-License-Identifier: MIT
#pragma once
// net_set_todo, netdev_run_todo and netdev_wait_allrefs. Mirrors net/core/dev.c v4.4 and v6.1.

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

// locks: RTNL. before: UNREGISTERING. after: on net_todo_list, the namespace's dev_unreg_count one more. emits:
// net_set_todo.
void net_set_todo(net_device& dev);

// locks: takes RTNL over and drops it. after: every device that was on net_todo_list at the call is UNREGISTERED,
// unreferenced and, with needs_free_netdev, freed. Devices queued meanwhile belong to the other holder's unlock (rule L11).
// emits: run_todo_begin and _end, rcu_barrier, NETDEV_UNREGISTER_FINAL (v4.4), netdev_wait_allrefs, free_netdev.
void netdev_run_todo(stack& s);

// Waits until one device of `list` (todo_list nodes) has no reference beyond its base, and returns it without unlinking it.
// K44, R16 and R1 look at the first one only; RANY and RLZ at all. locks: none held; takes RTNL to rebroadcast. emits:
// netdev_refcnt_poll per look, rebroadcast span, unregister_netdevice_warning.
net_device& netdev_wait_allrefs_any(stack& s, list_head* list);

}  // namespace quiesce::refimpl
