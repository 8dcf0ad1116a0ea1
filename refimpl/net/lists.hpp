// SPDX-License-Identifier: MIT
#pragma once
// Steps of net/core/dev.c that several files of this folder share. All under RTNL.

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

void list_netdevice(net_device& dev);
void unlist_netdevice(net_device& dev);
int dev_new_index(net& n);
// Resolves "%d" in `name` to the first free number of the namespace. errors: -EINVAL, -EEXIST, -ENFILE. O(devices) with
// "%d".
status dev_get_valid_name(net& n, std::string& name);

// A checked list_add_tail: with CONFIG_DEBUG_LIST a double add throws machine_check.
void debug_list_add_tail(stack& s, list_head* node, list_head* head, const char* where);

// dev_shutdown (qdisc), dev_uc_flush, dev_mc_flush, netdev_unregister_kobject: observable steps.
void dev_shutdown(net_device& dev);
void dev_uc_flush(net_device& dev);
void dev_mc_flush(net_device& dev);
void netdev_unregister_kobject(net_device& dev);

// Common checks of operations on a device, in this order: -ENODEV unknown, -EPERM without RTNL, -EINVAL not REGISTERED.
status check_rtnl(stack& s);
status check_registered(stack& s, net_device& dev);

// Opens a span for a scope: emits `begin` with its devices, then `end`.
class span_scope {
 public:
  span_scope(stack& s, event_kind begin, event_kind end, const list_head* devs = nullptr, const net_device* one = nullptr);
  ~span_scope();
  span_scope(const span_scope&) = delete;

 private:
  stack& stack_;
  event_kind end_;
};

// rtnetlink.c: rtmsg_ifinfo. emits: RTM_*.
void rtmsg_ifinfo(event_kind type, const net_device& dev, const net& n, int ifindex);

// Driver hooks that turn exceptions into -EFAULT and positive results into -EIO.
error call_ndo_init(net_device& dev);
error call_ndo_open(net_device& dev);
void call_ndo_stop(net_device& dev);
// `as`: the event to emit; undo_ndo_init where a registration fails before NETDEV_REGISTER.
void call_ndo_uninit(net_device& dev, event_kind as = event_kind::ndo_uninit);
void call_ndo_neigh_destroy(net_device& dev);

}  // namespace quiesce::refimpl
