// SPDX-License-Identifier: MIT
// Traces of the reference stack against the models that scenarios drive.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/inclusion_campaign.hpp"
#include "conformance/schedule_compare.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

using namespace conformance;

script_cache& scripts() {
  static catalogue inputs(repository().string());
  static script_cache all(inputs);
  return all;
}

class inclusion_of_variant : public testing::TestWithParam<const char*> {};

TEST_P(inclusion_of_variant, random_scenarios_show_traces_of_the_model) {
  inclusion_campaign_settings o;
  o.count = 60;
  const inclusion_campaign c = run_inclusion(scripts(), driven_models()[0], GetParam(), o);
  EXPECT_EQ(c.unknown, 0u) << c.first_unknown;
  ASSERT_TRUE(c.mismatches.empty()) << "seed " << c.mismatches[0].seed << "\n"
                                    << c.mismatches[0].text << format(c.mismatches[0].schedule);
  EXPECT_EQ(c.runs, o.count);
}

INSTANTIATE_TEST_SUITE_P(variants, inclusion_of_variant,
                         testing::Values("K44", "H09", "P1", "P1a", "P1b", "P1i", "J1", "J2", "E1", "6.1", "6.18", "J618",
                                         "reference"),
                         [](const auto& info) { return "v" + std::to_string(info.index); });

// Of the variant itself, and of another one: then most traces are no runs of the model.
TEST(inclusion_of_the_stack, a_script_in_the_text_and_one_in_the_state_answer_alike) {
  std::size_t refused = 0;
  for (const char* stack : {"J1", "K44"})
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      const scenario s = generate_driven(seed);
      const scripted_model text(scripts(), driven_models()[0], s, "J1", script_place::text);
      const scripted_model state(scripts(), driven_models()[0], s, "J1", script_place::state);
      const auto drive = random_chooser(seed);
      const judged_schedule run = judge_schedule(text, s, stack, *drive, {});
      const bool whole = !run.result.run.stopped && !run.result.control.hung && !run.result.control.too_long;
      const inclusion_outcome other = check_trace(state, run.result.run.events, whole);
      EXPECT_EQ(run.outcome.result.verdict, other.result.verdict) << stack << " " << seed << "\n" << format(s);
      EXPECT_EQ(run.outcome.result.matched, other.result.matched) << stack << " " << seed << "\n" << format(s);
      EXPECT_EQ(run.outcome.compared, other.compared);
      refused += other.result.verdict == inclusion_verdict::not_included ? 1 : 0;
    }
  EXPECT_GT(refused, 5u);
}

TEST(inclusion_of_the_stack, a_stack_that_behaves_as_another_version_is_told_from_the_model) {
  const scenario s = exhausted_scenario();
  const scripted_model m(scripts(), driven_models()[0], s, "J1");
  const auto drive = random_chooser(1);
  const judged_schedule run = judge_schedule(m, s, "K44", *drive, {});
  EXPECT_EQ(run.outcome.result.verdict, inclusion_verdict::not_included);
  EXPECT_THAT(run.outcome.text, testing::HasSubstr("the model would allow"));
}

}  // namespace
}  // namespace quiesce::test
