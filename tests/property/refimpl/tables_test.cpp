// SPDX-License-Identifier: MIT
// The tables against simple sequential models: routes in a map, neighbours in a set, references in counters. Random
// commands, and every variant that keeps its tables must agree with the model after each.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include <map>
#include <memory>
#include <set>

#include "refimpl/net/fib.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/rtnetlink.hpp"

namespace quiesce::refimpl {
namespace {

constexpr int devices = 3;
std::string dev_name(int d) { return "d" + std::to_string(d); }

struct subject {
  explicit subject(const std::string& variant_name)
      : s(variant(variant_name), env.sched, env.rcu), n(*setup_net(s).value()) {
    for (int d = 0; d < devices; ++d) make(d);
  }
  void make(int d) {
    link_request r;
    r.name = dev_name(d);
    RC_ASSERT(static_cast<bool>(rtnl_newlink(n, r)));
  }
  net_device& dev(int d) { return *__dev_get_by_name(n, dev_name(d)); }
  void consistent() {
    const auto found = s.check_consistency();
    if (!found.empty()) RC_FAIL(found.front());
  }
  simulated_environment env;
  stack s;
  net& n;
};

// --- routes ---

struct route_model {
  std::array<bool, devices> up{};
  std::map<std::pair<std::uint32_t, int>, int> routes;  // prefix and length: device
};

std::uint32_t mask(int plen) { return plen == 0 ? 0 : ~std::uint32_t{0} << (32 - plen); }

using route_command = rc::state::Command<route_model, subject>;

struct set_up : route_command {
  int d = *rc::gen::inRange(0, devices);
  bool on = *rc::gen::arbitrary<bool>();
  void apply(route_model& m) const override {
    m.up[static_cast<std::size_t>(d)] = on;
    if (!on) std::erase_if(m.routes, [&](const auto& r) { return r.second == d; });
  }
  void run(const route_model&, subject& x) const override {
    RC_ASSERT(static_cast<bool>(do_setlink_up(x.n, dev_name(d), on)));
    x.consistent();
  }
  void show(std::ostream& os) const override { os << dev_name(d) << (on ? " up" : " down"); }
};

struct recreate : route_command {
  int d = *rc::gen::inRange(0, devices);
  void apply(route_model& m) const override {
    m.up[static_cast<std::size_t>(d)] = false;
    std::erase_if(m.routes, [&](const auto& r) { return r.second == d; });
  }
  void run(const route_model&, subject& x) const override {
    RC_ASSERT(static_cast<bool>(rtnl_dellink(x.n, dev_name(d))));
    x.consistent();
    x.make(d);
  }
  void show(std::ostream& os) const override { os << "delete and make " << dev_name(d); }
};

struct prefix {
  int plen = *rc::gen::element(0, 8, 15, 16, 23, 24, 31, 32);
  std::uint32_t dst = (*rc::gen::inRange<std::uint32_t>(0, 8) << 29 | *rc::gen::inRange<std::uint32_t>(0, 16) << 13 |
                       *rc::gen::inRange<std::uint32_t>(0, 4)) &
                      mask(plen);
};

fib_config config(subject& x, const prefix& p, int d) {
  fib_config cfg;
  cfg.fc_dst = p.dst;
  cfg.fc_dst_len = static_cast<std::uint8_t>(p.plen);
  cfg.fc_scope = RT_SCOPE_LINK;
  if (d >= 0) cfg.nexthops = {{&x.dev(d), 0, 1}};
  return cfg;
}

template <class F>
status locked(stack& s, F f) {
  rtnl_guard held(s);
  status r = f();
  RC_ASSERT(static_cast<bool>(held.release()));
  return r;
}

struct add_route : route_command {
  prefix p;
  int d = *rc::gen::inRange(0, devices);
  bool possible(const route_model& m) const {
    return m.up[static_cast<std::size_t>(d)] && m.routes.count({p.dst, p.plen}) == 0;
  }
  void apply(route_model& m) const override {
    if (possible(m)) m.routes[{p.dst, p.plen}] = d;
  }
  void run(const route_model& m, subject& x) const override {
    const status r = locked(x.s, [&] { return fib_table_insert(x.n, config(x, p, d)); });
    RC_ASSERT(static_cast<bool>(r) == possible(m));
    if (!r) RC_ASSERT(r.code() == (m.up[static_cast<std::size_t>(d)] ? error::eexist : error::enetdown));
    x.consistent();
  }
  void show(std::ostream& os) const override { os << "add " << p.dst << "/" << p.plen << " dev " << dev_name(d); }
};

struct delete_route : route_command {
  prefix p;
  void apply(route_model& m) const override { m.routes.erase({p.dst, p.plen}); }
  void run(const route_model& m, subject& x) const override {
    const status r = locked(x.s, [&] { return fib_table_delete(x.n, config(x, p, -1)); });
    RC_ASSERT(r.code() == (m.routes.count({p.dst, p.plen}) != 0 ? error::none : error::esrch));
    x.consistent();
  }
  void show(std::ostream& os) const override { os << "delete " << p.dst << "/" << p.plen; }
};

struct look_up : route_command {
  prefix near;
  std::uint32_t daddr = near.dst | *rc::gen::inRange<std::uint32_t>(0, 600);
  int expected(const route_model& m) const {
    for (int plen = 32; plen >= 0; --plen)
      if (auto at = m.routes.find({daddr & mask(plen), plen}); at != m.routes.end()) return at->second;
    return -1;
  }
  void run(const route_model& m, subject& x) const override {
    result<fib_result> r = fib_lookup(x.n, daddr);
    const int want = expected(m);
    RC_ASSERT(static_cast<bool>(r) == (want >= 0));
    if (!r) return;
    RC_ASSERT(r.value().dev->name == dev_name(want));
    fib_info_put(r.value().fi);
  }
  void show(std::ostream& os) const override { os << "look up " << daddr; }
};

// Variants whose flush comes before RTNL is dropped. (P1a and P1i never flush: the model would not hold, as the unit tests
// show.)
const char* const flushing[] = {"K44", "H09", "P1b", "J1", "J2", "E1", "6.1", "6.18", "reference"};

TEST(RouteTable, AgreesWithAMapOfPrefixes) {
  for (const char* v : flushing)
    EXPECT_TRUE(rc::check(std::string("routes of ") + v, [&] {
      subject x(v);
      rc::state::check(route_model{}, x,
                       rc::state::gen::execOneOfWithArgs<set_up, recreate, add_route, add_route, add_route, delete_route,
                                                         look_up, look_up>());
    }));
}

// --- neighbours and references ---

struct neighbour_model {
  std::array<bool, devices> up{};
  std::set<std::pair<int, int>> entries;  // device, key
  std::set<std::pair<int, int>> proxies;
  std::multiset<int> held;  // user references per device
};

using neighbour_command = rc::state::Command<neighbour_model, subject>;

void agree(const neighbour_model& m, subject& x) {
  for (int d = 0; d < devices; ++d) {
    std::int64_t entries = 0, proxies = 0;
    for (int k = 1; k <= 4; ++k) {
      const bool want = m.entries.count({d, k}) != 0;
      entries += want ? 1 : 0;
      proxies += m.proxies.count({d, k}) != 0 ? 1 : 0;
      neighbour* n = neigh_lookup(*x.s.arp_tbl, ipv4_key(static_cast<std::uint32_t>(k)), x.dev(d));
      if (n != nullptr) neigh_release(n);
      RC_ASSERT((n != nullptr) == want);
    }
    const device_references& refs = x.dev(d).refs;
    RC_ASSERT(refs.of(holder::neighbour) == entries);
    RC_ASSERT(refs.of(holder::pneigh) == proxies);
    RC_ASSERT(refs.of(holder::user) == static_cast<std::int64_t>(m.held.count(d)));
    RC_ASSERT(refs.of(holder::registration) == 1);
  }
  x.consistent();
}

void device_gone_down(neighbour_model& m, int d) {
  std::erase_if(m.entries, [&](const auto& e) { return e.first == d; });
  std::erase_if(m.proxies, [&](const auto& e) { return e.first == d; });
}

struct neighbour_up : neighbour_command {
  int d = *rc::gen::inRange(0, devices);
  bool on = *rc::gen::arbitrary<bool>();
  void apply(neighbour_model& m) const override {
    const bool was = m.up[static_cast<std::size_t>(d)];
    m.up[static_cast<std::size_t>(d)] = on;
    if (was && !on) device_gone_down(m, d);
  }
  void run(const neighbour_model& before, subject& x) const override {
    RC_ASSERT(static_cast<bool>(do_setlink_up(x.n, dev_name(d), on)));
    agree(nextState(before), x);
  }
  void show(std::ostream& os) const override { os << dev_name(d) << (on ? " up" : " down"); }
};

struct neighbour_delete_device : neighbour_command {
  int d = *rc::gen::inRange(0, devices);
  void checkPreconditions(const neighbour_model& m) const override { RC_PRE(m.held.count(d) == 0); }
  void apply(neighbour_model& m) const override {
    m.up[static_cast<std::size_t>(d)] = false;
    device_gone_down(m, d);
  }
  void run(const neighbour_model& before, subject& x) const override {
    RC_ASSERT(static_cast<bool>(rtnl_dellink(x.n, dev_name(d))));
    x.make(d);
    agree(nextState(before), x);
  }
  void show(std::ostream& os) const override { os << "delete and make " << dev_name(d); }
};

struct neighbour_change : neighbour_command {
  int d = *rc::gen::inRange(0, devices), k = *rc::gen::inRange(1, 5);
  bool add = *rc::gen::arbitrary<bool>(), proxy = *rc::gen::arbitrary<bool>();
  void apply(neighbour_model& m) const override {
    auto& table = proxy ? m.proxies : m.entries;
    if (add) {
      table.insert({d, k});
    } else {
      table.erase({d, k});
    }
  }
  void run(const neighbour_model& before, subject& x) const override {
    const bool there = (proxy ? before.proxies : before.entries).count({d, k}) != 0;
    const ip_key key = ipv4_key(static_cast<std::uint32_t>(k));
    const status r =
        add ? neigh_add(*x.s.arp_tbl, x.n, &x.dev(d), key, proxy) : neigh_delete(*x.s.arp_tbl, x.n, &x.dev(d), key, proxy);
    RC_ASSERT(r.code() == (add || there ? error::none : error::enoent));
    agree(nextState(before), x);
  }
  void show(std::ostream& os) const override {
    os << (add ? "add " : "delete ") << (proxy ? "proxy " : "neighbour ") << k << " on " << dev_name(d);
  }
};

struct reference_change : neighbour_command {
  int d = *rc::gen::inRange(0, devices);
  bool hold = *rc::gen::arbitrary<bool>();
  void apply(neighbour_model& m) const override {
    if (hold) {
      m.held.insert(d);
    } else if (auto at = m.held.find(d); at != m.held.end()) {
      m.held.erase(at);
    }
  }
  void run(const neighbour_model& before, subject& x) const override {
    if (hold) {
      dev_hold(x.dev(d), holder::user);
    } else {
      const status r = dev_put(x.dev(d), holder::user);
      RC_ASSERT(r.code() == (before.held.count(d) != 0 ? error::none : error::einval));
    }
    agree(nextState(before), x);
  }
  void show(std::ostream& os) const override { os << (hold ? "hold " : "put ") << dev_name(d); }
};

// The series flushes neighbours of every device that is down, so the model of a table per device does not hold for it.
TEST(NeighbourTableAndReferences, AgreeWithSetsAndCounters) {
  for (const char* v : {"K44", "H09", "6.1", "6.18", "reference"})
    EXPECT_TRUE(rc::check(std::string("neighbours of ") + v, [&] {
      subject x(v);
      rc::state::check(neighbour_model{}, x,
                       rc::state::gen::execOneOfWithArgs<neighbour_up, neighbour_delete_device, neighbour_change,
                                                         neighbour_change, neighbour_change, reference_change>());
    }));
}

}  // namespace
}  // namespace quiesce::refimpl
