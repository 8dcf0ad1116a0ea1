// SPDX-License-Identifier: MIT
// IPv4 routes, addresses, neighbours and cached destinations, by variant.
#include "refimpl/net/route.hpp"
#include "tests/unit/refimpl/support.hpp"

namespace quiesce::refimpl {
namespace {

// Devices d0.. up with an address each, and `routes` through a device "stays".
void populate(world& w, net& n, int devices, int routes, bool addresses = true) {
  net_device& stays = w.add(n, "stays");
  EXPECT_TRUE(inet_rtm_newaddr(n, "stays", ip(10, 255, 0, 1), 16));
  for (int i = 0; i < routes; ++i) EXPECT_TRUE(w.route(n, ip(20, i >> 8, i & 255, 0), 24, stays, ip(10, 255, 0, 2)));
  for (int i = 0; i < devices; ++i) {
    const std::string name = "d" + std::to_string(i);
    net_device& dev = w.add(n, name);
    if (addresses) {
      EXPECT_TRUE(inet_rtm_newaddr(n, name, ip(10, i >> 8, i & 255, 1), 24));
    } else {
      EXPECT_TRUE(w.route(n, ip(30, i >> 8, i & 255, 0), 24, dev));
    }
  }
}

std::vector<std::string> names(int devices) {
  std::vector<std::string> out;
  for (int i = 0; i < devices; ++i) out.push_back("d" + std::to_string(i));
  return out;
}

struct cost {
  std::uint64_t flushes, walked, aliases, from_address, neigh_walks;
};
cost delete_in_one_batch(const char* v, int devices, int routes, bool addresses) {
  world w(v);
  net& n = w.new_net();
  populate(w, n, devices, routes, addresses);
  const auto& c = w.s.counters;
  const cost before{c.fib_flush, c.fib_tables_walked, c.fib_aliases_visited, c.fib_flush_from_address, c.neigh_walks};
  EXPECT_TRUE(rtnl_delete_links(n, names(devices))) << v;
  EXPECT_CONSISTENT(w) << v;
  return {c.fib_flush - before.flushes, c.fib_tables_walked - before.walked, c.fib_aliases_visited - before.aliases,
          c.fib_flush_from_address - before.from_address, c.neigh_walks - before.neigh_walks};
}

TEST(FlushCost, IsAWalkPerDeviceBeforeTheSeriesAndAtMostTwoPerNamespaceAfterTheReview) {
  for (bool addresses : {true, false}) {
    EXPECT_GE(delete_in_one_batch("K44", 10, 50, addresses).flushes, 10u);
    for (const char* v : {"P1b", "J1", "J2"}) {
      const cost c = delete_in_one_batch(v, 10, 50, addresses);
      EXPECT_LE(c.flushes - c.from_address, 2u) << v;
    }
  }
}

TEST(FlushCost, OfTheReferenceIsTheAffectedRoutesOnly) {
  const cost few = delete_in_one_batch("reference", 10, 50, true), many = delete_in_one_batch("reference", 10, 200, true);
  EXPECT_EQ(0u, few.walked);
  EXPECT_EQ(few.aliases, many.aliases);
  EXPECT_LE(few.aliases, 10u * 4);
}

TEST(FlushCost, OneByOneTheSeriesSavesNothing) {
  const auto one_by_one = [](const char* v) {
    world w(v);
    net& n = w.new_net();
    populate(w, n, 5, 20);
    const auto before = w.s.counters.fib_flush.load();
    for (const auto& name : names(5)) EXPECT_TRUE(rtnl_dellink(n, name));
    return w.s.counters.fib_flush.load() - before;
  };
  EXPECT_EQ(one_by_one("K44"), one_by_one("J1"));
}

TEST(FlushCost, WhatTheUninitialisedNodeSavesIsTheFlushItself) {
  world w("P1a");
  net& n = w.new_net();
  populate(w, n, 3, 5, false);
  const auto before = w.s.counters.fib_flush.load();
  EXPECT_TRUE(w.locked([&] { return dev_close(*__dev_get_by_name(n, "d0")); }));
  EXPECT_EQ(before, w.s.counters.fib_flush.load());
  EXPECT_TRUE(n.ipv4->needs_fib_flush);  // with RTNL free
  const auto found = w.s.check_consistency();
  EXPECT_NE(found.end(), std::find_if(found.begin(), found.end(), [](const auto& l) { return l.starts_with("F1"); }));
  EXPECT_NE(found.end(), std::find_if(found.begin(), found.end(), [](const auto& l) { return l.starts_with("F3"); }));
}

TEST(Routes, ADeviceWithUnflushedRoutesWaitsForTheRebroadcast) {
  world w("P1a");
  net& n = w.new_net();
  populate(w, n, 1, 0, false);
  const auto begin = w.s.sched.now();
  EXPECT_TRUE(rtnl_dellink(n, "d0"));  // the rebroadcast sends the batch event directly, which flushes
  EXPECT_GT(w.s.sched.now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(1u, w.s.counters.rebroadcasts.load());
}

TEST(Routes, AMissedFlushLetsRoutesOfADeviceThatComesUpAgainResurrect) {
  for (const char* v : {"P1a", "J1", "reference", "K44"}) {
    world w(v);
    net& n = w.new_net();
    populate(w, n, 1, 0, false);
    EXPECT_TRUE(do_setlink_up(n, "d0", false));
    EXPECT_CODE(enetunreach, fib_lookup(n, ip(30, 0, 0, 5))) << v;  // dead, or gone
    EXPECT_TRUE(do_setlink_up(n, "d0", true));
    result<fib_result> again = fib_lookup(n, ip(30, 0, 0, 5));
    EXPECT_EQ(std::string(v) == "P1a", static_cast<bool>(again)) << v;
    if (again) fib_info_put(again.value().fi);
  }
}

TEST(Routes, TheLongestPrefixWinsAndLocalComesBeforeMain) {
  world w("6.1");
  net& n = w.new_net();
  net_device &a = w.add(n, "a"), &b = w.add(n, "b");
  EXPECT_TRUE(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_TRUE(w.route(n, ip(10, 0, 0, 0), 8, b));
  EXPECT_TRUE(w.route(n, 0, 0, a, ip(10, 0, 0, 254)));
  const auto via = [&](std::uint32_t daddr) {
    result<fib_result> r = fib_lookup(n, daddr);
    if (!r) return std::string(name(r.code()));
    const std::string text = r.value().dev->name + "/" + std::to_string(r.value().prefixlen);
    fib_info_put(r.value().fi);
    return text;
  };
  EXPECT_EQ("a/32", via(ip(10, 0, 0, 1)));
  EXPECT_EQ("a/24", via(ip(10, 0, 0, 77)));
  EXPECT_EQ("b/8", via(ip(10, 7, 0, 77)));
  EXPECT_EQ("a/0", via(ip(192, 0, 2, 1)));
}

TEST(Routes, AMultipathRouteLivesWhileOneNextHopDoesAndDiesWithAnyDeviceThatIsUnregistered) {
  for (const char* v : {"K44", "J1", "6.18", "reference"}) {
    world w(v);
    net& n = w.new_net();
    net_device &a = w.add(n, "a"), &b = w.add(n, "b");
    fib_config cfg;
    cfg.fc_dst = ip(10, 0, 0, 0);
    cfg.fc_dst_len = 8;
    cfg.fc_scope = RT_SCOPE_LINK;
    cfg.nexthops = {{&a, 0, 1}, {&b, 0, 1}};
    EXPECT_TRUE(w.locked([&] { return fib_table_insert(n, cfg); }));
    EXPECT_TRUE(do_setlink_up(n, "a", false));
    result<fib_result> r = fib_lookup(n, ip(10, 1, 1, 1));
    ASSERT_TRUE(r) << v;
    EXPECT_EQ(&b, r.value().dev);
    fib_info_put(r.value().fi);
    EXPECT_TRUE(rtnl_dellink(n, "a"));
    EXPECT_CODE(enetunreach, fib_lookup(n, ip(10, 1, 1, 1))) << v;
    EXPECT_CONSISTENT(w);
  }
}

TEST(Routes, EqualNextHopsShareOneInfo) {
  world w("6.1");
  net& n = w.new_net();
  net_device& a = w.add(n, "a");
  const std::size_t before = w.s.fib->fib_info_cnt;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(w.route(n, ip(10, 0, i, 0), 24, a));
  EXPECT_EQ(before + 1, w.s.fib->fib_info_cnt);
  EXPECT_EQ(1, a.refs.of(holder::fib_nh));
}

TEST(Addresses, BringTheirRoutesAndTakeThemAway) {
  world w("6.1");
  net& n = w.new_net();
  w.add(n, "a");
  EXPECT_TRUE(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_EQ(3u, fib_dump(n).size());  // local, prefix, broadcast
  EXPECT_TRUE(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 2), 24));
  EXPECT_EQ(4u, fib_dump(n).size());  // a secondary: only its local route
  EXPECT_TRUE(inet_rtm_deladdr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_TRUE(fib_dump(n).empty());  // a primary takes its secondaries with it
  EXPECT_CONSISTENT(w);
}

TEST(Addresses, OfADeviceThatIsDownHaveOnlyTheLocalRouteUntilItIsUp) {
  world w("6.1");
  net& n = w.new_net();
  w.add(n, "a", false);
  EXPECT_TRUE(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_EQ(1u, fib_dump(n).size());
  EXPECT_TRUE(do_setlink_up(n, "a", true));
  EXPECT_EQ(3u, fib_dump(n).size());
  EXPECT_TRUE(do_setlink_up(n, "a", false));
  EXPECT_EQ(1u, fib_dump(n).size());
}

TEST(CachedDestinations, LeaveAnUnregisteredDeviceForTheVariantsHome) {
  for (const char* v : {"K44", "6.1", "reference"}) {
    world w(v);
    net& n = w.new_net();
    EXPECT_TRUE(do_setlink_up(n, "lo", true));
    net_device& a = w.add(n, "a");
    EXPECT_TRUE(w.route(n, ip(10, 0, 0, 0), 8, a));
    rtable* rt = ip_route_output(n, ip(10, 1, 1, 1)).value();
    EXPECT_EQ(&a, rt->dev.load());
    EXPECT_TRUE(rtnl_dellink(n, "a"));  // does not wait for the socket that holds rt
    EXPECT_TRUE(rt_is_expired(*rt));
    EXPECT_EQ(std::string(v) == "K44" ? "lo" : "blackhole_dev", rt->dev.load()->name) << v;
    dst_release(rt);
    EXPECT_CONSISTENT(w);
  }
}

// A next hop's destination that a socket holds: v4.4 parks it when the next hop is freed and moves it at UNREGISTER_FINAL
// (dst_dev_event); later kernels move it as the next hop is freed.
TEST(CachedDestinations, OfANextHopLeaveAnUnregisteredDevice) {
  for (const char* v : {"K44", "J1", "6.1", "reference"}) {
    world w(v);
    net& n = w.new_net();
    EXPECT_TRUE(do_setlink_up(n, "lo", true));
    net_device& a = w.add(n, "a");
    EXPECT_TRUE(w.route(n, ip(10, 0, 0, 0), 8, a));
    rtable* rt = ip_route_output(n, ip(10, 1, 1, 1), dst_cache::nexthop).value();
    EXPECT_FALSE(rt->discard);
    EXPECT_TRUE(rtnl_dellink(n, "a"));
    EXPECT_TRUE(rt->discard);
    EXPECT_STREQ(w.s.policy.unregister_final ? "lo" : "blackhole_dev", rt->dev.load()->name.c_str()) << v;
    dst_release(rt);
    EXPECT_CONSISTENT(w);
  }
}

TEST(CachedDestinations, OfANextHopAreSharedUntilTheGenerationChanges) {
  for (const char* v : {"K44", "6.1"}) {
    world w(v);
    net& n = w.new_net();
    net_device& a = w.add(n, "a");
    EXPECT_TRUE(w.route(n, ip(10, 0, 0, 0), 8, a));
    rtable* first = ip_route_output(n, ip(10, 1, 1, 1), dst_cache::nexthop).value();
    EXPECT_EQ(first, ip_route_output(n, ip(10, 2, 2, 2), dst_cache::nexthop).value());
    EXPECT_TRUE(w.route(n, ip(20, 0, 0, 0), 8, a));  // rt_cache_flush
    rtable* second = ip_route_output(n, ip(10, 1, 1, 1), dst_cache::nexthop).value();
    EXPECT_NE(first, second);
    EXPECT_EQ(&a, first->dev.load()) << "it stays with its device until that goes";
    EXPECT_FALSE(first->discard);
    dst_release(first);
    dst_release(first);
    dst_release(second);
    EXPECT_TRUE(rtnl_dellink(n, "a"));  // does not wait: the next hop's own reference is dropped with it
    EXPECT_CONSISTENT(w);
  }
}

// --- neighbours ---

struct neighbour_world : world {
  explicit neighbour_world(const char* v) : world(v), n(new_net()), other(new_net()) {
    for (const char* name : {"up", "down", "goes"}) add(n, name);
    add(other, "far");
    EXPECT_TRUE(do_setlink_up(n, "down", false));
    EXPECT_TRUE(do_setlink_up(other, "far", false));
    for (const char* name : {"up", "down", "goes"}) permanent(n, name);
    permanent(other, "far");
    EXPECT_TRUE(neigh_add(*s.arp_tbl, n, nullptr, ipv4_key(99), true));  // a proxy entry for every device
    EXPECT_TRUE(neigh_add(*s.arp_tbl, other, dev(other, "far"), ipv4_key(98), true));
  }
  net_device* dev(net& m, const char* name) { return __dev_get_by_name(m, name); }
  void permanent(net& m, const char* name) { EXPECT_TRUE(neigh_add(*s.arp_tbl, m, dev(m, name), ipv4_key(7), false)); }
  bool has(net& m, const char* name) {
    neighbour* found = neigh_lookup(*s.arp_tbl, ipv4_key(7), *dev(m, name));
    if (found != nullptr) neigh_release(found);
    return found != nullptr;
  }
  net& n;
  net& other;
};

TEST(Neighbours, OfOtherDevicesAndProxiesSurviveAnInterfaceThatGoesDownExceptInTheSeries) {
  for (const char* v : {"K44", "H09", "P1b", "J1", "E1", "6.1", "6.18", "reference"}) {
    neighbour_world w(v);
    EXPECT_TRUE(do_setlink_up(w.n, "goes", false));
    const std::string text = v;
    const bool series = text == "P1b" || text == "J1" || text == "E1";
    EXPECT_FALSE(w.has(w.n, "goes")) << v;
    EXPECT_TRUE(w.has(w.n, "up")) << v;
    EXPECT_EQ(!series, w.has(w.n, "down")) << v << ": configured on a device that was down before";
    EXPECT_EQ(!series, w.has(w.other, "far")) << v << ": another namespace";
    EXPECT_EQ(!series, pneigh_lookup(*w.s.arp_tbl, w.n, nullptr, ipv4_key(99))) << v << ": a proxy entry without a device";
    EXPECT_EQ(!series, pneigh_lookup(*w.s.arp_tbl, w.other, w.dev(w.other, "far"), ipv4_key(98))) << v;
    EXPECT_CONSISTENT(w) << v;
  }
}

TEST(Neighbours, WalkTheWholeTableOrOnlyTheDevicesList) {
  const auto visited = [](const char* v) {
    world w(v);
    net& n = w.new_net();
    net_device& stays = w.add(n, "stays");
    w.add(n, "goes");
    for (std::uint32_t i = 1; i <= 100; ++i) EXPECT_TRUE(neigh_add(*w.s.arp_tbl, n, &stays, ipv4_key(i), false));
    const auto before = w.s.counters.neighbours_visited.load();
    EXPECT_TRUE(rtnl_dellink(n, "goes"));
    return w.s.counters.neighbours_visited.load() - before;
  };
  EXPECT_GE(visited("K44"), 200u);
  EXPECT_EQ(0u, visited("6.18"));
  EXPECT_EQ(0u, visited("reference"));
}

TEST(Neighbours, AnEntryThatIsStillHeldIsBlackholedAndFreedByItsHolder) {
  simulated_driver driver;
  world w("6.1");
  net& n = w.new_net();
  net_device& dev = w.add(n, "a", true, &driver);
  neighbour* held = neigh_create(*w.s.arp_tbl, ipv4_key(1), dev).value();
  EXPECT_TRUE(neigh_event_send(*held));
  EXPECT_EQ(1u, held->arp_queue);
  EXPECT_TRUE(do_setlink_up(n, "a", false));
  EXPECT_TRUE(held->dead && held->blackhole);
  EXPECT_EQ(0u, held->arp_queue);
  EXPECT_CODE(ehostunreach, neigh_event_send(*held));
  EXPECT_CODE(einval, neigh_update(*held, NUD_REACHABLE));
  EXPECT_EQ(0, driver.neighbours_destroyed.load());
  neigh_release(held);
  EXPECT_EQ(1, driver.neighbours_destroyed.load());
  EXPECT_EQ(0, dev.refs.of(holder::neighbour));
}

TEST(Neighbours, ResolutionThatNobodyAnswersFails) {
  world w("6.1");
  net& n = w.new_net();
  net_device& dev = w.add(n, "a");
  neighbour* held = neigh_create(*w.s.arp_tbl, ipv4_key(1), dev).value();
  EXPECT_TRUE(neigh_event_send(*held));
  w.env.sched.advance(std::chrono::seconds(10));
  EXPECT_EQ(NUD_FAILED, held->nud_state);
  neigh_release(held);
  EXPECT_TRUE(rtnl_dellink(n, "a"));
}

TEST(ProxyQueue, IsPurgedOfEverythingPerNamespaceOrPerDevice) {
  const auto left = [](const char* v) {
    world w(v);
    net &n = w.new_net(), &other = w.new_net();
    net_device &a = w.add(n, "a"), &b = w.add(n, "b"), &c = w.add(other, "c");
    for (net_device* d : {&a, &b, &c}) EXPECT_TRUE(pneigh_enqueue(*w.s.arp_tbl, *d, ipv4_key(1), 500));
    EXPECT_TRUE(do_setlink_up(n, "a", false));
    EXPECT_CONSISTENT(w) << v;
    const std::size_t queued = w.s.arp_tbl->proxy_queue.size();
    w.env.sched.advance(std::chrono::seconds(1));
    EXPECT_TRUE(w.s.arp_tbl->proxy_queue.empty()) << v;
    return queued;
  };
  EXPECT_EQ(0u, left("K44"));
  EXPECT_EQ(1u, left("6.1"));
  EXPECT_EQ(2u, left("reference"));
}

}  // namespace
}  // namespace quiesce::refimpl
