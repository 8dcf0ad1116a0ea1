// SPDX-License-Identifier: MIT
// rtnetlink notifications. Mirrors rtnetlink_event and rtmsg_ifinfo of net/core/rtnetlink.c: v4.4 forwards every event it
// does not know, today's only those it lists.
#include "refimpl/net/builtin.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

void rtmsg_ifinfo(event_kind type, const net_device& dev, const net& n, int ifindex) {
  stack& s = dev.owner;
  auto& counter = type == event_kind::RTM_NEWLINK ? s.counters.rtm_newlink : s.counters.rtm_dellink;
  counter.fetch_add(1, std::memory_order_relaxed);
  s.emit_net(type, n, &dev, ifindex);
}

namespace {

bool ignored_by_v44(event_kind e) {
  switch (e) {
    case event_kind::NETDEV_UP:
    case event_kind::NETDEV_DOWN:
    case event_kind::NETDEV_POST_INIT:
    case event_kind::NETDEV_REGISTER:
    case event_kind::NETDEV_CHANGE:
    case event_kind::NETDEV_GOING_DOWN:
    case event_kind::NETDEV_UNREGISTER:
    case event_kind::NETDEV_UNREGISTER_FINAL:
      return true;
    default:
      return false;
  }
}

bool forwarded(rtnetlink_rule rule, event_kind e) {
  const bool is_batch = e == event_kind::NETDEV_DOWN_BATCH || e == event_kind::NETDEV_UNREGISTER_BATCH;
  switch (rule) {
    case rtnetlink_rule::blacklist:
      return !ignored_by_v44(e);
    case rtnetlink_rule::blacklist_and_batch:
      return !ignored_by_v44(e) && !is_batch;
    case rtnetlink_rule::whitelist:
      return e == event_kind::NETDEV_CHANGEMTU || e == event_kind::NETDEV_CHANGEADDR || e == event_kind::NETDEV_CHANGENAME ||
             e == event_kind::NETDEV_CHANGEUPPER || e == event_kind::NETDEV_REBOOT;
  }
  return false;
}

}  // namespace

int rtnetlink_event(const netdev_notifier_info& info) {
  const rtnetlink_rule rule = info.ns->owner.policy.rtnetlink;
  if (!forwarded(rule, info.event)) return NOTIFY_DONE;
  const net_device& dev = netdev_notifier_info_to_dev(info, "rtnetlink_event");
  rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, dev_net(dev), dev.ifindex);
  return NOTIFY_DONE;
}

}  // namespace quiesce::refimpl
