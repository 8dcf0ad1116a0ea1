// SPDX-License-Identifier: MIT
// Real threads with liburcu: eight of them register, open, close, move, group-delete devices and add addresses, routes and
// neighbours in four namespaces while readers look up. Short by default; QUIESCE_SOAK_SECONDS sets the time,
// QUIESCE_SOAK_VARIANT the variant. Meant for the thread sanitizer too.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/soak_mutator.hpp"

namespace quiesce::refimpl {
namespace {

double soak_seconds() {
  const char* text = std::getenv("QUIESCE_SOAK_SECONDS");
  return text != nullptr ? std::atof(text) : 1.5;
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
