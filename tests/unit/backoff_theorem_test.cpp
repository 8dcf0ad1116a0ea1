// SPDX-License-Identifier: MIT
// The theorems about the wait for references are about the loops of the reference stack and of the model: every number is
// tried up to a limit, and each bound is met.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/inference/structure.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/prove.hpp"
#include "quiesce_paths.hpp"
#include "refimpl/bench/wait_backoff.hpp"

namespace quiesce::test {
namespace {

constexpr std::int64_t last_release = 800;

struct noticed {
  std::int64_t clock = 0, sleeps = 0;
};

// Naive: sleep by sleep. `jiffy` 0: an ideal clock.
noticed simulate(std::int64_t first, std::int64_t jiffy, std::int64_t release) {
  noticed out;
  for (std::int64_t delay = first; out.clock < release;) {
    if (delay == 0) {
      delay = 1;  // rcu_barrier, which takes no time
      continue;
    }
    out.clock += jiffy == 0 ? delay : ((delay + jiffy - 1) / jiffy + 1) * jiffy;
    delay = std::min<std::int64_t>(2 * delay, 250);
    ++out.sleeps;
  }
  return out;
}

std::int64_t first_sleep(const std::string& variant) { return variant == "R16" ? 16 : variant == "R1" ? 0 : 250; }

struct theorem {
  explicit theorem(catalogue& inputs, const claim_entry& claim)
      : in(prepare_proof(inputs, claim)),
        core(symbolic::read_core(core_of(in))),
        shape(inference::make_shape(core, std::vector<std::size_t>(core.sorts.size(), 0))),
        condition(shape, *core.properties.at(0).condition, {}) {
    for (const auto& [name, value] : in.settings.options) {
      if (name == "jiffy") jiffy = std::stoll(value);
      if (name == "compared_first") compared = std::stoll(value);
    }
  }

  bool holds(std::int64_t release, const noticed& a, const noticed& b) const {
    inference::state s(shape.places, 0);
    const std::map<std::string, std::int64_t> values = {{"release", release},          {"clock", a.clock},
                                                        {"sleeps", a.sleeps},          {"compared_clock", b.clock},
                                                        {"compared_sleeps", b.sleeps}, {"extra", 0}};
    for (const auto& [name, value] : values) s[inference::place_of(shape, core.function_number.at(name), {})] = value;
    std::vector<std::int64_t> none;
    return condition(s, none) != 0;
  }

  proof_input in;
  symbolic::core core;
  inference::shape shape;
  inference::term condition;
  std::int64_t jiffy = 0, compared = 250;
};

const std::string file = QUIESCE_SOURCE_DIR "/proofs/backoff.claim";

TEST(backoff_theorems, hold_of_every_release_and_no_other_time_would_do) {
  catalogue inputs(QUIESCE_SOURCE_DIR);
  ASSERT_EQ(inputs.claims(file).size(), 20u);
  for (const claim_entry* claim : inputs.claims(file)) {
    const theorem t(inputs, *claim);
    const std::int64_t first = first_sleep(claim->claim.variant);
    bool one_later_breaks_it = false, one_earlier_breaks_it = false;
    for (std::int64_t g = 1; g <= last_release; ++g) {
      noticed a = simulate(first, t.jiffy, g);
      const noticed b = simulate(t.compared, t.jiffy, g);
      EXPECT_TRUE(t.holds(g, a, b)) << claim->claim.name << " release " << g;
      ++a.clock;
      one_later_breaks_it |= !t.holds(g, a, b);
      a.clock -= 2;
      one_earlier_breaks_it |= a.clock >= g && !t.holds(g, a, b);
    }
    EXPECT_TRUE(one_later_breaks_it) << claim->claim.name << " is not tight";
    const std::string& sentence = claim->claim.sentence;
    const bool exact = sentence.find(" if ") != std::string::npos && sentence.find(" up to ") == std::string::npos;
    EXPECT_EQ(one_earlier_breaks_it, exact) << claim->claim.name;
  }
}

TEST(backoff_theorems, are_about_the_numbers_of_the_reference_stack) {
  std::vector<std::uint64_t> releases;
  for (std::int64_t g = 1; g <= last_release; g += 3) releases.push_back(static_cast<std::uint64_t>(g));
  for (const char* variant : {"K44", "R16", "R1"})
    for (const unsigned hz : {100u, 250u, 1000u}) {
      bench::backoff_input in;
      in.hz = hz;
      in.grace_period_ms = in.callback_latency_ms = in.expedited_ms = 0;
      const std::vector<double> waits = bench::wait_after_delay(bench::wait_variant(variant), in, releases);
      for (std::size_t i = 0; i < releases.size(); ++i)
        EXPECT_EQ(waits[i], simulate(first_sleep(variant), 1000 / hz, static_cast<std::int64_t>(releases[i])).clock)
            << variant << " HZ=" << hz << " release " << releases[i];
    }
}

TEST(backoff_theorems, are_about_the_numbers_of_the_model) {
  catalogue inputs(QUIESCE_SOURCE_DIR);
  for (const claim_entry* claim : inputs.claims(file)) {
    if (claim->claim.sentence.find("fixed") == std::string::npos) continue;
    const proof_input in = prepare_proof(inputs, *claim);
    question q;
    q.model = in.model;
    q.settings = in.settings;
    q.settings.scope = {{"last", 300}, {"longest", 700}};
    q.properties = {in.property};
    const answer a = prepared_check(inputs, q).run({}, {});
    EXPECT_EQ(a.verdicts.at(0).kind, verdict_kind::holds) << claim->claim.name;
    EXPECT_TRUE(a.complete);
  }
}

}  // namespace
}  // namespace quiesce::test
