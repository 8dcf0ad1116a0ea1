// SPDX-License-Identifier: MIT
#include "refimpl/net/notifier.hpp"

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

net_device& netdev_notifier_info_to_dev(const netdev_notifier_info& info, const char* where) {
  if (info.dev == nullptr)
    throw machine_check(machine_check::kind::null_dereference,
                        std::string(where) + ": dev_net(NULL) in " + std::string(name(info.event)));
  return *info.dev;
}

int call_netdevice_notifier(notifier_block& nb, stack& s, const netdev_notifier_info& info) {
  s.emit_net(event_kind::callback, *info.ns, info.dev, static_cast<std::int64_t>(info.event), nb.name.c_str());
  try {
    return nb.notifier_call(info);
  } catch (const machine_check&) {
    throw;
  } catch (...) {
    s.note_callback_threw(nb.name + " in " + std::string(name(info.event)));
    const bool can_veto = info.event == event_kind::NETDEV_REGISTER || info.event == event_kind::NETDEV_POST_INIT;
    return can_veto ? notifier_from_errno(error::efault) : NOTIFY_DONE;
  }
}

int call_netdevice_notifiers_info(stack& s, const netdev_notifier_info& info) {
  s.counters.notifier_events.fetch_add(1, std::memory_order_relaxed);
  if (!s.rtnl_is_held_by_me()) s.warn("ASSERT_RTNL: call_netdevice_notifiers_info", info.dev);
  if (info.event == event_kind::NETDEV_DOWN_BATCH || info.event == event_kind::NETDEV_UNREGISTER_BATCH)
    s.counters.batch_events.fetch_add(1, std::memory_order_relaxed);
  s.emit_net(info.event, *info.ns, info.dev);
  s.visible("call_netdevice_notifiers", info.dev);
  int ret = NOTIFY_DONE;
  for (notifier_block* nb : s.netdev_chain) {
    ret = call_netdevice_notifier(*nb, s, info);
    if ((ret & NOTIFY_STOP_MASK) != 0) break;
  }
  return ret;
}

int call_netdevice_notifiers(event_kind event, net_device& dev) {
  return call_netdevice_notifiers_info(dev.owner, {event, &dev, &dev_net(dev)});
}

}  // namespace quiesce::refimpl
