// SPDX-License-Identifier: MIT
// Recordings of kernels, judged by the rules and compared with the model of their kernel; and recordings that are damaged.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/diagnostic.hpp"
#include "tests/conformance/recordings.hpp"

namespace quiesce::test {
namespace {

using observe::model_answer;
using observe::rule_answer;
using observe::trace_report;
using testing::HasSubstr;

// --- the recordings as they are -------------------------------------------------------------------------------------------

class ordered_recordings : public testing::TestWithParam<const char*> {};

TEST_P(ordered_recordings, are_runs_of_the_model_of_their_kernel) {
  const trace_report r = report_on_recording(GetParam());
  EXPECT_EQ(r.model.is, model_answer::verdict::a_run) << r.model.reason << r.model.explanation;
  EXPECT_GT(r.model.events, 7u);
}

TEST_P(ordered_recordings, keep_the_rules_of_their_kernel) {
  for (const auto& one : report_on_recording(GetParam()).rules)
    EXPECT_FALSE(one.rule_of_kernel && one.answer == rule_answer::violated) << one.property->name << ": " << one.text;
}

INSTANTIATE_TEST_SUITE_P(all, ordered_recordings,
                         testing::Values("q61_01_onebyone.trace.xz", "q61_02_group.trace.xz", "q61_03_nsdel.trace.xz",
                                         "q61_04_move1.trace.xz", "q61_09_macvlan.trace.xz", "q61_10_tap_group.trace.xz",
                                         "q61_21_batchdel_2ns.nd.txt", "q61_22_batchclose_2ns.nd.txt", "q61_25_move.nd.txt",
                                         "q61_26_nsdel.nd.txt", "q61_29_hold_rebroadcast.nd.txt", "q61_32b_lower_del.nd.txt",
                                         "h618_veth2_group_stack.trace.xz", "h618_veth2_group_stack_off.trace.xz",
                                         "h618_veth2_nsdel_stack.trace.xz", "h618_bpftrace_group.txt.xz"),
                         [](const auto& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find('.'));
                         });

TEST(traces, the_group_delete_flushes_once_for_each_device) {
  const trace_report r = report_on_recording("q61_02_group.trace.xz");
  ASSERT_EQ(r.batches.size(), 1u);
  EXPECT_EQ(r.batches[0].devices.size(), 20u);
  EXPECT_EQ(r.batches[0].counts.at(observe::seen::fib_flush), 20u);
  EXPECT_EQ(r.batches[0].grace_periods, 3u);
  EXPECT_EQ(r.batches[0].todo_barriers, 1u);
}

TEST(traces, what_6_1_promises_is_told_from_what_was_only_proposed) {
  const trace_report r = report_on_recording("q61_02_group.trace.xz");
  EXPECT_EQ(observe::answer_text(rule(r, "unregister_before_uninit")), "holds");
  EXPECT_EQ(observe::answer_text(rule(r, "all_unregister_before_any_uninit")), "not a rule of this kernel; does not hold");
  EXPECT_EQ(rule(r, "batch_before_uninit").violations, 80u);
}

TEST(traces, messages_decide_what_they_show_and_nothing_else) {
  const trace_report r = report_on_recording("h618_mon_group.txt");
  EXPECT_EQ(rule(r, "no_newlink_after_dellink").answer, rule_answer::holds);
  EXPECT_EQ(rule(r, "unregister_before_uninit").answer, rule_answer::undecidable);
  EXPECT_EQ(r.model.is, model_answer::verdict::not_asked);
}

// --- mutated recordings ---------------------------------------------------------------------------------------------------

enum class change { drop, twice, swapped };
struct mutation {
  const char* name;
  const char* recording;
  change how;
  std::vector<std::string> line;
  std::size_t n = 0;
  std::vector<std::string> other;  // swapped with
  std::size_t m = 0;
};

std::vector<std::string> at_the_end_of_the_chain(std::vector<std::string> parts) {
  for (std::string& p : parts)
    if (p.starts_with(" hi ")) p.replace(0, 4, " lo ");
  return parts;
}

// Of the logging module, both records of a notification.
void change_line(lines& all, const mutation& m) {
  const auto at = static_cast<std::ptrdiff_t>(find_line(all, m.line, m.n));
  if (m.how == change::drop) all.erase(all.begin() + at);
  if (m.how == change::twice) all.insert(all.begin() + at, std::string(all[static_cast<std::size_t>(at)]));
  if (m.how == change::swapped) std::swap(all[static_cast<std::size_t>(at)], all[find_line(all, m.other, m.m)]);
}

lines mutated(const mutation& m) {
  lines all = recording(m.recording);
  if (m.line.front().starts_with(" hi ")) {
    mutation last = m;
    last.line = at_the_end_of_the_chain(m.line);
    last.other = at_the_end_of_the_chain(m.other);
    change_line(all, last);
  }
  change_line(all, m);
  renumber(all);
  return all;
}

const std::vector<mutation>& mutations() {
  static const char *onebyone = "q61_01_onebyone.trace.xz", *group = "q61_02_group.trace.xz",
                    *nsdel = "q61_03_nsdel.trace.xz", *move = "q61_04_move1.trace.xz", *macvlan = "q61_09_macvlan.trace.xz",
                    *tap = "q61_10_tap_group.trace.xz", *two = "q61_21_batchdel_2ns.nd.txt",
                    *close = "q61_22_batchclose_2ns.nd.txt", *held = "q61_29_hold_rebroadcast.nd.txt";
  static const std::vector<mutation> all = {
      {"unlist_lost", group, change::drop, {"unlist_netdevice:", "\"d7\""}},
      {"unregister_lost", group, change::drop, {" notify:", "event=6 ", "\"d3\""}},
      {"down_twice", group, change::twice, {" notify:", "event=2 ", "\"d5\""}},
      {"mc_flush_lost", group, change::drop, {"dev_mc_flush:", "\"d4\""}},
      {"uninit_before_uc_flush", group, change::swapped, {"dev_uc_flush:", "\"d2\""}, 0, {"dummy_dev_uninit:", "\"d2\""}},
      {"arp_before_fib_flush", group, change::swapped, {" fib_flush:"}, 0, {" arp_ifdown:"}},
      {"dellink_lost", group, change::drop, {"rtmsg_send:", "\"d9\""}},
      {"freed_before_the_barrier", group, change::swapped, {"free_netdev:", "\"d0\""}, 0, {"rcu_barrier_ret:"}},
      {"freed_twice", group, change::twice, {"free_netdev:", "\"d1\""}},
      {"unregister_before_unlist",
       onebyone,
       change::swapped,
       {" notify:", "event=6 ", "\"d0\""},
       0,
       {"unlist_netdevice:", "\"d0\""}},
      {"kobject_twice", onebyone, change::twice, {"netdev_unregister_kobject:", "\"d11\""}},
      {"going_down_out_of_order",
       nsdel,
       change::swapped,
       {" notify:", "event=10 ", "\"d19\""},
       0,
       {" notify:", "event=10 ", "\"d18\""}},
      {"loopback_unregistered_twice", nsdel, change::twice, {" notify:", "event=6 ", "\"lo\""}},
      {"arrives_before_it_leaves",
       move,
       change::swapped,
       {" notify:", "event=6 ", "\"d2\""},
       0,
       {" notify:", "event=5 ", "\"d2\""}},
      {"upper_not_going_down", macvlan, change::drop, {" notify:", "event=10 ", "\"m2\""}},
      {"upper_uninit_before_unregister",
       macvlan,
       change::swapped,
       {" notify:", "event=6 ", "\"m1\""},
       0,
       {"dev_mc_flush:", "\"m1\""}},
      {"tap_kobject_lost", tap, change::drop, {"netdev_unregister_kobject:", "\"t2\""}},
      {"down_before_going_down", two, change::swapped, {" hi ev=10:", "if=d0 "}, 0, {" hi ev=2:", "if=d0 "}},
      {"close_of_one_lost", close, change::drop, {" hi ev=2:", "if=e1 "}},
      {"rebroadcast_of_another", held, change::swapped, {" hi ev=6:", "if=d1 "}, 1, {" hi ev=6:", "if=d2 "}},
      {"freed_out_of_the_blue", tap, change::swapped, {"free_netdev:", "\"t0\""}, 0, {"unlist_netdevice:", "\"t3\""}},
  };
  return all;
}

class mutated_recordings : public testing::TestWithParam<mutation> {};

TEST_P(mutated_recordings, are_no_runs_of_the_model) {
  const trace_report r = report_on(joined(mutated(GetParam())));
  EXPECT_EQ(r.model.is, model_answer::verdict::not_a_run) << r.model.reason << observe::happened_text(r);
  EXPECT_THAT(r.model.explanation, HasSubstr("no run of the model goes on so"));
}

INSTANTIATE_TEST_SUITE_P(each, mutated_recordings, testing::ValuesIn(mutations()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(mutated_stacks, a_notification_that_is_missing_is_seen) {
  lines all = recording("h618_bpftrace_group.txt.xz");
  const std::size_t first = find_line(all, {" rtnetlink_event"}, 0);
  std::size_t second_down = 0, seen = 0;
  for (std::size_t i = first; i < all.size() && !second_down; ++i)
    if (all[i].find("netif_close_many+316") != std::string::npos &&
        all[i - 2].find(" rtnetlink_event") != std::string::npos && ++seen == 2)
      second_down = i - 2;
  ASSERT_GT(second_down, 0u);
  std::size_t end = second_down + 1;
  while (all[end].find(" rtnetlink_event") == std::string::npos) ++end;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(second_down), all.begin() + static_cast<std::ptrdiff_t>(end));
  const trace_report r = report_on(joined(all), "6.18");
  EXPECT_NE(r.model.is, model_answer::verdict::a_run);
  EXPECT_EQ(rule(r, "down_before_unregister").answer, rule_answer::unknown);
}

// --- damaged and unusual input --------------------------------------------------------------------------------------------

TEST(odd_input, a_last_line_that_is_cut_off_is_reported_and_not_used) {
  std::string text = joined(recording("q61_22_batchclose_2ns.nd.txt"));
  text.resize(text.size() - 10);
  const trace_report r = report_on(text);
  EXPECT_TRUE(r.source.cut);
  EXPECT_EQ(r.source.unexplained, 0u);
  ASSERT_FALSE(r.source.remarks.empty());
  EXPECT_EQ(r.source.remarks[0].line, 52u);
  EXPECT_EQ(r.model.is, model_answer::verdict::a_run) << r.model.explanation;
}

TEST(odd_input, carriage_returns_change_nothing) {
  for (const char* name : {"q61_32b_lower_del.nd.txt", "q61_09_macvlan.trace.xz", "h618_mon_group.txt"}) {
    const lines all = recording(name);
    trace_report with = report_on(joined(all, "\r\n")), without = report_on(joined(all));
    with.path = without.path = name;
    EXPECT_EQ(observe::text_of(with), observe::text_of(without));
  }
}

TEST(odd_input, a_nul_byte_makes_a_line_unexplained_and_the_rules_unknown) {
  lines all = recording("q61_21_batchdel_2ns.nd.txt");
  all[9] = std::string("\0\0\0\0", 4);
  const trace_report r = report_on(joined(all));
  ASSERT_EQ(r.source.unexplained, 1u);
  EXPECT_EQ(r.source.unexplained_lines[0].line, 10u);
  EXPECT_EQ(rule(r, "down_before_unregister").answer, rule_answer::unknown);
  EXPECT_EQ(r.model.is, model_answer::verdict::unknown);
}

TEST(odd_input, unknown_handlers_and_functions_are_counted_not_refused) {
  lines all = recording("q61_10_tap_group.trace.xz");
  all.insert(
      all.begin() + 100,
      "        iproute2-334     [000] .....   106.483050: my_event: (my_netdev_event+0x0/0xb0 [mine]) event=10 name=\"t3\"");
  all.insert(all.begin() + 200,
             "        iproute2-334     [000] .....   106.485700: sched_switch: prev_comm=ip prev_pid=1 ==> next_comm=x y");
  const trace_report r = report_on(joined(all));
  EXPECT_EQ(r.source.unexplained, 0u);
  EXPECT_EQ(r.source.others.at("my_netdev_event"), 1u);
  EXPECT_EQ(r.source.others.at("sched_switch"), 1u);
  EXPECT_EQ(r.model.is, model_answer::verdict::a_run) << r.model.explanation;
}

TEST(odd_input, a_line_that_no_grammar_explains_is_named_by_its_number) {
  lines all = recording("q61_10_tap_group.trace.xz");
  all.insert(all.begin() + 20, "this is no record");
  const trace_report r = report_on(joined(all));
  ASSERT_EQ(r.source.unexplained, 1u);
  EXPECT_EQ(r.source.unexplained_lines[0].line, 21u);
  EXPECT_THAT(r.source.unexplained_lines[0].text, HasSubstr("this is no record"));
}

TEST(odd_input, lost_records_make_rules_unknown) {
  for (const char* lost : {"CPU:1 [LOST 17 EVENTS]", "# entries-in-buffer/entries-written: 600/617   #P:2"}) {
    lines all = recording("q61_10_tap_group.trace.xz");
    all.insert(all.begin() + 200, lost);
    const trace_report r = report_on(joined(all));
    EXPECT_EQ(r.source.lost, 17u);
    EXPECT_EQ(r.source.unexplained, 0u);
    EXPECT_EQ(rule(r, "unregister_before_uninit").answer, rule_answer::unknown);
    EXPECT_EQ(r.model.is, model_answer::verdict::unknown);
  }
}

TEST(odd_input, a_gap_in_the_numbers_of_the_logging_module_is_a_loss) {
  lines all = recording("q61_21_batchdel_2ns.nd.txt");
  all.erase(all.begin() + 30);
  EXPECT_EQ(report_on(joined(all)).source.lost, 1u);
}

TEST(odd_input, another_tasks_notifications_inside_a_batch_make_the_rules_unknown) {
  lines all = recording("h618_veth2_group_stack_off.trace.xz");
  const std::size_t first = find_line(all, {"notifier_run: rtnetlink_event"}, 0),
                    second = find_line(all, {"notifier_run: rtnetlink_event"}, 1);
  lines foreign(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(second));
  for (std::string& l : foreign)
    if (const std::size_t at = l.find("ip-28945"); at != std::string::npos) l.replace(at, 8, "ip-28946");
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(second), foreign.begin(), foreign.end());
  const trace_report r = report_on(joined(all), "6.18");
  EXPECT_TRUE(r.source.doubted[static_cast<std::size_t>(observe::doubt::foreign_task)]);
  EXPECT_NE(r.model.is, model_answer::verdict::a_run);
}

TEST(odd_input, a_kworkers_batch_of_another_size_than_the_users_own_is_in_doubt) {
  const std::string text = joined(recording("h618_veth2_nsdel_stack.trace.xz"));
  observe::trace_options options;
  options.batch_size = 5;
  EXPECT_EQ(report_on(text, "6.18", options).model.is, model_answer::verdict::a_run);
  options.batch_size = 3;
  const trace_report r = report_on(text, "6.18", options);
  EXPECT_TRUE(r.source.doubted[static_cast<std::size_t>(observe::doubt::unexpected_size)]);
  EXPECT_EQ(r.model.is, model_answer::verdict::unknown);
}

TEST(odd_input, the_order_of_dellink_messages_names_devices) {
  const lines all = recording("h618_mon_group.txt");  // v0 p0 v1 p1 v2 p2
  const std::size_t end = find_line(all, {"[LINK]Deleted 7: v2"});
  const temporary_file messages(joined({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end)}));
  observe::trace_options options;
  options.dellink_file = messages.path();
  const trace_report r = report_on(joined(recording("h618_veth2_group_stack.trace.xz")), "6.18", options);
  ASSERT_EQ(r.batches.size(), 1u);
  std::string names;
  for (const auto& d : r.batches[0].devices) names += d.name + " ";
  EXPECT_EQ(names, "v0 p0 v1 p1 ");
}

