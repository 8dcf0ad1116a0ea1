// SPDX-License-Identifier: MIT
#pragma once
// Cached destinations: uncached list, re-homing when a device goes, rt_genid. Mirrors net/ipv4/route.c
// (rt_add_uncached_list, rt_flush_dev) and net/core/dst.c; v4.4 re-homes to net->loopback_dev, v5.3 and later to
// blackhole_netdev.

#include <atomic>
#include <memory>

#include "refimpl/core/schedule.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

struct rtable {
  explicit rtable(net& n) : ns(n) {}
  net& ns;
  std::atomic<net_device*> dev{nullptr};  // holder::dst
  std::uint64_t rt_genid = 0;             // stale when it differs from the namespace's
  list_node<rtable> rt_uncached{this};    // on its device's list; under route_state::lock
};

struct route_state {
  lock_state lock{"rt_uncached_list.lock"};
  std::unique_ptr<net_device> blackhole_netdev;  // belongs to no namespace's lists
};

// A destination that the caller holds (a socket): looked up, on the uncached list of its device. errors: fib_lookup's,
// -ENOMEM.
result<rtable*> ip_route_output(net& n, std::uint32_t daddr);
void dst_release(rtable* rt);
bool rt_is_expired(const rtable& rt);
// After it no uncached destination is on dev (rule F8), except loopback's own in v4.4. locks: takes the list's lock. emits:
// rt_flush_dev. O(destinations on dev). machine_check when v4.4 meets a namespace without loopback.
void rt_flush_dev(net_device& dev);

}  // namespace quiesce::refimpl
