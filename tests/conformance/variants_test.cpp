// SPDX-License-Identifier: MIT
// Each variant of the reference stack against the claims about its model: what the model breaks the stack breaks too, within
// as few devices, and what the model keeps the stack keeps.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "conformance/generate.hpp"
#include "conformance/known.hpp"
#include "conformance/promise.hpp"
#include "conformance/trial.hpp"
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

struct expectation {
  std::map<std::string, std::int64_t> breaks;  // property -> devices of the largest counterexample that a claim allows
  std::set<std::string> keeps;
};

std::map<std::string, expectation> expectations() {
  std::map<std::string, expectation> by_variant;
  std::map<std::string, std::set<std::string>> otherwise;
  for (const claim_entry* entry : inputs().all_claims()) {
    const ast::claim& c = entry->claim;
    const std::string v = stack_variant(c);
    if (v.empty() || inputs().property(c.property).property.kind == ast::property_kind::leads_to) continue;
    std::int64_t devices = 1;
    for (const ast::named_integer& size : c.scope)
      if (size.name == "dev") devices = size.value;
    if (c.expect == ast::expectation::violated) {
      std::int64_t& most = by_variant[v].breaks[c.property];
      most = std::max(most, devices);
    }
    if (c.expect == ast::expectation::holds)
      by_variant[v].keeps.insert(c.property);
    else
      otherwise[v].insert(c.property);
  }
  for (auto& [v, e] : by_variant)
    for (const std::string& p : otherwise[v]) e.keeps.erase(p);
  return by_variant;
}

const expectation& expected(const std::string& variant) {
  static const std::map<std::string, expectation> all = expectations();
  static const expectation nothing;
  const auto found = all.find(variant);
  return found != all.end() ? found->second : nothing;
}

// Their bugs need several CPUs at work at once, which this schedule does not show.
bool needs_several_cpus(const std::string& variant) {
  static const std::set<std::string> names = {"G44", "G520", "GO", "GM", "G63", "G618", "grecheck", "6.18"};
  return names.count(variant) != 0;
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const refimpl::variant_policy& v : refimpl::variants()) names.emplace_back(v.name);
  return names;
}

const ast::property& property(const char* name) { return *rules().entries()[rules().number(name)].property; }

TEST(KnownBreaks, AreThoseThatTheModelOfTheVariantIsClaimedToHave) {
  const known_breaks& known = rules().known();
  const scenario plain;
  EXPECT_NE(known.of("J1", property("no_foreign_neighbour_removed"), plain), "");
  EXPECT_NE(known.of("E1", property("no_foreign_neighbour_removed"), plain), "") << "from J1";
  EXPECT_EQ(known.of("reference", property("no_foreign_neighbour_removed"), plain), "");
  EXPECT_EQ(known.of("6.1", property("no_foreign_neighbour_removed"), plain), "");
  EXPECT_NE(known.of("P1b", property("no_newlink_after_dellink"), plain), "");
  EXPECT_NE(known.of("J1", property("no_newlink_after_dellink"), plain), "") << "when UNREGISTER is sent again";
  EXPECT_EQ(known.of("H09", property("no_newlink_after_dellink"), plain), "") << "claimed to be kept";
}

TEST(KnownBreaks, DoNotExcuseWhatTheSeriesProposesButInHandlers) {
  const known_breaks& known = rules().known();
  const scenario plain;
  scenario with_handlers;
  with_handlers.callbacks.emplace_back();
  EXPECT_EQ(known.of("P1b", property("batch_before_uninit"), plain), "");
  EXPECT_EQ(known.of("J1", property("batch_before_uninit"), plain), "");
  EXPECT_NE(known.of("J1", property("batch_before_uninit"), with_handlers), "") << "HB8";
  EXPECT_NE(known.of("J1", property("replay_batch_at_most_once"), with_handlers), "") << "HB13";
}

class Variants : public testing::TestWithParam<std::string> {
 protected:
  // What random scenarios break, each with the first of them; what is beyond a property does not count.
  static std::map<std::string, failing> broken(trial& t) {
    std::map<std::string, failing> all;
    for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
      const scenario s = generate(seed);
      for (const finding& f : t.run(s))
        if (all.count(f.what) == 0 && beyond_rule(t.policy(), f.what, s).empty()) all.emplace(f.what, failing{seed, s, f});
    }
    return all;
  }
};

TEST_P(Variants, BreaksWhatItsModelBreaksAndKeepsWhatItKeeps) {
  const expectation& e = expected(GetParam());
  trial t(rules(), refimpl::variant(GetParam()));
  std::size_t shown = 0;
  for (const auto& [what, f] : broken(t)) {
    EXPECT_EQ(e.keeps.count(what), 0u) << GetParam() << " breaks " << what << ", which its model keeps: " << f.first.text
                                       << "\n"
                                       << format(f.found);
    const auto claimed = e.breaks.find(what);
    if (claimed == e.breaks.end()) continue;
    const std::string name = what;
    const scenario small = shrink(f.found, [&](const scenario& s) { return t.shows(s, name); });
    EXPECT_LE(small.devices.size(), static_cast<std::size_t>(claimed->second)) << what << "\n" << format(small);
    std::cout << GetParam() << " breaks " << what << " with " << small.devices.size() << " devices\n";
    ++shown;
  }
  if (!e.breaks.empty() && !needs_several_cpus(GetParam())) {
    EXPECT_GT(shown, 0u) << "no violated claim is shown on the stack";
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheStack, Variants, testing::ValuesIn(variant_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(PostedSeries, FailsWithTwoDevicesInOneNamespace) {
  trial t(rules(), refimpl::variant("P1"));
  const campaign_result result = run_campaign(t, {});
  ASSERT_FALSE(result.failures.empty());
  bool small_one = false;
  for (const auto& [what, f] : result.failures) {
    const std::string name = what;
    const scenario small = shrink(
        f.found, [&](const scenario& s) { return t.shows(s, name); }, 500);
    EXPECT_LE(small.devices.size(), 2u) << format(small);
    small_one = small_one || (what == "batch_once_per_net" && small.nets.size() <= 1);
  }
  EXPECT_TRUE(small_one);
}

}  // namespace
}  // namespace quiesce::conformance
