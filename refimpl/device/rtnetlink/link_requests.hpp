// SPDX-License-Identifier: MIT
#pragma once
// Requests about links. Each is one acknowledged rtnetlink message (net/core/rtnetlink.c), except tun and tap, which
// rtnetlink refuses to create: they come from TUNSETIFF and TUNSETPERSIST on /dev/net/tun (drivers/net/tun.c).

#include <array>
#include <string>

#include "refimpl/device/rtnetlink/private_net.hpp"

namespace quiesce::rtnetlink {

using mac_address = std::array<std::uint8_t, 6>;
// Locally administered, the same for the same number.
mac_address mac_of(std::uint32_t number);

struct new_link {
  std::string kind;  // dummy, ifb, veth, macvlan, bridge, vlan
  std::string name;
  mac_address mac{};
  int lower = 0;         // macvlan, vlan: ifindex of the device below
  unsigned vlan_id = 0;  // vlan
  std::uint32_t group = 0;
  std::string peer_name;  // veth
  mac_address peer_mac{};
  const private_net* peer_net = nullptr;  // veth: NULL for the same namespace
  std::uint32_t peer_group = 0;
};

answer create_link(private_net& n, const new_link& link, deadline until);
// A persistent tap (or tun) device in the namespace. errors: those of open("/dev/net/tun") and of the two ioctls.
answer create_tun(private_net& n, const std::string& name, bool tap);
// 0 where there is none; an error only if the kernel could not be asked.
answer index_of(private_net& n, const std::string& name, int& ifindex, deadline until);

answer set_link_up(private_net& n, int ifindex, bool up, deadline until);
answer set_link_group(private_net& n, int ifindex, std::uint32_t group, deadline until);
answer set_link_mtu(private_net& n, int ifindex, unsigned mtu, deadline until);
answer set_link_mac(private_net& n, int ifindex, const mac_address& mac, deadline until);
answer set_link_net(private_net& n, int ifindex, const private_net& to, deadline until);
// IN6_ADDR_GEN_MODE_NONE: no link-local address is made when the device comes up. The kernel takes it only after creation.
answer set_no_addresses_of_its_own(private_net& n, int ifindex, deadline until);

answer delete_link(private_net& n, int ifindex, deadline until);
// One unregister_netdevice_many over all of the group. The kernel refuses group 0, and groups with `lo`.
answer delete_group(private_net& n, std::uint32_t group, deadline until);

}  // namespace quiesce::rtnetlink
