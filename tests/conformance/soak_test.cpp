// SPDX-License-Identifier: MIT
// The monitors on real threads: eight of them on the reference, the recorded events judged afterwards in their order.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "conformance/judge.hpp"
#include "conformance/promise.hpp"
#include "tests/support/repository.hpp"
#include "tests/support/soak_mutator.hpp"

namespace quiesce::conformance {
namespace {

std::vector<refimpl::event> events_of_soak(double seconds) {
  refimpl::real_environment env;
  refimpl::stack_options options;
  options.wait_limit_ms = 60'000;
  refimpl::stack s(refimpl::variant("reference"), env.sched, env.rcu, options);
  s.events.enable(true);
  std::vector<refimpl::net*> nets;
  for (int i = 0; i < 4; ++i) nets.push_back(setup_net(s).value());
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::vector<refimpl::mutator> mutators;
  for (unsigned t = 0; t < 8; ++t) mutators.emplace_back(s, nets, t + 100);
  std::vector<std::thread> threads;
  for (refimpl::mutator& m : mutators)
    threads.emplace_back([&m, &s, end] {
      while (std::chrono::steady_clock::now() < end && !s.stopped()) m.step();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_FALSE(s.stopped().has_value()) << s.stopped()->what;
  EXPECT_TRUE(cleanup_net(s, nets));
  return s.events.collect();
}

TEST(Soak, MonitorsAreSilentForTheReferenceOnRealThreads) {
  const char* chosen = std::getenv("QUIESCE_SOAK_SECONDS");
  const std::vector<refimpl::event> events = events_of_soak(chosen != nullptr ? std::atof(chosen) : 0.5);
  catalogue inputs(test::repository().string());
  const rule_book rules(inputs);
  judge j(rules);
  for (const refimpl::event& e : events) j.push(e);
  EXPECT_GT(events.size(), 1000u);
  const refimpl::variant_policy reference = refimpl::variant("reference");
  for (const breach& b : j.breaches())
    if (not_promised(reference, *rules.entries()[rules.number(b.property)].property).empty())
      ADD_FAILURE() << b.property << " of " << events.size() << " events: " << b.text;
}

}  // namespace
}  // namespace quiesce::conformance
