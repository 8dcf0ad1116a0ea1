// SPDX-License-Identifier: MIT
// Mirrors rollback_registered_many and unregister_netdevice_many of net/core/dev.c, v4.4, v6.1 and v6.18.
#include "refimpl/net/unregister.hpp"

#include "refimpl/net/batch.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/todo.hpp"

namespace quiesce::refimpl {

namespace {

constexpr const char* unreg_loop = "list_for_each_entry(dev, unreg_list)";

void check_states(stack& s, list_head* head) {
  list_for_each_entry_safe<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
    if (dev.reg_state.load() == reg_state::uninitialized) {
      s.warn("unregister_netdevice: device never was registered", &dev);
      list_del_init(&dev.unreg_list);
      return;
    }
    dev.dismantle.store(true);
    if (dev.reg_state.load() != reg_state::registered) s.bug("unregister_netdevice_many: reg_state != NETREG_REGISTERED");
  });
}

void netdev_lock(net_device& dev) {
  if (dev.owner.policy.instance_lock) dev.owner.sched.lock(dev.lock);
}
void netdev_unlock(net_device& dev) {
  if (dev.owner.policy.instance_lock) dev.owner.sched.unlock(dev.lock);
}

// v6.18 closes the devices that need the instance lock first, with unlink=false, and empties the list itself.
void close_ops_locked(stack& s, list_head* head) {
  stack_list_head close_head(&s.dangling_head);
  list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
    if (!dev.need_ops_lock) return;
    list_add_tail(&dev.close_list, &close_head);
    netdev_lock(dev);
  });
  static_cast<void>(dev_close_many(s, &close_head, false));
  list_for_each_entry_safe<net_device>(&close_head, s.turns(unreg_loop),
                                       [&](net_device& dev) { list_del_init(&dev.close_list); });
  list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
    if (dev.need_ops_lock) netdev_unlock(dev);
  });
}

void close_all(stack& s, list_head* head) {
  const bool two_passes = s.policy.ops_lock_pass;
  if (two_passes) close_ops_locked(s, head);
  stack_list_head close_head(&s.dangling_head);
  list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
    if (!two_passes || !dev.need_ops_lock) list_add_tail(&dev.close_list, &close_head);
  });
  static_cast<void>(dev_close_many(s, &close_head, true));
}

void close_one(net_device& dev) {
  stack_list_head single(&dev.owner.dangling_head);
  list_add(&dev.close_list, &single);
  static_cast<void>(dev_close_many(dev.owner, &single, true));
}

void unlist(net_device& dev) {
  netdev_lock(dev);
  unlist_netdevice(dev);
  dev.reg_state.store(reg_state::unregistering);
  netdev_unlock(dev);
}

// 2.6.33: dev_close of one device after the other.
void close_and_unlist_each(stack& s, list_head* head) {
  list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
    close_one(dev);
    unlist(dev);
  });
}

void notify_unregister(net_device& dev) {
  dev_shutdown(dev);
  call_netdevice_notifiers(event_kind::NETDEV_UNREGISTER, dev);
}

// RTM_DELLINK is built before and sent after ndo_uninit.
void uninit(net_device& dev) {
  stack& s = dev.owner;
  dev_uc_flush(dev);
  dev_mc_flush(dev);
  if (s.policy.pre_uninit) call_netdevice_notifiers(event_kind::NETDEV_PRE_UNINIT, dev);
  call_ndo_uninit(dev);
  rtmsg_ifinfo(event_kind::RTM_DELLINK, dev, dev_net(dev), dev.ifindex);
  if (netdev_has_any_upper_dev(dev)) s.warn("netdev_has_any_upper_dev", &dev);
  netdev_unregister_kobject(dev);
}

// The mutant: cfa579f66656, reverted by e759e1e4a4bd.
void grace_period(stack& s) {
  also(s.policy, mutation::rtnl_dropped_in_rollback, [&] { s.__rtnl_unlock(); });
  s.synchronize_net();
  also(s.policy, mutation::rtnl_dropped_in_rollback, [&] { static_cast<void>(s.rtnl_lock()); });
}

