// SPDX-License-Identifier: MIT
#pragma once
// IPv6 FIB with expiring entries and exceptions. Mirrors net/ipv6/ip6_fib.c and net/ipv6/route.c, v4.4 (clones), v4.18 and
// later (fib6_info, exceptions), v6.9 and later (gc list). One table per namespace, an ordered map instead of the radix
// tree; its lock is tb6_lock.

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "refimpl/core/rcu.hpp"
#include "refimpl/core/timer.hpp"
#include "refimpl/net/fib6_gc_rules.hpp"
#include "refimpl/net/neigh.hpp"

namespace quiesce::refimpl {

struct rt6_exception {
  ip_key daddr;
  std::uint64_t lastuse = 0;  // jiffies
  std::uint64_t expires = 0;  // jiffies; 0: aged by gc_expire
};

struct fib6_info {
  fib6_info(net& n, net_device& d) : ns(n), nh_dev(d) {
    INIT_LIST_HEAD(&gc_link);
    INIT_LIST_HEAD(&nh_list);
  }
  net& ns;
  net_device& nh_dev;  // holder::fib6_nh until fib6_info_destroy_rcu
  ip_key dst;
  std::uint8_t plen = 128;
  std::uint32_t metric = 1024;
  std::uint64_t expires = 0;  // jiffies; 0: permanent
  std::atomic<int> fib6_ref{1};
  std::atomic<bool> in_table{false};
  std::list<rt6_exception> exceptions;  // each holder::dst on nh_dev; under tb6_lock
  list_node<fib6_info> gc_link{this};   // tb6_gc_hlist
  list_node<fib6_info> nh_list{this};   // dev->fib6_nh_head
  rcu_head rcu;
};

// What all namespaces share in v4.4.
struct fib6_gc_global {
  lock_state fib6_gc_lock{"fib6_gc_lock (global)"};
};

struct netns_ipv6 {
  netns_ipv6(net& n, unsigned hz);
  lock_state tb6_lock{"tb6_lock"};
  std::map<std::tuple<ip_key, std::uint8_t, std::uint32_t>, fib6_info*> table;  // under tb6_lock
  list_head tb6_gc_hlist;
  lock_state fib6_gc_lock{"fib6_gc_lock"};
  gc_parameters gc;  // jiffies
  std::atomic<std::int64_t> ip6_rt_last_gc{0}, ip6_rt_gc_expire{0};
  std::atomic<std::size_t> dst_entries{0};  // exceptions of the namespace
  timer_list ip6_fib_timer;
  inet6_dev* null_entry_idev = nullptr;  // a reference; under RTNL
  std::atomic<bool> exited{false};
  std::atomic<bool> forwarding{false};  // addresses then join anycast groups
};

struct fib6_config {
  ip_key dst;
  std::uint8_t plen = 128;
  std::uint32_t metric = 1024;
  net_device* dev = nullptr;
  std::uint64_t lifetime_ms = 0;  // 0: permanent
};

// locks: takes tb6_lock. errors: -ENODEV, -ENETDOWN, -EINVAL, -EEXIST, -ENOBUFS, -ENOMEM; del: -ESRCH, -EINVAL. O(log
// routes).
status ip6_route_add(net& n, const fib6_config& cfg);
status ip6_route_del(net& n, const ip_key& dst, std::uint8_t plen, std::uint32_t metric);
// A cached path MTU for `daddr` through the route dst/plen/metric: dst_alloc, which may run the collector or be refused,
// then rt6_insert_exception. lifetime_ms 0: aged by disuse. errors: -ENETUNREACH (no route), -ENOMEM, -ENOBUFS (refused:
// "Route cache is full").
status rt6_insert_exception(net& n, const ip_key& dst, std::uint8_t plen, std::uint32_t metric, const ip_key& daddr,
                            std::uint64_t lifetime_ms);
// Every route through dev goes. locks: takes tb6_lock. O(table), or O(routes of dev) with nexthop_index::per_device.
void rt6_disable_ip(net_device& dev);

// For addrconf: a route made and inserted, with an extra reference for the caller (fib6_info_release).
result<fib6_info*> addrconf_f6i_add(net& n, const fib6_config& cfg);
void fib6_info_release(fib6_info* f);  // the last one: call_rcu(fib6_info_destroy_rcu), which puts the device
std::size_t fib6_routes(net& n);

status fib6_net_init(net& n);
void fib6_net_exit(net& n);
void fib6_release(net& n);  // by ownership

}  // namespace quiesce::refimpl
