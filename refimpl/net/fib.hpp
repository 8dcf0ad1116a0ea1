// SPDX-License-Identifier: MIT
#pragma once
// IPv4 FIB: tables, prefixes, fib_info with next hops. Mirrors net/ipv4/fib_trie.c, fib_semantics.c, fib_frontend.c; v4.4,
// v6.1 and, for the per-device next hops, v6.18. A table is a path-compressed binary trie (no level compression); addresses
// are in host byte order. Readers (fib_lookup) run under RCU, writers under RTNL. Removed aliases, nodes and fib_infos are
// freed by call_rcu.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "refimpl/core/event.hpp"
#include "refimpl/core/rcu.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

inline constexpr std::uint8_t RT_SCOPE_UNIVERSE = 0, RT_SCOPE_LINK = 253, RT_SCOPE_HOST = 254, RT_SCOPE_NOWHERE = 255;
inline constexpr std::uint8_t RTNH_F_DEAD = 1, RTNH_F_LINKDOWN = 16;
inline constexpr std::uint32_t RT_TABLE_MAIN = 254, RT_TABLE_LOCAL = 255;
enum class rtn : std::uint8_t { unicast = 1, local = 2, broadcast = 3, blackhole = 6, unreachable = 7 };
enum class rtprot : std::uint8_t { kernel = 2, boot = 3, static_route = 4 };

struct fib_info;
struct rtable;  // net/route.hpp

struct fib_nh {
  fib_info* nh_parent = nullptr;
  net_device* nh_dev = nullptr;  // holder::fib_nh; NULL for blackhole routes
  std::atomic<std::uint8_t> nh_flags{0};
  std::uint8_t nh_scope = RT_SCOPE_NOWHERE;
  std::uint32_t nh_gw = 0;
  int nh_weight = 1;
  rtable* nh_rth_output = nullptr;  // the destination that callers share; under route_state::lock
  list_node<fib_nh> nh_hash{this};  // fib_info_devhash bucket, or dev->fib_nh_head
};

struct fib_alias;

struct fib_info {
  explicit fib_info(net& n) : fib_net(n) {
    INIT_LIST_HEAD(&aliases);
    INIT_LIST_HEAD(&dead_list);
  }
  net& fib_net;
  std::vector<std::unique_ptr<fib_nh>> nhs;
  std::atomic<std::uint8_t> fib_flags{0};
  int fib_treeref = 0;              // aliases; under RTNL
  std::atomic<int> fib_clntref{1};  // tree and readers
  bool fib_dead = false;
  rtprot protocol = rtprot::boot;
  std::uint8_t scope = RT_SCOPE_UNIVERSE;
  rtn type = rtn::unicast;
  std::uint32_t priority = 0;
  std::uint32_t prefsrc = 0;
  std::size_t hash = 0;
  list_head aliases;                    // fib_flush_rule::affected: who uses it
  list_node<fib_info> dead_list{this};  // fib_flush_rule::affected: marked, not yet flushed
  rcu_head rcu;
};

struct fib_leaf;

struct fib_alias {
  fib_alias(fib_info& i, fib_leaf& l) : fa_info(i), leaf(l) { INIT_LIST_HEAD(&info_list); }
  fib_info& fa_info;
  fib_leaf& leaf;
  std::atomic<fib_alias*> next{nullptr};  // leaf's list: longest prefix first, then ascending priority
  list_node<fib_alias> info_list{this};
  std::uint8_t plen = 32;
  rtn type = rtn::unicast;
  rcu_head rcu;
};

struct fib_trie;  // net/fib_trie.hpp

struct fib_table {
  explicit fib_table(std::uint32_t id);
  ~fib_table();
  const std::uint32_t tb_id;
  std::unique_ptr<fib_trie> trie;
  std::size_t tb_num_default = 0;
};

struct netns_ipv4 {
  std::vector<std::unique_ptr<fib_table>> tables;  // local first, main, then others in order of creation; grows under RTNL
  std::atomic<fib_table*> local{nullptr}, main{nullptr};
  bool needs_fib_flush = false;   // the 2016 series; under RTNL
  bool removing_address = false;  // for stack_counters::fib_flush_from_address
  std::atomic<std::uint64_t> rt_genid{0}, dev_addr_genid{0};
  std::size_t routes = 0;
  std::unordered_map<std::uint32_t, int> local_addresses;  // inet_addr_lst: addresses and how often; under RTNL
  list_head dead_infos;                                    // fib_flush_rule::affected
};

