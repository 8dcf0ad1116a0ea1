// SPDX-License-Identifier: MIT
#pragma once
// A stack under simulated time with its namespace, and shorthands for the tests of the reference stack.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "refimpl/device/driver.hpp"
#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/rtnetlink.hpp"
#include "refimpl/net/upper.hpp"

namespace quiesce::refimpl {

inline std::uint32_t ip(int a, int b, int c, int d) {
  return static_cast<std::uint32_t>(a) << 24 | static_cast<std::uint32_t>(b) << 16 | static_cast<std::uint32_t>(c) << 8 |
         static_cast<std::uint32_t>(d);
}

struct world {
  explicit world(const std::string& variant_name, stack_options options = {}) : world(variant(variant_name), options) {}
  explicit world(const variant_policy& policy, stack_options options = {}) : s(policy, env.sched, env.rcu, options) {
    s.events.enable(true);
  }
  simulated_environment env;
  stack s;

  net& new_net() { return *setup_net(s).value(); }
  net_device& add(net& n, const std::string& name, bool up = true, simulated_driver* driver = nullptr) {
    link_request r;
    r.name = name;
    r.ops = driver;
    net_device& dev = *rtnl_newlink(n, r).value();
    if (up) {
      EXPECT_TRUE(do_setlink_up(n, name, true));
    }
    return dev;
  }
  status route(net& n, std::uint32_t dst, std::uint8_t plen, net_device& dev, std::uint32_t gw = 0) {
    fib_config cfg;
    cfg.fc_dst = dst;
    cfg.fc_dst_len = plen;
    cfg.fc_scope = gw == 0 ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
    cfg.nexthops = {{&dev, gw, 1}};
    return locked([&] { return fib_table_insert(n, cfg); });
  }
  template <class F>
  status locked(F f) {
    rtnl_guard held(s);
    if (!held) return held.code();
    status r = f();
    status unlocked = held.release();
    return r ? unlocked : r;
  }
  // "NETDEV_DOWN d0", ... in order; only the kinds asked for.
  std::vector<std::string> trace(const std::vector<event_kind>& kinds) {
    std::vector<std::string> out;
    for (const event& e : s.events.collect())
      if (std::find(kinds.begin(), kinds.end(), e.kind) != kinds.end())
        out.push_back(std::string(name(e.kind)) + " " + (e.dev == no_id ? "NULL" : std::to_string(e.dev)));
    return out;
  }
  std::size_t count(event_kind k) {
    std::size_t n = 0;
    for (const event& e : s.events.collect()) n += e.kind == k ? 1 : 0;
    return n;
  }
  std::size_t count(event_kind k, const net& n) {
    std::size_t sum = 0;
    for (const event& e : s.events.collect()) sum += e.kind == k && e.net == n.id ? 1 : 0;
    return sum;
  }
};

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& l : lines) text += l + "\n";
  return text;
}
#define EXPECT_CONSISTENT(w) EXPECT_EQ(joined((w).s.check_consistency()), "")
#define EXPECT_CODE(expected, expression) EXPECT_EQ(name(error::expected), name((expression).code()))

}  // namespace quiesce::refimpl
