// SPDX-License-Identifier: MIT
#include "refimpl/net/upper.hpp"

#include "refimpl/net/builtin.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

upper_priv& priv_of(net_device& dev) { return *static_cast<upper_priv*>(dev.priv.get()); }

std::vector<net_device*> uppers_of_kind(const net_device& lower, const rtnl_link_ops& kind) {
  std::vector<net_device*> out;
  for (net_device* up : lower.adj_upper)
    if (up->rtnl_link_ops == &kind) out.push_back(up);
  return out;
}

// Off the lower device's list first, so that it is not queued twice.
void unlink_and_queue(net_device& dev, list_head* head) {
  upper_priv& p = priv_of(dev);
  if (p.lower != nullptr) static_cast<void>(netdev_upper_dev_unlink(*p.lower, dev));
  p.lower = nullptr;
  static_cast<void>(unregister_netdevice_queue(dev, head));
}

result<net_device*> register_above(net_device& lower, const upper_params& params, const rtnl_link_ops& kind) {
  stack& s = lower.owner;
  if (status r = check_registered(s, lower); !r) return r.code();
  if (lower.dismantle.load()) return error::enodev;
  netdev_params np;
  np.name = params.name;
  np.ops = params.ops;
  np.link_ops = &kind;
  result<net_device*> made = alloc_netdev(dev_net(lower), np);
  if (!made) return made;
  net_device& dev = *made.value();
  auto p = std::make_shared<upper_priv>();
  p->vlan_id = params.vlan_id;
  p->loose = params.loose;
  dev.priv = p;
  if (status r = register_netdevice(dev); !r) {
    // Since v6.1 the roll-back is on the todo list until RTNL is dropped: then it frees itself.
    if (dev.reg_state.load() == reg_state::unregistering) {
      dev.needs_free_netdev = true;
    } else {
      static_cast<void>(free_netdev(&dev));
    }
    return r.code();
  }
  if (status r = netdev_upper_dev_link(lower, dev); !r) {
    static_cast<void>(unregister_netdevice_queue(dev, nullptr));
    return r.code();
  }
  p->lower = &lower;
  return &dev;
}

// The upper device itself goes without dellink having run.
void forget_lower(net_device& dev) {
  if (dev.reg_state.load() != reg_state::unregistering) return;
  upper_priv& p = priv_of(dev);
  if (p.lower != nullptr) static_cast<void>(netdev_upper_dev_unlink(*p.lower, dev));
  p.lower = nullptr;
}

// Only when the device below is really leaving: one that moves to another namespace keeps its uppers.
void unregister_uppers(net_device& lower, const rtnl_link_ops& kind) {
  if (lower.reg_state.load() != reg_state::unregistering) return;
  const std::vector<net_device*> uppers = uppers_of_kind(lower, kind);
  stack& s = lower.owner;
  if (uppers.empty() || s.policy.mutant == mutation::uppers_left_alone) return;
  stack_list_head list(&s.dangling_head);
  for (net_device* up : uppers) unlink_and_queue(*up, &list);
  static_cast<void>(unregister_netdevice_many(s, &list));
}

void close_vlans(net_device& lower) {
  stack& s = lower.owner;
  stack_list_head close_list(&s.dangling_head);
  for (net_device* vlan : uppers_of_kind(lower, vlan_link_ops)) {
    // In one batch with its lower device it is down by now and its node is on the outer list.
    if (!dev_up(*vlan) || priv_of(*vlan).loose) continue;
    if (!list_empty(&vlan->close_list)) continue;
    list_add_tail(&vlan->close_list, &close_list);
  }
  if (list_empty(&close_list)) return;
  static_cast<void>(dev_close_many(s, &close_list, false));
  list_for_each_entry_safe<net_device>(&close_list, s.turns("vlan close_list"),
                                       [](net_device& d) { list_del_init(&d.close_list); });
}

}  // namespace

const rtnl_link_ops vlan_link_ops{"vlan", unlink_and_queue};
const rtnl_link_ops macvlan_link_ops{"macvlan", unlink_and_queue};

status queue_dellink(net_device& dev, list_head* head) {
  stack& s = dev.owner;
  if (status r = check_registered(s, dev); !r) return r;
  if (dev.dismantle.load() || !list_empty(&dev.close_list) || list_empty(&dev.dev_list)) return error::ebusy;
  if (dev.rtnl_link_ops != nullptr && dev.rtnl_link_ops->dellink != nullptr) {
    dev.rtnl_link_ops->dellink(dev, head);
    return {};
  }
  return unregister_netdevice_queue(dev, head);
}

result<net_device*> register_vlan_device(net_device& lower, const upper_params& params) {
  stack& s = lower.owner;
  return s.enter([&]() -> result<net_device*> {
    if (!s.known(&lower)) return error::enodev;
    if (params.vlan_id < 1 || params.vlan_id > 4094) return error::einval;
    for (net_device* vlan : uppers_of_kind(lower, vlan_link_ops))
      if (priv_of(*vlan).vlan_id == params.vlan_id) return error::eexist;
    return register_above(lower, params, vlan_link_ops);
  });
}

result<net_device*> macvlan_newlink(net_device& lower, const upper_params& params) {
  stack& s = lower.owner;
  return s.enter([&]() -> result<net_device*> {
    if (!s.known(&lower)) return error::enodev;
    if (lower.rtnl_link_ops == &macvlan_link_ops || (lower.flags.load() & IFF_LOOPBACK) != 0) return error::einval;
    return register_above(lower, params, macvlan_link_ops);
  });
}

int vlan_device_event(const netdev_notifier_info& info) {
  net_device& dev = netdev_notifier_info_to_dev(info, "vlan_device_event");
  switch (info.event) {
    case event_kind::NETDEV_DOWN:
      close_vlans(dev);
      break;
    case event_kind::NETDEV_UP:
      for (net_device* vlan : uppers_of_kind(dev, vlan_link_ops))
        if (!priv_of(*vlan).loose && !vlan->dismantle.load()) static_cast<void>(dev_open(*vlan));
      break;
    case event_kind::NETDEV_UNREGISTER:
      if (dev.rtnl_link_ops == &vlan_link_ops) forget_lower(dev);
      unregister_uppers(dev, vlan_link_ops);
      break;
    default:
      break;
  }
  return NOTIFY_DONE;
}

int macvlan_device_event(const netdev_notifier_info& info) {
  net_device& dev = netdev_notifier_info_to_dev(info, "macvlan_device_event");
  if (info.event != event_kind::NETDEV_UNREGISTER) return NOTIFY_DONE;
  if (dev.rtnl_link_ops == &macvlan_link_ops) forget_lower(dev);
  unregister_uppers(dev, macvlan_link_ops);
  return NOTIFY_DONE;
}

}  // namespace quiesce::refimpl