TEST(odd_input, a_wait_for_references_comes_with_who_holds_them) {
  const trace_report r = report_on(
      "[  100.000001] unregister_netdevice: waiting for d1 to become free. Usage count = 3\n"
      "[  100.000002] ref_tracker: d1@ff11000005c46e00 has 1/2 users at\n"
      "[  100.000003]      dst_init+0x84/0xd0\n"
      "[  100.000004]      rt_dst_alloc+0x40/0x60\n"
      "[  100.000005] ref_tracker: leaked reference.\n"
      "[  100.000006]  netdev_get_by_name+0x12/0x40 [mine]\n"
      "[  110.000001] unregister_netdevice: waiting for d1 to become free. Usage count = 2\n");
  ASSERT_EQ(r.source.waits.size(), 2u);
  EXPECT_EQ(r.source.waits[0].count, 3);
  ASSERT_EQ(r.source.waits[0].holders.size(), 2u);
  EXPECT_THAT(r.source.waits[0].holders[0].stack, testing::ElementsAre("dst_init", "rt_dst_alloc"));
  EXPECT_THAT(r.source.waits[0].holders[1].stack, testing::ElementsAre("netdev_get_by_name"));
}

TEST(odd_input, what_is_no_trace_is_refused) {
  EXPECT_THROW(report_on("hello\nworld\n"), diagnostic);
  EXPECT_THROW(report_on(""), diagnostic);
  EXPECT_THROW(report_on(joined(recording("q61_25_move.nd.txt")), "six"), diagnostic);
}

