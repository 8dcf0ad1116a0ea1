// SPDX-License-Identifier: MIT
#include "refimpl/net/todo.hpp"

#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

void net_set_todo(net_device& dev) {
  list_add_tail(&dev.todo_list, &dev.owner.net_todo_list);
  dev_net(dev).dev_unreg_count.fetch_add(1);
  dev.owner.emit(event_kind::net_set_todo, &dev);
}

namespace {

constexpr const char* todo_loop = "list_for_each_entry(dev, todo_list)";

void take_rtnl(stack& s) {
  if (!s.rtnl_lock()) throw machine_check(machine_check::kind::deadlock, "netdev_run_todo: RTNL");
}

// v4.4: UNREGISTER_FINAL under a short RTNL section of its own; then UNREGISTERED just before this device's wait.
void final_event(net_device& dev) {
  stack& s = dev.owner;
  take_rtnl(s);
  call_netdevice_notifiers(event_kind::NETDEV_UNREGISTER_FINAL, dev);
  s.__rtnl_unlock();
}

void set_unregistered(net_device& dev) {
  if (dev.reg_state.load() != reg_state::unregistering) dev.owner.bug("network todo: device is not NETREG_UNREGISTERING");
  dev.reg_state.store(reg_state::unregistered);
}

void paranoia(net_device& dev) {
  stack& s = dev.owner;
  if (netdev_refcnt_read(dev) != s.policy.base_refcount) s.bug("netdev_run_todo: reference count changed after the wait");
  if (dev.ip_ptr.load() != nullptr) s.warn("netdev_run_todo: ip_ptr", &dev);
  if (dev.ip6_ptr.load() != nullptr) s.warn("netdev_run_todo: ip6_ptr", &dev);
}

// What it throws is noted; the device is freed all the same.
void call_priv_destructor(net_device& dev) {
  if (!dev.priv_destructor) return;
  try {
    dev.priv_destructor(dev);
  } catch (const machine_check&) {
    throw;
  } catch (...) {
    dev.owner.note_callback_threw("priv_destructor of " + dev.name);
  }
}

void destroy(net_device& dev) {
  stack& s = dev.owner;
  paranoia(dev);
  call_priv_destructor(dev);
  net& n = dev_net(dev);
  const bool free_now = dev.needs_free_netdev;
  if (free_now) {
    s.emit(event_kind::free_netdev, &dev);
    s.counters.devices_freed.fetch_add(1, std::memory_order_relaxed);
    dev.reg_state.store(reg_state::released);
    s.forget(&dev);
  }
  const int counted = chosen(s.policy, mutation::unregistering_not_counted_down, 1, 0);
  if (s.policy.exit == exit_rule::wait_unregistering) {  // v4.4 counts under RTNL
    take_rtnl(s);
    n.dev_unreg_count.fetch_sub(counted);
    s.__rtnl_unlock();
  } else {
    n.dev_unreg_count.fetch_sub(counted);
  }
  s.sched.wake(s.netdev_unregistering_wq);
}

void run_list(stack& s, list_head* list) {
  const bool any_order = s.policy.wait == wait_rule::rany || s.policy.wait == wait_rule::rlz;
  if (any_order) {  // ae68db14b616: all of them before the first wait
    list_for_each_entry<net_device>(list, s.turns(todo_loop), [](net_device& d) { set_unregistered(d); });
    list_for_each_entry<net_device>(list, s.turns(todo_loop), [](net_device& d) { linkwatch_forget_dev(d); });
    list_for_each_entry<net_device>(list, s.turns(todo_loop),
                                    [&](net_device& d) { s.emit(event_kind::netdev_wait_allrefs, &d); });
  }
  while (!list_empty(list)) {
    net_device& first = *list_entry<net_device>(list->next);
    if (!any_order) {
      if (s.policy.final_event()) final_event(first);
      set_unregistered(first);
      linkwatch_forget_dev(first);
      s.emit(event_kind::netdev_wait_allrefs, &first);
    }
    net_device& dev = s.policy.mutant != mutation::freed_without_wait ? netdev_wait_allrefs_any(s, list) : first;
    list_del_init(&dev.todo_list);
    destroy(dev);
  }
}

}  // namespace

void netdev_run_todo(stack& s) {
  stack_list_head list(&s.dangling_head);
  list_splice_tail_init(&s.net_todo_list, &list);
  const auto run = [&] {
    if (list_empty(&list)) return;
    s.emit(event_kind::run_todo_begin, nullptr);
    unless(s.policy, mutation::no_barrier_in_todo, [&] { s.rcu_barrier(); });
    run_list(s, &list);
    s.emit(event_kind::run_todo_end, nullptr);
  };
  in_order(
      s.policy, mutation::todo_under_rtnl, [&] { s.__rtnl_unlock(); }, run);
}

}  // namespace quiesce::refimpl
