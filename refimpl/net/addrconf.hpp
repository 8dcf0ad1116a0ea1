// SPDX-License-Identifier: MIT
#pragma once
// IPv6 on a device: inet6_dev, addresses, anycast entries. Mirrors net/ipv6/addrconf.c and net/ipv6/anycast.c, v4.19 and
// v6.1. An anycast entry is freed by call_rcu(aca_free_rcu), which drops a route that is freed by a second call_rcu
// (fib6_info_destroy_rcu) which drops the device: a chain of depth two.

#include <vector>

#include "refimpl/net/ip6_fib.hpp"

namespace quiesce::refimpl {

struct ifacaddr6 {
  ip_key aca_addr;
  fib6_info* aca_rt = nullptr;  // a reference
  rcu_head rcu;
};

struct inet6_ifaddr {
  ip_key addr;
  std::uint8_t prefixlen = 64;
  ifacaddr6* aca = nullptr;  // the subnet's anycast group, joined while forwarding
};

struct inet6_dev {
  net_device* dev = nullptr;   // holder::inet6_dev until the last in6_dev_put
  std::atomic<int> refcnt{1};  // dev->ip6_ptr's; rt6 null entries of loopback hold one more
  bool dead = false;
  std::vector<inet6_ifaddr> addr_list;  // under RTNL
  rcu_head rcu;
};

// locks: RTNL. after add: a host route, the prefix's route if the device is up, and, while the namespace forwards, an
// anycast entry. errors: -EPERM, -ENODEV, -EINVAL, -EEXIST, -ENETDOWN, -ENOBUFS (no inet6_dev), -ENOMEM; del: -ENOENT.
status inet6_addr_add(net_device& dev, const ip_key& addr, std::uint8_t prefixlen);
status inet6_addr_del(net_device& dev, const ip_key& addr, std::uint8_t prefixlen);

void release_inet6_dev(net_device& dev);  // by ownership

}  // namespace quiesce::refimpl
