// SPDX-License-Identifier: MIT
// The controlled scheduler on the reference stack: all interleavings, replay, samples; sets of traces against the model's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/inclusion_campaign.hpp"
#include "conformance/schedule_compare.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

using namespace conformance;

script_cache& scripts() {
  static catalogue inputs(repository().string());
  static script_cache all(inputs);
  return all;
}

// A device with a VLAN above it is unregistered while another task closes a third device.
const char* const small_scenario = R"(option ipv6 off
device d1 init_net dummy up
device d2 init_net vlan on d1 up
device d3 init_net dummy up
task t1
  unregister d1
task t2
  close d3
)";

const char* const driven_variants[] = {"K44", "P1", "P1a", "P1b", "P1i", "J1", "J2", "E1", "6.1", "6.18", "reference"};

TEST(schedule, all_interleavings_of_two_tasks_show_the_traces_of_the_model_and_no_others) {
  const scenario s = exhausted_scenario();
  const scripted_model m(scripts(), driven_models()[0], s, "K44");
  comparison_options o;
  o.twice = false;
  const comparison c = compare_all(m, s, "K44", o);
  RecordProperty("report", report(c, o));
  EXPECT_TRUE(c.schedules.exhausted) << c.schedules.nondeterminism;
  EXPECT_GT(c.code_classes, 30u);
  EXPECT_TRUE(c.equal()) << report(c, o);
}

TEST(schedule, every_variant_shows_the_traces_of_its_model_for_a_small_scenario) {
  const scenario s = parse_scenario(small_scenario);
  for (const char* v : driven_variants) {
    const scripted_model m(scripts(), driven_models()[0], s, v);
    const comparison c = compare_all(m, s, v, {});
    EXPECT_TRUE(c.schedules.exhausted) << v << " " << c.schedules.nondeterminism;
    EXPECT_EQ(c.model.runs_cut > 0, c.stopped > 0)
        << v;                     // the model's run-time error is what a kernel would not have survived
    if (c.stopped > 0) continue;  // a run that is cut off has no whole trace
    EXPECT_TRUE(c.equal()) << v << "\n" << report(c, {}, 1);
  }
}

TEST(schedule, every_run_of_the_model_is_a_test_that_the_stack_passes) {
  const scenario s = parse_scenario(small_scenario);
  for (const char* v : driven_variants) {
    const scripted_model m(scripts(), driven_models()[0], s, v);
    const model_classes all = classes_of_model(m, 1'000'000);
    ASSERT_TRUE(all.complete);
    EXPECT_FALSE(all.classes.empty()) << v;
    run_settings settings;
    settings.policy = refimpl::variant(v);
    settings.end_all = false;
    for (const auto& [id, trace] : all.classes) EXPECT_TRUE(run_guided(m, s, settings, all.trace(trace), {}).shown) << v;
  }
}

TEST(schedule, another_variant_shows_other_traces) {
  const scenario s = parse_scenario(small_scenario);
  const scripted_model m(scripts(), driven_models()[0], s, "J1");
  const comparison c = compare_all(m, s, "P1b", {});
  EXPECT_EQ(c.common, 0u);
  EXPECT_FALSE(c.only_code.empty());
  EXPECT_FALSE(c.only_model.empty());
  EXPECT_FALSE(c.equal());
}

TEST(schedule, samples_show_nothing_that_the_exhausted_scenario_does_not) {
  const scenario s = parse_scenario(small_scenario);
  const scripted_model m(scripts(), driven_models()[0], s, "K44");
  const model_classes all = classes_of_model(m, 1'000'000);
  std::set<class_id> seen;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto drive = seed % 2 == 0 ? random_chooser(seed) : pct_chooser(seed, 3, 60);
    const judged_schedule run = judge_schedule(m, s, "K44", *drive, {});
    seen.insert(class_of_trace(m.letters(m.project(run.result.run.events))));
  }
  EXPECT_GT(seen.size(), 2u);
  for (const class_id& c : seen) EXPECT_TRUE(all.classes.count(c));
}

schedule_file some_schedule() {
  const scenario s = parse_scenario(small_scenario);
  actor_names names;
  const auto inner = random_chooser(7);
  recording_chooser drive(*inner, names);
  run_settings settings;
  settings.policy = refimpl::variant("J1");
  settings.end_all = false;
  static_cast<void>(run_controlled(s, settings, drive, names, {}));
  return {"J1", {}, s, drive.actors};
}

TEST(schedule, a_schedule_is_text_and_replays_exactly) {
  const schedule_file f = some_schedule();
  const schedule_file back = parse_schedule(format(f));
  EXPECT_EQ(format(back), format(f));
  EXPECT_EQ(back.actors, f.actors);
  EXPECT_EQ(replay(back).differs, "");
}

TEST(schedule, a_move_that_cannot_be_made_is_named) {
  schedule_file f = some_schedule();
  f.actors.insert(f.actors.begin(), "t9");
  EXPECT_THAT(replay(f).differs, testing::HasSubstr("move 1: 't9' cannot move; these can: t1, t2"));
  f = some_schedule();
  f.actors.pop_back();
  EXPECT_THAT(replay(f).differs, testing::HasSubstr("the schedule ends after"));
}

std::string complaint(const std::string& text) {
  try {
    static_cast<void>(parse_schedule(text));
  } catch (const diagnostic& d) {
    return d.sentence;
  }
  return {};
}

TEST(schedule, a_file_that_is_no_schedule_is_refused) {
  EXPECT_EQ(complaint("something"), "a schedule begins with 'quiesce schedule 1'");
  EXPECT_EQ(complaint("quiesce schedule 1\nvariant none such\n"), "the reference stack has no variant 'none such'");
  EXPECT_EQ(complaint("quiesce schedule 1\nvariant J1\nbounds polls=x\n"), "'x' is not a number");
  EXPECT_EQ(complaint("quiesce schedule 1\nvariant J1\nbounds polls=1\nscenario\nmoves\n  1\n"),
            "a line of moves is a number and an actor");
}

// A task that holds a device for good: the other one polls for ever.
TEST(schedule, a_wait_that_nothing_ends_is_a_hang_and_polling_is_bounded) {
  const scenario s = parse_scenario("option ipv6 off\ndevice d1 init_net dummy\ntask t1\n  hold d1\n  unregister d1\n");
  run_settings settings;
  settings.policy = refimpl::variant("6.1");
  settings.end_all = false;
  actor_names names;
  const auto drive = random_chooser(1);
  const controlled_result r = run_controlled(s, settings, *drive, names, {.polls = 2});
  EXPECT_TRUE(r.control.hung);
  EXPECT_EQ(r.control.polls_bounded, 1u);
  EXPECT_THAT(r.control.hang, testing::HasSubstr("t1 at msleep"));
}

}  // namespace
}  // namespace quiesce::test
