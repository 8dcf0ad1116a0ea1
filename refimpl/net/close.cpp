// SPDX-License-Identifier: MIT
// Opening and closing. Mirrors __dev_open, __dev_close_many, dev_close_many, __dev_notify_flags of net/core/dev.c, v4.4 and
// v6.1.
#include "refimpl/net/batch.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

constexpr const char* close_loop = "list_for_each_entry(dev, close_list)";

// dev_deactivate_many: v4.4 leaves it to the caller where every device is about to be unregistered; v6.1 waits whatever the
// list holds.
bool deactivation_waits(stack& s, list_head* head) {
  if (s.policy.close_each) return !list_empty(head);  // dev_close of a device that is down does nothing
  if (!s.policy.unregister_final) return !s.policy.ops_lock_pass || !list_empty(head);
  bool needed = false;
  list_for_each_entry<net_device>(head, s.turns(close_loop),
                                  [&](net_device& dev) { needed = needed || !dev.dismantle.load(); });
  return needed;
}

void __dev_close_many(stack& s, list_head* head) {
  list_for_each_entry<net_device>(head, s.turns(close_loop), [&](net_device& dev) {
    unless(s.policy, mutation::close_without_going_down,
           [&] { call_netdevice_notifiers(event_kind::NETDEV_GOING_DOWN, dev); });
    dev.start.store(false);  // clear_bit(__LINK_STATE_START)
  });
  if (deactivation_waits(s, head)) s.synchronize_net();
  list_for_each_entry<net_device>(head, s.turns(close_loop), [&](net_device& dev) {
    call_ndo_stop(dev);
    unless(s.policy, mutation::close_keeps_flag,
           [&] { dev.flags.fetch_and(~(IFF_UP | IFF_RUNNING), std::memory_order_relaxed); });
  });
}

void notify_down(stack& s, list_head* head, bool unlink) {
  list_for_each_entry_safe<net_device>(head, s.turns(close_loop), [&](net_device& dev) {
    rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, dev_net(dev), dev.ifindex);
    unless(s.policy, mutation::close_without_down, [&] { call_netdevice_notifiers(event_kind::NETDEV_DOWN, dev); });
    if (unlink) unless(s.policy, mutation::close_leaves_node, [&] { list_del_init(&dev.close_list); });
  });
}

}  // namespace

status dev_close_many(stack& s, list_head* head, bool unlink) {
  return s.enter([&]() -> status {
    if (status r = check_rtnl(s); !r) return r;
    span_scope span(s, event_kind::close_begin, event_kind::close_end, head);  // also those that are not up
    batch events(s);
    list_for_each_entry_safe<net_device>(head, s.turns(close_loop), [&](net_device& dev) {
      if (!chosen(s.policy, mutation::close_of_down_devices, dev_up(dev), true)) {
        list_del_init(&dev.close_list);
      } else {
        events.add_down(dev);
      }
    });
    __dev_close_many(s, head);
    in_order(
        s.policy, mutation::down_batch_too_early, [&] { notify_down(s, head, unlink); },
        [&] { unless(s.policy, mutation::close_without_batch, [&] { events.deliver_down(); }); });
    return {};
  });
}

status dev_close(net_device& dev) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    if (!chosen(s.policy, mutation::close_of_down_devices, dev_up(dev), true)) return {};
    if (!list_empty(&dev.close_list)) return error::ebusy;  // an outer close has it (rule L9)
    stack_list_head single(&s.dangling_head);
    list_add(&dev.close_list, &single);
    status r = dev_close_many(s, &single, true);
    if (!bad_link(single.next)) list_del(&single);
    return r;
  });
}

status dev_change_flags_down(net_device& dev) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    if (!dev_up(dev)) return {};
    if (!list_empty(&dev.close_list)) return error::ebusy;
    stack_list_head single(&s.dangling_head);
    list_add(&dev.close_list, &single);
    __dev_close_many(s, &single);
    list_del_init(&dev.close_list);
    rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, dev_net(dev), dev.ifindex);
    call_netdevice_notifiers(event_kind::NETDEV_DOWN, dev);
    batch_after_single_down(dev);
    return {};
  });
}

namespace {
// Further up the call chain it is on a close list, unregistered, or between two namespaces.
bool leaving(const net_device& dev) {
  return !list_empty(&dev.close_list) || dev.dismantle.load() || list_empty(&dev.dev_list);
}
}  // namespace

status dev_open(net_device& dev) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    if (s.policy.open_refuses_leaving && leaving(dev)) return error::ebusy;
    if (dev_up(dev)) return {};
    if (dev.in_driver) return error::ebusy;
    dev.start.store(true);
    if (error e = call_ndo_open(dev); e != error::none) {
      dev.start.store(false);
      return e;
    }
    dev.flags.fetch_or(IFF_UP | IFF_RUNNING, std::memory_order_relaxed);
    rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, dev_net(dev), dev.ifindex);
    call_netdevice_notifiers(event_kind::NETDEV_UP, dev);
    return {};
  });
}

status dev_set_mtu(net_device& dev, unsigned mtu) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    if (mtu == 0) return error::einval;
    if (mtu == dev.mtu) return {};
    dev.mtu = mtu;
    call_netdevice_notifiers(event_kind::NETDEV_CHANGEMTU, dev);
    return {};
  });
}

}  // namespace quiesce::refimpl
