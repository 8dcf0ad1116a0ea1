// SPDX-License-Identifier: MIT
// Mirrors dev_change_net_namespace of net/core/dev.c, v4.4 and v6.1.
#include "refimpl/net/batch.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

status check_move(net_device& dev, net& to, const std::string& pattern, int new_ifindex, std::string& new_name) {
  stack& s = dev.owner;
  if (status r = check_registered(s, dev); !r) return r;
  if (!s.known(&to)) return error::enodev;
  const bool busy = dev.dismantle.load() || !list_empty(&dev.close_list) || list_empty(&dev.dev_list);
  if (dev.netns_local || busy) return error::einval;
  if (&dev_net(dev) == &to) return {};
  if (to.leaving || to.devices >= s.options.max_devices) return to.leaving ? error::enodev : error::enfile;
  new_name = dev.name;
  if (__dev_get_by_name(to, dev.name) != nullptr) {
    if (pattern.empty()) return error::eexist;
    new_name = pattern;
    if (status r = dev_get_valid_name(to, new_name); !r) return r;
  }
  if (new_ifindex != 0 && __dev_get_by_index(to, new_ifindex) != nullptr) return error::ebusy;
  return {};
}

// "Mini version of register and unregister": reg_state stays REGISTERED, by which 8021q and macvlan know that the device
// moves.
void leave(net_device& dev) {
  stack& s = dev.owner;
  static_cast<void>(dev_close(dev));
  unlist_netdevice(dev);
  s.synchronize_net();
  dev_shutdown(dev);
  call_netdevice_notifiers(event_kind::NETDEV_UNREGISTER, dev);
  unless(s.policy, mutation::move_without_batch, [&] { batch_after_move(dev); });
  s.rcu_barrier();
  if (s.policy.final_event()) call_netdevice_notifiers(event_kind::NETDEV_UNREGISTER_FINAL, dev);
}

void arrive(net_device& dev, net& to, int ifindex, const std::string& name) {
  stack& s = dev.owner;
  dev.nd_net.store(&to, std::memory_order_release);
  dev.ifindex = ifindex;
  dev.name = name;
  s.emit(event_kind::dev_net_set, &dev);
  list_netdevice(dev);
  call_netdevice_notifiers(event_kind::NETDEV_REGISTER, dev);
  rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, to, dev.ifindex);
  s.synchronize_net();
}

}  // namespace

status dev_change_net_namespace(net_device& dev, net& to, const std::string& pattern, int new_ifindex) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    std::string new_name;
    if (status r = check_move(dev, to, pattern, new_ifindex, new_name); !r) return r;
    net& from = dev_net(dev);
    if (&from == &to) return {};
    leave(dev);
    if (new_ifindex == 0) new_ifindex = __dev_get_by_index(to, dev.ifindex) != nullptr ? dev_new_index(to) : dev.ifindex;
    rtmsg_ifinfo(event_kind::RTM_DELLINK, dev, from, dev.ifindex);
    dev_uc_flush(dev);
    dev_mc_flush(dev);
    arrive(dev, to, new_ifindex, new_name);
    return {};
  });
}

}  // namespace quiesce::refimpl
