// SPDX-License-Identifier: MIT
// Real threads with liburcu: eight of them register, open, close, move, group-delete devices and add addresses, routes and
// neighbours in four namespaces while readers look up. Short by default; QUIESCE_SOAK_SECONDS sets the time,
// QUIESCE_SOAK_VARIANT the variant. Meant for the thread sanitizer too.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/route.hpp"
#include "refimpl/net/rtnetlink.hpp"

namespace quiesce::refimpl {
namespace {

double soak_seconds() {
  const char* text = std::getenv("QUIESCE_SOAK_SECONDS");
  return text != nullptr ? std::atof(text) : 1.5;
}

class mutator {
 public:
  mutator(stack& s, std::vector<net*> nets, unsigned id) : s_(s), nets_(std::move(nets)), id_(id), random_(id) {}
  void step();
  std::uint64_t made = 0;

 private:
  net& any_net() { return *nets_[random_() % nets_.size()]; }
  std::string any_name() { return "t" + std::to_string(id_) + "-" + std::to_string(random_() % 4); }
  void look_up(net& n, const std::string& name);
  void configure(net& n, const std::string& name);
  void rtnl_section(net& n, const std::string& name);

  stack& s_;
  std::vector<net*> nets_;
  unsigned id_;
  std::mt19937 random_;
};

void mutator::look_up(net& n, const std::string& name) {
  if (net_device* dev = dev_get_by_name(n, name)) {
    static_cast<void>(linkwatch_fire_event(*dev, (random_() & 1) != 0));
    if (result<neighbour*> made_one = neigh_create(*s_.arp_tbl, ipv4_key(random_() % 16 + 1), *dev)) {
      static_cast<void>(neigh_event_send(*made_one.value()));
      neigh_release(made_one.value());
    }
    static_cast<void>(pneigh_enqueue(*s_.arp_tbl, *dev, ipv4_key(1), 1));
    static_cast<void>(dev_put(*dev, holder::lookup));
  }
  if (result<fib_result> found = fib_lookup(n, random_())) fib_info_put(found.value().fi);
  if (result<rtable*> rt = ip_route_output(n, 0x0a000000u | (random_() & 0xffff))) dst_release(rt.value());
}

void mutator::configure(net& n, const std::string& name) {
  static_cast<void>(do_setlink_up(n, name, true));
  static_cast<void>(inet_rtm_newaddr(n, name, 0x0a000001u + (random_() % 64 << 8), 24));
}

void mutator::rtnl_section(net& n, const std::string& name) {
  rtnl_guard held(s_);
  if (!held) return;
  if (net_device* dev = __dev_get_by_name(n, name)) {
    fib_config cfg;
    cfg.fc_dst = 0x14000000u | (random_() % 256 << 8);
    cfg.fc_dst_len = 24;
    cfg.fc_scope = RT_SCOPE_LINK;
    cfg.nexthops = {{dev, 0, 1}};
    static_cast<void>(fib_table_insert(n, cfg));
    static_cast<void>(inet6_addr_add(*dev, {0x20010db800000000ull, random_() % 64 + 1}, 64));
    static_cast<void>(dev_hold_chain(*dev, random_() % 3));
  }
  static_cast<void>(held.release());
}

void mutator::step() {
  net& n = any_net();
  const std::string name = any_name();
  switch (random_() % 10) {
    case 0:
    case 1: {
      link_request r;
      r.name = name;
      r.group = static_cast<int>(id_) + 1;
      if (rtnl_newlink(n, r)) ++made;
      return configure(n, name);
    }
    case 2:
      static_cast<void>(do_setlink_up(n, name, (random_() & 1) != 0));
      return;
    case 3:
      static_cast<void>(do_setlink_netns(n, name, any_net()));
      return;
    case 4:
      static_cast<void>(rtnl_dellink(n, name));
      return;
    case 5:
      static_cast<void>(rtnl_group_dellink(n, static_cast<int>(id_) + 1));
      return;
    case 6:
      return rtnl_section(n, name);
    case 7:
      static_cast<void>(linkwatch_event(s_));
      return;
    default:
      return look_up(n, name);
  }
}

TEST(Soak, EightThreadsOnFourNamespacesLoseNoDevice) {
  const char* chosen = std::getenv("QUIESCE_SOAK_VARIANT");
  real_environment env;
  stack_options options;
  options.wait_limit_ms = 60'000;
  stack s(variant(chosen != nullptr ? chosen : "reference"), env.sched, env.rcu, options);
  s.events.enable(soak_seconds() < 5);
  std::vector<net*> nets;
  for (int i = 0; i < 4; ++i) nets.push_back(setup_net(s).value());
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(soak_seconds());
  std::vector<mutator> mutators;
  for (unsigned t = 0; t < 8; ++t) mutators.emplace_back(s, nets, t);
  std::vector<std::thread> threads;
  for (mutator& m : mutators)
    threads.emplace_back([&m, &s, end] {
      while (std::chrono::steady_clock::now() < end && !s.stopped()) m.step();
    });
  for (std::thread& t : threads) t.join();
  ASSERT_FALSE(s.stopped().has_value()) << s.stopped()->what;
  std::uint64_t made = 0;
  for (const mutator& m : mutators) made += m.made;
  EXPECT_GT(made, 0u);
  EXPECT_TRUE(cleanup_net(s, nets));
  // Every device is freed, those that a taken name refused included; only init_net's loopback is left.
  EXPECT_GE(s.counters.devices_allocated.load(), made + 5);
  EXPECT_EQ(s.counters.devices_allocated.load(), s.counters.devices_freed.load() + 1);
  EXPECT_EQ(1u, s.devices().size());
  for (const std::string& line : s.check_consistency()) ADD_FAILURE() << line;
  EXPECT_EQ(0u, s.counters.warnings.load());
}

// The same operations by one thread: the trace is the same whether it is recorded or not, judged by counters and final
// state.
TEST(Recording, ChangesNeitherCountsNorOutcomes) {
  const auto run = [](bool recorded) {
    simulated_environment env;
    stack s(variant("reference"), env.sched, env.rcu);
    s.events.enable(recorded);
    s.events.count_kinds(true);
    std::vector<net*> nets;
    for (int i = 0; i < 2; ++i) nets.push_back(setup_net(s).value());
    mutator m(s, nets, 3);
    for (int i = 0; i < 600; ++i) m.step();
    std::vector<std::uint64_t> counts;
    for (std::size_t k = 0; k < event_kinds; ++k) counts.push_back(s.events.count(static_cast<event_kind>(k)));
    counts.push_back(s.devices().size());
    counts.push_back(static_cast<std::uint64_t>(env.sched.now().count()));
    return counts;
  };
  EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace quiesce::refimpl