// One loop with each device's events interleaved (every kernel), or two with the batch event between (J1 and after).
void dismantle(stack& s, list_head* head) {
  batch events(s);
  const bool two_loops = chosen(s.policy, mutation::one_loop, s.policy.batch_at == batch_place::before_uninit, false);
  const auto uninit_all = [&] {
    if (two_loops) list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) { uninit(dev); });
  };
  const auto notify_all = [&] {
    list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
      notify_unregister(dev);
      if (!two_loops) uninit(dev);
    });
  };
  const auto batch_event = [&] { events.unregister(head, batch_place::before_uninit); };
  in_order(s.policy, mutation::uninit_before_unregister, notify_all,
           [&] { in_order(s.policy, mutation::batch_too_late, batch_event, uninit_all); });
  events.unregister(head, batch_place::after_uninit);
  unless(s.policy, mutation::no_second_grace_period, [&] { grace_period(s); });
}

void put_registration(net_device& dev) {
  const variant_policy& p = dev.owner.policy;
  unless(p, mutation::registration_kept, [&] { static_cast<void>(dev_put(dev, holder::registration)); });
  also(p, mutation::registration_put_twice, [&] { static_cast<void>(dev_put(dev, holder::registration)); });
}

void put_all(stack& s, list_head* head) {
  if (s.policy.batch_at == batch_place::after_grace_period) return batch_of_representatives(s, head, put_registration);
  list_for_each_entry<net_device>(head, s.turns(unreg_loop), put_registration);
}

// Up to and including the drop of the registration references; the todo list is the caller's matter.
void rollback_registered_many(stack& s, list_head* head) {
  check_states(s, head);
  if (list_empty(head)) return;
  span_scope span(s, event_kind::rollback_begin, event_kind::rollback_end, head);
  if (s.policy.close_each)
    close_and_unlist_each(s, head);
  else
    unless(s.policy, mutation::unregister_without_close, [&] { close_all(s, head); });
  const auto unlist_all = [&] {
    if (!s.policy.close_each) list_for_each_entry<net_device>(head, s.turns(unreg_loop), unlist);
    unless(s.policy, mutation::no_first_grace_period, [&] { grace_period(s); });
  };
  in_order(s.policy, mutation::unlist_too_late, unlist_all, [&] {
    in_order(
        s.policy, mutation::registration_put_too_early, [&] { dismantle(s, head); }, [&] { put_all(s, head); });
  });
}

}  // namespace

status unregister_netdevice_many(stack& s, list_head* head) {
  return s.enter([&]() -> status {
    if (status r = check_rtnl(s); !r) return r;
    if (bad_link(head->next) || list_empty(head)) return {};
    rollback_registered_many(s, head);
    list_for_each_entry<net_device>(head, s.turns(unreg_loop), [&](net_device& dev) {
      unless(s.policy, mutation::not_queued, [&] { net_set_todo(dev); });
      also(s.policy, mutation::queued_twice, [&] { net_set_todo(dev); });
    });
    list_del(head);  // the devices stay chained to each other
    return {};
  });
}

void rollback_registered(net_device& dev) {
  stack& s = dev.owner;
  stack_list_head single(&s.dangling_head);
  list_add(&dev.unreg_list, &single);
  rollback_registered_many(s, &single);
  list_del(&single);
  if (s.policy.unregister_final) {
    s.rcu_barrier();  // the caller may free it: what call_rcu still holds must be gone
    dev.reg_state.store(reg_state::unregistered);
  } else {
    net_set_todo(dev);
  }
}

status unregister_netdevice_queue(net_device& dev, list_head* head) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev)) return error::enodev;
    if (status r = check_rtnl(s); !r) return r;
    const auto state = dev.reg_state.load();
    if (state == reg_state::uninitialized) return error::einval;
    if (state != reg_state::registered || dev.dismantle.load()) return error::ebusy;
    if (!list_empty(&dev.close_list)) return error::ebusy;  // an outer close is handling it (rule L9)
    if (list_empty(&dev.dev_list)) return error::ebusy;     // it is on its way to another namespace
    if (head != nullptr) {
      list_move_tail(&dev.unreg_list, head);
      return {};
    }
    if (!list_empty(&dev.unreg_list)) return error::ebusy;  // queued on another list
    stack_list_head single(&s.dangling_head);
    list_add(&dev.unreg_list, &single);
    return unregister_netdevice_many(s, &single);
  });
}

status unregister_netdev(net_device& dev) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev)) return error::enodev;
    rtnl_guard held(s);
    if (!held) return held.code();
    status outcome = unregister_netdevice_queue(dev, nullptr);
    status unlocked = held.release();
    return outcome ? unlocked : outcome;
  });
}

}  // namespace quiesce::refimpl
