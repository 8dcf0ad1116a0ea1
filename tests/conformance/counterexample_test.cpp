// SPDX-License-Identifier: MIT
// For every variant of the stack and every property that its models break: the counterexample breaks it on the stack too.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "conformance/counterexample.hpp"
#include "conformance/schedule_run.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::conformance {
namespace {

catalogue& inputs() {
  static catalogue c(test::repository().string());
  return c;
}
const rule_book& rules() {
  static const rule_book book(inputs());
  return book;
}

replay_effort effort() {
  replay_effort e;
  e.model.threads = 1;
  e.model.symmetry = true;
  return e;
}

using pair = std::pair<std::string, std::string>;

// Variant and property -> the claims' replays, for one model.
std::map<pair, std::vector<counterexample_replay>> replays(const std::string& model) {
  std::map<pair, std::vector<counterexample_replay>> out;
  for (const claim_entry* c : violated_claims(inputs()))
    if (c->claim.model == model && refimpl::find_variant(version_of(model, settings_of(c->claim)).name)) {
      counterexample_replay r = replay_claim(inputs(), rules(), *c, effort());
      out[{r.variant, r.property}].push_back(std::move(r));
    }
  return out;
}

// The routes that break these are in the model fib_neigh, whose counterexamples break them on the stack.
const std::set<pair>& shown_by_fib_neigh() {
  static const std::set<pair> all = {
      {"J1", "fib_flush_once_per_rollback"},
      {"E1", "fib_flush_once_per_rollback"},
      {"J618", "fib_flush_once_per_rollback"},
      {"reference", "fib_flush_once_per_rollback"},
  };
  return all;
}

class Counterexamples : public testing::TestWithParam<std::string> {};

TEST_P(Counterexamples, BreakTheStackToo) {
  for (const auto& [which, claims] : replays(GetParam())) {
    const counterexample_replay* shown = nullptr;
    for (const counterexample_replay& c : claims)
      if (c.outcome == replay_outcome::breaks) shown = &c;
    const bool excused = GetParam() == "teardown" && shown_by_fib_neigh().count(which) != 0;
    EXPECT_EQ(shown == nullptr, excused) << which.first << " " << which.second << ": " << claims[0].claim << ": "
                                         << name(claims[0].outcome) << ", " << claims[0].detail << "\n"
                                         << format(claims[0].what);
    EXPECT_FALSE(shown == nullptr && claims[0].detail.empty()) << which.second;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachModel, Counterexamples,
                         testing::Values("teardown", "register", "namespaces", "replay", "fib_neigh", "proxy_queue",
                                         "wait_allrefs", "fib6_gc", "wait_backoff", "wait_list", "wait_rcu"),
                         [](const auto& info) { return info.param; });

TEST(CounterexampleOnSeveralCpus, ReplaysExactlyFromItsScheduleFile) {
  for (const claim_entry* c : violated_claims(inputs())) {
    if (c->claim.name != "G520_spins") continue;
    const counterexample_replay r = replay_claim(inputs(), rules(), *c, effort());
    ASSERT_EQ(r.outcome, replay_outcome::breaks);
    EXPECT_EQ(r.what.tasks.size(), 3u);
    ASSERT_FALSE(r.actors.empty());
    const schedule_file again = parse_schedule(format(schedule_file{r.variant, r.bounds, r.what, r.actors}));
    EXPECT_EQ(replay(again).differs, "");
    return;
  }
  FAIL() << "there is no claim G520_spins";
}

// The same scenarios on the reference keep what the broken variant breaks.
TEST(CounterexampleOfThePostedSeries, IsKeptByTheReference) {
  for (const claim_entry* c : violated_claims(inputs())) {
    if (c->claim.name != "P1a_batch_once_per_net") continue;
    const counterexample_replay r = replay_claim(inputs(), rules(), *c, effort());
    ASSERT_EQ(r.outcome, replay_outcome::breaks);
    judge j(rules());
    run_settings s;
    s.policy = refimpl::variant("reference");
    s.sink = [&](const refimpl::event& e, refimpl::stack& on) { j.push(e, &on); };
    static_cast<void>(run(r.what, s));
    for (const breach& b : j.breaches()) EXPECT_NE(b.property, "batch_once_per_net") << b.text;
  }
}

}  // namespace
}  // namespace quiesce::conformance
