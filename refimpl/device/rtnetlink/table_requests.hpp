// SPDX-License-Identifier: MIT
#pragma once
// Requests about addresses, routes, neighbours and proxy entries (net/ipv4/devinet.c, fib_frontend.c, net/ipv6/addrconf.c,
// route.c, net/core/neighbour.c). Each is one acknowledged message.

#include <vector>

#include "refimpl/device/rtnetlink/dump.hpp"
#include "refimpl/device/rtnetlink/private_net.hpp"

namespace quiesce::rtnetlink {

// IPv6: with IFA_F_NODAD, so that an address is never tentative.
answer change_address(private_net& n, int ifindex, int family, const ip_key& local, std::uint8_t prefixlen, bool add,
                      deadline until);

// A unicast route, protocol static, in the main table. Without gateways its scope is link (IPv4). `hops` empty: for deletion
// only. metric 0: the kernel's.
struct route_request {
  int family = 0;
  ip_key dst;
  std::uint8_t plen = 0;
  std::uint32_t metric = 0;
  std::vector<next_hop_entry> hops;
};
answer change_route(private_net& n, const route_request& r, bool add, deadline until);

// A permanent entry with a fixed link-layer address, or a proxy entry; ifindex 0 with `proxy`: for every device.
answer change_neighbour(private_net& n, int ifindex, int family, const ip_key& dst, bool proxy, bool add, deadline until);

// Many host routes through one device, sent without waiting for each acknowledgement; the first failure ends it. For
// measurements. Destinations are first, first + 2^8, ...
answer add_many_routes(private_net& n, int ifindex, const ip_key& gateway, std::uint32_t first, std::size_t count,
                       deadline until);

}  // namespace quiesce::rtnetlink
