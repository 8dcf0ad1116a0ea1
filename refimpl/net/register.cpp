// SPDX-License-Identifier: MIT
// Mirrors register_netdevice, register_netdev of net/core/dev.c, v4.4 and v6.1.
#include "refimpl/net/lists.hpp"
#include "refimpl/net/unregister.hpp"

namespace quiesce::refimpl {

namespace {

// err_uninit: what ndo_init did is undone; the device stays UNINITIALIZED and unlisted.
error undo_init(net_device& dev, error why) {
  if (dev.initialized) call_ndo_uninit(dev, event_kind::undo_ndo_init);
  return why;
}

status before_listing(net_device& dev) {
  stack& s = dev.owner;
  net& n = dev_net(dev);
  if (n.devices >= s.options.max_devices) return error::enfile;
  if (status r = dev_get_valid_name(n, dev.name); !r) return r;
  if (s.alloc_fails("netdev_name_node_head_alloc")) return error::enomem;
  if (error e = call_ndo_init(dev); e != error::none) return e;
  dev.initialized = dev.netdev_ops != nullptr;
  if (s.alloc_fails("netdev_do_alloc_pcpu_stats")) return undo_init(dev, error::enomem);
  if (dev.ifindex == 0) {
    dev.ifindex = dev_new_index(n);
  } else if (__dev_get_by_index(n, dev.ifindex) != nullptr) {
    return undo_init(dev, error::ebusy);
  }
  const int ret = call_netdevice_notifiers(event_kind::NETDEV_POST_INIT, dev);
  if (error e = notifier_to_errno(ret); e != error::none) return undo_init(dev, e);
  if (s.alloc_fails("netdev_register_kobject")) return undo_init(dev, error::enomem);
  return {};
}

}  // namespace

status register_netdevice(net_device& dev) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev)) return error::enodev;
    if (status r = check_rtnl(s); !r) return r;
    if (dev.reg_state.load() != reg_state::uninitialized || dev.in_driver) return error::ebusy;
    if (dev_net(dev).leaving && !dev.netns_local) return error::enodev;
    if (status r = before_listing(dev); !r) return r;
    dev.reg_state.store(reg_state::registered);
    dev_hold(dev, holder::registration);
    list_netdevice(dev);
    const int ret = call_netdevice_notifiers(event_kind::NETDEV_REGISTER, dev);
    if (error e = notifier_to_errno(ret); e != error::none) {
      dev.needs_free_netdev = false;  // the caller frees explicitly
      rollback_registered(dev);
      return e;
    }
    rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, dev_net(dev), dev.ifindex);
    return {};
  });
}

status register_netdev(net_device& dev) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev)) return error::enodev;
    rtnl_guard held(s);
    if (!held) return held.code();
    status outcome = register_netdevice(dev);
    status unlocked = held.release();
    return outcome ? unlocked : outcome;
  });
}

}  // namespace quiesce::refimpl
