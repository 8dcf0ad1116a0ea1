// SPDX-License-Identifier: MIT
#pragma once
// Cached destinations: in a next hop or on the uncached list; what becomes of them when the device goes; rt_genid. Mirrors
// net/ipv4/route.c (rt_cache_route, rt_add_uncached_list, rt_flush_dev), net/ipv4/fib_semantics.c (rt_fibinfo_free) and
// net/core/dst.c. v4.4 re-homes to net->loopback_dev: uncached ones at NETDEV_UNREGISTER, those whose next hop was freed at
// NETDEV_UNREGISTER_FINAL (dst_dev_event). v5.3 and later re-home to blackhole_netdev, the latter kind as the next hop is
// freed.

#include <atomic>
#include <memory>

#include "refimpl/core/schedule.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

struct fib_info;

enum class dst_cache : std::uint8_t { uncached, nexthop };  // DST_NOCACHE, or nh_rth_output

// Under route_state::lock, except dev.
struct rtable {
  explicit rtable(net& n) : ns(n) {}
  net& ns;
  std::atomic<net_device*> dev{nullptr};  // holder::dst
  std::uint64_t rt_genid = 0;             // stale when it differs from the namespace's
  int refcnt = 0;                         // callers that hold it, and its next hop
  bool discard = false;                   // dst_discard: packets are dropped
  list_node<rtable> rt_uncached{this};    // its device's list; after its next hop was freed, v4.4's dst_busy_list
};

struct route_state {
  route_state() { INIT_LIST_HEAD(&dst_busy_list); }
  lock_state lock{"rt_uncached_list.lock"};
  std::unique_ptr<net_device> blackhole_netdev;  // belongs to no namespace's lists
  list_head dst_busy_list;                       // v4.4: freed by its next hop, still held
};

// A destination that the caller holds (a socket): looked up; a new one on its device's uncached list, or the next hop's,
// which callers share and a change of rt_genid replaces. errors: fib_lookup's, -ENOMEM.
result<rtable*> ip_route_output(net& n, std::uint32_t daddr, dst_cache cache = dst_cache::uncached);
void dst_release(rtable* rt);
bool rt_is_expired(const rtable& rt);
// The next hops of fi let go of their destinations; called as fi is freed, after a grace period.
void rt_fibinfo_free(stack& s, fib_info& fi);
// After it no uncached destination is on dev (rule F8), except loopback's own in v4.4. locks: takes the list's lock. emits:
// rt_flush_dev. O(destinations on dev). machine_check when v4.4 meets a namespace without loopback.
void rt_flush_dev(net_device& dev);

}  // namespace quiesce::refimpl