// What all namespaces share, as in v4.4: the hashes of fib_semantics.c. Under RTNL (fib_info_lock in the kernel).
struct fib_state {
  fib_state();
  std::array<list_head, 256> fib_info_devhash;
  std::unordered_multimap<std::size_t, fib_info*> fib_info_hash;
  std::unordered_multimap<std::uint32_t, fib_info*> fib_info_laddrhash;  // by prefsrc
  std::size_t fib_info_cnt = 0;
};

struct fib_nexthop_config {
  net_device* dev = nullptr;
  std::uint32_t gw = 0;
  int weight = 1;
};

struct fib_config {
  std::uint32_t fc_table = RT_TABLE_MAIN;
  std::uint32_t fc_dst = 0;
  std::uint8_t fc_dst_len = 32;
  rtn fc_type = rtn::unicast;
  std::uint8_t fc_scope = RT_SCOPE_UNIVERSE;
  rtprot fc_protocol = rtprot::static_route;
  std::uint32_t fc_priority = 0;
  std::uint32_t fc_prefsrc = 0;
  bool fc_append = false;  // NLM_F_APPEND, as fib_magic: beside another of the prefix and priority, unless it is the same
  std::vector<fib_nexthop_config> nexthops;  // empty only for blackhole, unreachable
};

// locks: RTNL. before: nexthop devices up and in the namespace. emits: rt_cache_flush. errors: -EPERM, -EINVAL (length, host
// bits, no nexthop, scope), -ENODEV, -ENETDOWN, -ENETUNREACH (gateway not on link), -EEXIST (prefix and priority taken),
// -ENOBUFS (max_routes), -ENOMEM. O(32) besides the gateway's look-up.
status fib_table_insert(net& n, const fib_config& cfg);
// errors: -EPERM, -ESRCH, -EINVAL. The first alias that matches type, scope, priority (0: any) and nexthop (none: any) goes.
status fib_table_delete(net& n, const fib_config& cfg);

struct fib_result {
  fib_info* fi = nullptr;     // with a reference: fib_info_put(stack, fi)
  net_device* dev = nullptr;  // valid while fi is held
  std::uint8_t prefixlen = 0;
  rtn type = rtn::unicast;
};
// local then main. A dead fib_info or next hop is never returned (rule F6). errors: -ENETUNREACH, -EHOSTUNREACH, -EINVAL
// (blackhole). locks: takes an RCU read section. O(33 * 32).
result<fib_result> fib_lookup(net& n, std::uint32_t daddr);
void fib_info_put(fib_info* fi);

// Marks next hops on dev, and infos without a live one (all, on NETDEV_UNREGISTER, if one next hop is on dev, rule F4),
// dead; returns how many infos are dead, those marked before included. locks: RTNL. emits: fib_sync_down_dev. O(bucket) or
// O(next hops of dev).
int fib_sync_down_dev(net_device& dev, event_kind event, bool force);
int fib_sync_down_addr(net& n, std::uint32_t local);
// Clears `nh_flags` on infos of dev that were not flushed: dead ones live again. emits: fib_sync_up.
int fib_sync_up(net_device& dev, std::uint8_t nh_flags);
// Removes every alias whose fib_info is dead; returns how many. locks: RTNL. emits: fib_flush. O(all aliases of the
// namespace), or O(removed) with fib_flush_rule::affected.
int fib_flush(net& n);
void rt_cache_flush(net& n);
void fib_disable_ip(net_device& dev, event_kind event, bool force);

struct in_ifaddr;
void fib_add_ifaddr(in_ifaddr& ifa);
void fib_del_ifaddr(in_ifaddr& ifa);
// The inetaddr chain's handler: NETDEV_UP and NETDEV_DOWN of an address.
void fib_inetaddr_event(in_ifaddr& ifa, event_kind event);

// Walks every alias of the namespace. For dumps, checks and tests; under RTNL or when quiet.
struct route_view {
  std::uint32_t table, dst;
  std::uint8_t plen;
  const fib_info* fi;
  rtn type;
};
std::vector<route_view> fib_dump(const net& n);

status fib_net_init(net& n);  // -ENOMEM
void fib_net_exit(net& n);    // by ownership: what is left is freed at once

}  // namespace quiesce::refimpl
