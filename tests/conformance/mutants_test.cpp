// SPDX-License-Identifier: MIT
// Every mutant of the reference stack is caught: by a property, or by what stops, warns or leaks. The output names the
// property and the scenario for each.
#include <gtest/gtest.h>

#include <iostream>

#include "conformance/generate.hpp"
#include "conformance/mutants.hpp"
#include "conformance/trial.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::conformance {
namespace {

const rule_book& rules() {
  static catalogue inputs(test::repository().string());
  static const rule_book book(inputs);
  return book;
}

class Mutants : public testing::TestWithParam<refimpl::mutation_entry> {};

TEST_P(Mutants, IsCaught) {
  const caught_mutant c = catch_mutant(rules(), GetParam());
  ASSERT_TRUE(c.caught) << format(c);
  refimpl::variant_policy policy = refimpl::variant("reference");
  policy.mutant = GetParam().value;
  trial t(rules(), policy);
  EXPECT_TRUE(t.shows(c.small, c.by)) << format(c);
  std::cout << format(c);
}

INSTANTIATE_TEST_SUITE_P(OfTheReference, Mutants, testing::ValuesIn(refimpl::mutation_table()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MutantTable, HasFortyAndMore) { EXPECT_GE(refimpl::mutation_table().size(), 40u); }

// The scenarios that catch the mutants, and more of them, without a mutant.
TEST(Reference, BreaksNothing) {
  trial t(rules(), refimpl::variant("reference"));
  campaign_settings settings;
  settings.count = 4000;
  const campaign_result result = run_campaign(t, settings);
  for (const auto& [what, f] : result.failures) ADD_FAILURE() << what << ": " << f.first.text << "\n" << format(f.found);
  EXPECT_EQ(result.runs, settings.count);
  for (std::size_t i = 0; i < feature_table().size(); ++i)
    EXPECT_GT(result.covered.hits()[i], 0u) << feature_table()[i].name << " is never generated";
}

TEST(Generator, MakesScenariosWithoutDefectThatReadBack) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const scenario s = generate(seed);
    ASSERT_EQ(defect(s), "") << format(s);
    ASSERT_EQ(parse_scenario(format(s)), s) << format(s);
    if (seed % 25 != 0) continue;
    for (const scenario& smaller : simpler(s)) {
      ASSERT_EQ(defect(smaller), "") << format(smaller);
      for (const scenario& again : simpler(smaller))
        ASSERT_FALSE(again == s) << "shrinking would go in circles\n" << format(s);
    }
  }
}

}  // namespace
}  // namespace quiesce::conformance
