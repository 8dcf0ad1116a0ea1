// SPDX-License-Identifier: MIT
#pragma once
// What a namespace of the running kernel contains, as rtnetlink's dumps tell it: links, addresses, routes of all tables,
// neighbours and proxy entries of both families. Cached routes and exceptions are no part of a dump.

#include <cstdint>
#include <string>
#include <vector>

#include "refimpl/device/rtnetlink/netlink_socket.hpp"
#include "refimpl/net/ip_key.hpp"

namespace quiesce::rtnetlink {

using refimpl::ip_key;

struct link_entry {
  int ifindex = 0;
  std::string name, kind;
  std::uint32_t flags = 0;  // IFF_*
  int lower = 0;            // IFLA_LINK: the device below, or the peer; 0: none or in another namespace
  int master = 0;
  std::uint32_t group = 0;
  unsigned mtu = 0;
  std::vector<std::uint8_t> address;
};

struct address_entry {
  int family = 0;  // AF_INET, AF_INET6
  int ifindex = 0;
  std::uint8_t prefixlen = 0, scope = 0;
  std::uint32_t flags = 0;  // IFA_F_*
  ip_key local;
};

struct next_hop_entry {
  int oif = 0;
  ip_key gw;
  std::uint8_t flags = 0;  // RTNH_F_*
  int weight = 1;
};

struct route_entry {
  int family = 0;
  std::uint32_t table = 0;
  std::uint8_t type = 0, protocol = 0, scope = 0, plen = 0;
  std::uint32_t metric = 0;
  ip_key dst, prefsrc;
  std::vector<next_hop_entry> hops;
  bool expires = false;
};

struct neighbour_entry {
  int family = 0;
  int ifindex = 0;  // 0: a proxy entry for every device
  ip_key dst;
  std::uint16_t state = 0;  // NUD_*
  bool proxy = false;
};

answer dump_links(netlink_socket& s, std::vector<link_entry>& out, deadline until);
answer dump_addresses(netlink_socket& s, std::vector<address_entry>& out, deadline until);
answer dump_routes(netlink_socket& s, std::vector<route_entry>& out, deadline until);
answer dump_neighbours(netlink_socket& s, std::vector<neighbour_entry>& out, deadline until);  // proxies too

// One message of each kind, as multicast brings them too; false where it is malformed.
bool read_link(const nlmsghdr* m, link_entry& out);

// "10.0.0.1", "fe80::1".
std::string text_of(int family, const ip_key& key);
// A key of `length` address bytes in network order.
ip_key key_of(const std::vector<std::uint8_t>& bytes);
std::vector<std::uint8_t> bytes_of(int family, const ip_key& key);

}  // namespace quiesce::rtnetlink
