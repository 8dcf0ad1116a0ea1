// SPDX-License-Identifier: MIT
#pragma once
// Devices above others: VLAN and macvlan. Mirrors net/8021q/vlan.c and drivers/net/macvlan.c, v4.4 and v6.1: what they do
// when the device below goes down or away, which is where teardown nests.

#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

extern const rtnl_link_ops vlan_link_ops;     // dellink: unregister_vlan_dev
extern const rtnl_link_ops macvlan_link_ops;  // dellink: macvlan_dellink

struct upper_priv {  // netdev_priv of both
  net_device* lower = nullptr;
  int vlan_id = 0;
  bool loose = false;  // VLAN_FLAG_LOOSE_BINDING: does not follow the device below
};

struct upper_params {
  std::string name;
  int vlan_id = 0;  // VLAN: 1..4094
  bool loose = false;
  net_device_ops* ops = nullptr;
};

// register_vlan_device, macvlan_common_newlink. locks: RTNL. after: registered in the lower device's namespace, linked above
// it, down. errors: register_netdevice's; -EINVAL (id, lower not registered), -EEXIST (id taken), -EPERM, -ENOMEM; nothing
// is left.
result<net_device*> register_vlan_device(net_device& lower, const upper_params& params);
result<net_device*> macvlan_newlink(net_device& lower, const upper_params& params);

// rtnl_delete_link's step: dellink of the device's kind, or unregister_netdevice_queue.
status queue_dellink(net_device& dev, list_head* head);

}  // namespace quiesce::refimpl