// The devices of a long recording come and go; what is remembered does not grow.
TEST(long_input, a_recording_of_many_batches_is_judged_to_its_end) {
  const lines one = recording("q61_21_batchdel_2ns.nd.txt");
  std::string text;
  int number = 1;
  constexpr int copies = 1500;
  for (int copy = 0; copy < copies; ++copy)
    for (const std::string& l : one) {
      const std::size_t at = l.find("] ND ");
      if (at == std::string::npos) continue;
      const int us = number * 10;  // later than the line before
      text += fmt::format("[{:5}.{:06}] ND {}{}\n", 100 + us / 1000000, us % 1000000, number, l.substr(l.find(' ', at + 5)));
      ++number;
    }
  observe::trace_options options;
  options.events_compared = 3000;
  const trace_report r = report_on(text, "6.1", options);
  EXPECT_EQ(r.source.unexplained, 0u);
  EXPECT_EQ(r.batches.size() + r.more_batches, std::size_t{copies});
  EXPECT_EQ(rule(r, "down_before_unregister").answer, rule_answer::holds);
  EXPECT_EQ(rule(r, "down_before_unregister").triggered, std::uint64_t{copies} * 8);
  EXPECT_EQ(r.model.is, model_answer::verdict::unknown);
  EXPECT_THAT(r.model.reason, HasSubstr("batches are a run"));
}

}  // namespace
}  // namespace quiesce::test
