// SPDX-License-Identifier: MIT
#pragma once
// IPv4 on a device: in_device and its addresses. Mirrors include/linux/inetdevice.h and net/ipv4/devinet.c, v4.4 and v6.1.

#include <memory>
#include <vector>

#include "refimpl/core/rcu.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

struct in_device;

struct in_ifaddr {
  in_ifaddr(in_device& d, std::uint32_t local, std::uint8_t length) : ifa_dev(d), ifa_local(local), prefixlen(length) {}
  in_device& ifa_dev;
  std::uint32_t ifa_local;  // host byte order
  std::uint8_t prefixlen;
  bool secondary = false;  // IFA_F_SECONDARY
  std::uint32_t mask() const { return prefixlen == 0 ? 0 : ~std::uint32_t{0} << (32 - prefixlen); }
};

struct in_device {
  net_device* dev = nullptr;  // holder::in_device until in_dev_finish_destroy, one grace period after inetdev_destroy
  bool dead = false;
  std::vector<std::unique_ptr<in_ifaddr>> ifa_list;  // primaries before secondaries; under RTNL
  rcu_head rcu;
};

// inet_rtm_newaddr, inet_rtm_deladdr. locks: RTNL. after add: local route, and prefix and broadcast routes if the device is
// up. errors: -EPERM, -ENODEV (unknown device), -EINVAL (not registered, length, 0.0.0.0), -EEXIST, -ENOBUFS (no in_device),
// -ENOMEM; del: -EADDRNOTAVAIL is given as -ENOENT. emits: inet_insert_ifa, inet_del_ifa, RTM_NEWADDR, RTM_DELADDR.
status inet_addr_add(net_device& dev, std::uint32_t local, std::uint8_t prefixlen);
status inet_addr_del(net_device& dev, std::uint32_t local, std::uint8_t prefixlen);

// Whether `local` is an address of the namespace: inet_addr_lst. An address being removed does not count. O(1).
bool inet_addr_is_local(net& n, std::uint32_t local);

void release_in_device(net_device& dev);  // by ownership

}  // namespace quiesce::refimpl
