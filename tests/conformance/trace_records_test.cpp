// SPDX-License-Identifier: MIT
// Each kind of record, missing, there twice or in its neighbour's place: the comparison with the model sees it, or says that
// it cannot, or the record says nothing that a kernel could not do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/recordings.hpp"

namespace quiesce::test {
namespace {

using observe::rule_answer;
using observe::trace_report;
using testing::HasSubstr;
using verdict = observe::model_answer::verdict;

constexpr verdict run = verdict::a_run, not_run = verdict::not_a_run, unknown = verdict::unknown;

enum class change { drop, twice, swap };  // swap: with the next line that has the parts of `other`
struct record_change {
  const char* name;
  const char* recording;
  change how;
  std::vector<std::string> line;
  verdict is;
  const char* why = "";  // in the reason, the explanation or the remarks
  std::vector<std::string> other = {};
  std::size_t n = 0;
};

lines changed(const record_change& c) {
  lines all = recording(c.recording);
  const std::size_t at = find_line(all, c.line, c.n);
  if (c.how == change::drop) all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
  if (c.how == change::twice) all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), std::string(all[at]));
  if (c.how == change::swap) {
    const lines behind(all.begin() + static_cast<std::ptrdiff_t>(at) + 1, all.end());
    std::swap(all[at], all[at + 1 + find_line(behind, c.other)]);
  }
  renumber(all);
  return all;
}

const char *tap = "q61_10_tap_group.trace.xz", *macvlan = "q61_09_macvlan.trace.xz", *move = "q61_04_move1.trace.xz",
           *held = "q61_29_hold_rebroadcast.nd.txt", *two = "q61_21_batchdel_2ns.nd.txt",
           *lower = "q61_32b_lower_del.nd.txt", *exits = "q61_26_nsdel.nd.txt";

const std::vector<record_change>& changes() {
  static const std::vector<record_change> all = {
      // kprobe events: calls and returns
      {"barrier_call_lost", tap, change::drop, {" rcu_barrier:"}, not_run, "rcu_barrier_begin"},
      {"barrier_return_lost", tap, change::drop, {" rcu_barrier_ret:"}, unknown, "it has no rcu_barrier_end"},
      {"barrier_twice", tap, change::twice, {" rcu_barrier:"}, not_run},
      {"todo_call_lost", tap, change::drop, {" run_todo:"}, not_run, "", {}, 1},
      {"todo_return_lost", tap, change::drop, {" run_todo_ret:"}, not_run, "run_todo_end", {}, 1},  // the task goes on
      {"todo_twice", tap, change::twice, {" run_todo:"}, unknown, "run_todo", {}, 1},
      {"close_call_lost", tap, change::drop, {" dev_close_many:"}, unknown, "a close ends whose begin was not recorded"},
      {"close_return_lost", tap, change::drop, {" dev_close_many_ret:"}, unknown, "close_end"},
      {"close_return_twice",
       tap,
       change::twice,
       {" dev_close_many_ret:"},
       unknown,
       "a close ends whose begin was not recorded"},
      {"rollback_return_lost", tap, change::drop, {" unregister_many_ret:"}, unknown, "rollback_end"},
      {"wait_call_lost", tap, change::drop, {" synchronize_net:"}, unknown, "do not fit"},
      {"wait_return_lost", tap, change::drop, {" synchronize_net_ret:"}, not_run},
      {"wait_return_twice", tap, change::twice, {" synchronize_net_ret:"}, unknown, "do not fit"},
      {"notification_return_twice", tap, change::twice, {" notify_ret:"}, unknown, "do not fit"},
      {"rtnl_release_lost", tap, change::drop, {" __rtnl_unlock:"}, not_run, "", {}, 1},
      // kprobe events: steps
      {"going_down_lost", tap, change::drop, {" notify:", "event=10 ", "\"t1\""}, not_run},
      {"down_and_next_down", tap, change::swap, {" notify:", "event=2 ", "\"t1\""}, not_run, "", {" notify:", "event=2 "}},
      {"unregister_twice", tap, change::twice, {" notify:", "event=6 ", "\"t2\""}, not_run},
      {"unlist_and_next", tap, change::swap, {"unlist_netdevice:", "\"t0\""}, not_run, "", {"unlist_netdevice:"}},
      {"unlist_in_close",
       tap,
       change::swap,
       {" notify:", "event=2 ", "\"t0\""},
       not_run,
       "",
       {"unlist_netdevice:", "\"t0\""}},
      {"stop_twice", tap, change::twice, {"tun_net_close:", "\"t1\""}, not_run, "a device is stopped twice"},
      {"stop_after_down",
       tap,
       change::swap,
       {"tun_net_close:", "\"t0\""},
       not_run,
       "all_stopped_before_down: VIOLATED",
       {" notify:", "event=2 "}},
      {"uc_flush_twice", tap, change::twice, {"dev_uc_flush:", "\"t0\""}, not_run},
      {"mc_flush_and_next", tap, change::swap, {"dev_mc_flush:", "\"t0\""}, not_run, "", {"dev_mc_flush:"}},
      {"uninit_twice", tap, change::twice, {"tun_net_uninit:", "\"t3\""}, not_run},
      {"kobject_lost", tap, change::drop, {"netdev_unregister_kobject:", "\"t3\""}, not_run},
      {"free_lost", tap, change::drop, {"free_netdev:", "\"t3\""}, not_run},
      {"free_and_next", tap, change::swap, {"free_netdev:", "\"t0\""}, run, "", {"free_netdev:"}},  // in any order
      {"sync_down_lost", tap, change::drop, {" fib_sync_down_dev:", "\"t0\""}, not_run},
      {"fib_flush_lost", tap, change::drop, {" fib_flush:"}, unknown, "no fib_flush follows"},
      {"fib_flush_twice", tap, change::twice, {" fib_flush:"}, not_run},
      {"arp_lost", tap, change::drop, {" arp_ifdown:"}, not_run},
      {"rt_flush_dev_twice", tap, change::twice, {" rt_flush_dev:"}, not_run},
      {"newlink_twice", tap, change::twice, {" rtmsg_ifinfo:"}, not_run},
      {"dellink_not_built", tap, change::drop, {" rtmsg_build:", "\"t1\"", "type=17"}, not_run},
      {"dellink_twice", tap, change::twice, {" rtmsg_send:", "\"t1\""}, not_run},
      {"inner_rollback_lost", macvlan, change::drop, {" unregister_many0:"}, run},  // the inner function shows
      {"inner_unlist_lost", macvlan, change::drop, {"unlist_netdevice:", "\"m1\""}, not_run},
      {"moved_register_lost", move, change::drop, {" notify:", "event=5 ", "\"d1\""}, not_run},
      {"moved_unlist_twice", move, change::twice, {"unlist_netdevice:", "\"d1\""}, not_run},
      // the logging module
      {"nd_hold_lost", held, change::drop, {" hold "}, unknown, "references that the recording does not show"},
      {"nd_hold_twice", held, change::twice, {" hold "}, run},  // two references, one dropped before the log ends
      {"nd_put_lost", held, change::drop, {" put "}, run},      // not dropped before the log ends
      {"nd_put_twice", held, change::twice, {" put "}, unknown, "references that the recording does not show"},
      {"nd_begin_lost", two, change::drop, {" hi ev=2:", "if=d1 "}, unknown, "not the one that began last"},
      {"nd_end_lost", two, change::drop, {" lo ev=10:", "if=d1 "}, unknown, "the end of a notification is missing"},
      {"nd_end_twice", exits, change::twice, {" lo ev=6:", "if=d1 "}, unknown, "not the one that began last"},
      {"nd_last_end_lost", exits, change::drop, {" lo ev=6:", "if=lo "}, run},  // the log may end before it
      {"nd_batch_begin_lost", two, change::drop, {" batch_del begin"}, unknown, "of the module's batch"},
      {"nd_batch_end_twice", two, change::twice, {" batch_del end"}, unknown, "of the module's batch"},
      {"nd_begins_swapped", lower, change::swap, {" hi ev=6:", "if=m0 "}, unknown, "", {" hi ev=6:", "if=m1 "}},
  };
  return all;
}

class changed_records : public testing::TestWithParam<record_change> {};

TEST_P(changed_records, are_seen) {
  const record_change& c = GetParam();
  const trace_report r = report_on(joined(changed(c)));
  const std::string text = observe::text_of(r);
  EXPECT_EQ(r.model.is, c.is) << text;
  EXPECT_THAT(text, HasSubstr(c.why));
  if (c.is == unknown) {
    EXPECT_THAT(r.model.reason, testing::Not(testing::IsEmpty()));
  }
}

INSTANTIATE_TEST_SUITE_P(each, changed_records, testing::ValuesIn(changes()),
                         [](const auto& info) { return std::string(info.param.name); });

// The reference is dropped, and NETDEV_UNREGISTER is sent again.
TEST(references, dropped_before_the_wait_ends_explain_no_rebroadcast) {
  lines all = recording(held);
  const std::size_t put = find_line(all, {" put "}), again = find_line(all, {" hi ev=6:", "reg=3"});
  std::rotate(all.begin() + static_cast<std::ptrdiff_t>(again), all.begin() + static_cast<std::ptrdiff_t>(put),
              all.begin() + static_cast<std::ptrdiff_t>(put) + 1);
  renumber(all);
  const trace_report r = report_on(joined(all));
  EXPECT_EQ(r.model.is, unknown);
  EXPECT_THAT(r.model.reason, HasSubstr("line 42 is not explained, but references that the recording does not show"));
}

TEST(references, that_are_not_recorded_at_all_may_be_anybodys) {
  lines all = recording(held);
  std::erase_if(all, [](const std::string& l) { return l.find(" hold ") != l.npos || l.find(" put ") != l.npos; });
  renumber(all);
  EXPECT_EQ(report_on(joined(all)).model.is, run);
}

// What was never recorded is compared nowhere; the answer says so, and what it means for it.
TEST(unrecorded, functions_that_every_run_has_leave_the_answer_open) {
  for (const char* function : {"(rcu_barrier+", "(netdev_run_todo+", "(unlist_netdevice+", "(fib_sync_down_dev+"}) {
    lines all = recording(tap);
    std::erase_if(all, [&](const std::string& l) {
      return l.find(function) != l.npos ||
             l.find("<- " + std::string(function).substr(1, std::string(function).size() - 2) + ")") != l.npos;
    });
    const trace_report r = report_on(joined(all));
    EXPECT_EQ(r.model.is, unknown) << function;
    EXPECT_THAT(r.model.reason, HasSubstr("not recorded, or it did not happen")) << function;
  }
}

TEST(unrecorded, functions_that_need_not_run_do_not_matter) {
  lines all = recording("q61_04_move1.trace.xz");
  std::erase_if(all, [](const std::string& l) { return l.find("(fib_flush+") != l.npos; });
  EXPECT_NE(report_on(joined(all)).model.is, not_run);
}

TEST(unrecorded, a_device_that_its_driver_frees_is_not_held_against_the_kernel) {
  lines all = recording(tap);
  const std::size_t freed = find_line(all, {"free_netdev:", "\"t3\""}), end = find_line(all, {" run_todo_ret:"}, 1);
  std::swap(all[freed], all[end]);
  const trace_report r = report_on(joined(all));
  EXPECT_EQ(r.model.is, unknown) << r.model.explanation;
  EXPECT_THAT(r.model.reason, HasSubstr("as some drivers do it"));
}

// Its devices are registered, so that netdev_run_todo must have returned.
TEST(unrecorded, the_end_of_netdev_run_todo_follows_from_what_comes_next) {
  lines all = recording(move);
  std::erase_if(all, [](const std::string& l) { return l.find("<- netdev_run_todo)") != l.npos; });
  const trace_report r = report_on(joined(all));
  EXPECT_NE(r.model.is, not_run) << r.model.explanation;
  EXPECT_EQ(r.batches.size(), 20u);
  for (const auto& b : r.batches) EXPECT_TRUE(b.rebroadcasts.empty());
}

TEST(unrecorded, what_is_not_compared_is_listed) {
  const std::string text = observe::text_of(report_on_recording(two));
  EXPECT_THAT(text, HasSubstr("not compared with the model\n  the logging module does not record it:\n"));
  EXPECT_THAT(text, HasSubstr("  no source shows it:\n    dev_put_registration net_set_todo netdev_wait_allrefs\n"));
}

// Steps of a device that was in a batch, outside of it.
TEST(unrecorded, a_step_outside_of_every_batch_is_named) {
  lines all = recording(tap);
  all.insert(all.end(),
             "           other-999     [000] .....   107.000000: free_netdev: (free_netdev+0x0/0x1b0) name=\"t0\"");
  const trace_report r = report_on(joined(all));
  EXPECT_EQ(r.model.is, unknown);
  EXPECT_THAT(r.model.reason, HasSubstr("free_netdev of t0 is in no close, rollback or move"));
}

// A function whose return is not recorded is open for ever, as far as the records tell.
TEST(unrecorded, returns_do_not_pile_up_in_a_long_recording) {
  const std::string once = joined(recording(tap));
  std::string text;
  for (int copy = 0; copy < 300; ++copy) text += once;
  observe::trace_options options;
  options.events_compared = 0;
  const trace_report r = report_on(text, "6.1", options);
  ASSERT_EQ(r.source.remarks.size(), 1u);
  EXPECT_THAT(r.source.remarks[0].text, HasSubstr("time goes back"));
  EXPECT_EQ(rule(r, "freed_once").answer, rule_answer::unknown);
}

// --- handler runs with stacks ---------------------------------------------------------------------------------------------

using blocks = std::vector<lines>;  // one handler's run each: its line and its stack

blocks runs_of(const lines& all) {
  blocks out;
  for (const std::string& l : all) {
    if (out.empty() || (!l.empty() && l[0] != ' ' && l[0] != '\t')) out.emplace_back();
    out.back().push_back(l);
  }
  return out;
}

// The first run of the n-th call of the chain by `caller`.
std::size_t call_by(const blocks& all, const std::string& caller, std::size_t n) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i][0].ends_with(" rtnetlink_event") && all[i].size() > 2 && all[i][2].find(caller) != std::string::npos &&
        n-- == 0)
      return i;
  throw std::out_of_range(caller);
}

// The order of a call's runs and the next call's.
void swap_calls(blocks& all, std::size_t first) {
  const auto next = [&](std::size_t from) {
    while (++from < all.size() && !all[from][0].ends_with(" rtnetlink_event")) continue;
    return all.begin() + static_cast<std::ptrdiff_t>(from);
  };
  const auto second = next(first);
  std::rotate(all.begin() + static_cast<std::ptrdiff_t>(first), second,
              next(static_cast<std::size_t>(second - all.begin())));
}

trace_report report_on_runs(const blocks& all) {
  std::string text;
  for (const lines& block : all) text += joined(block);
  return report_on(text, "6.18");
}

const char* bpftrace = "h618_bpftrace_group.txt.xz";

// The records of two devices' notifications are the same but for their times.
TEST(stacks, of_two_devices_in_each_others_place_are_the_same_recording) {
  blocks all = runs_of(recording(bpftrace));
  swap_calls(all, call_by(all, "__dev_close_many", 1));
  EXPECT_EQ(report_on_runs(all).model.is, run);
}

TEST(stacks, of_unregister_and_pre_uninit_in_each_others_place_are_told_by_their_call_sites) {
  for (std::size_t n = 0; n < 7; ++n) {
    blocks all = runs_of(recording(bpftrace));
    swap_calls(all, call_by(all, "unregister_netdevice_many_notify", n));
    const trace_report r = report_on_runs(all);
    EXPECT_EQ(r.model.is, unknown) << n;
    EXPECT_THAT(observe::text_of(r), HasSubstr("places of the unregistering function in turn"));
  }
}

TEST(stacks, of_a_handler_that_is_missing_there_twice_or_early_do_not_fit) {
  const blocks whole = runs_of(recording(bpftrace));
  const std::size_t at = call_by(whole, "netif_close_many", 1) + 3;
  for (const change how : {change::drop, change::twice, change::swap}) {
    blocks all = whole;
    const auto run_at = all.begin() + static_cast<std::ptrdiff_t>(at);
    if (how == change::drop) all.erase(run_at);
    if (how == change::twice) all.insert(run_at, lines(whole[at]));
    if (how == change::swap) std::swap(all[at], all[at + 1]);
    const trace_report r = report_on_runs(all);
    EXPECT_EQ(r.model.is, unknown);
    EXPECT_EQ(rule(r, "down_batch_once_per_rollback").answer, rule_answer::unknown);
  }
}

// --- rules ----------------------------------------------------------------------------------------------------------------

TEST(rules, that_nothing_in_the_recording_could_break_are_vacuous) {
  const trace_report r = report_on_recording(tap);
  for (const char* name : {"arp_walk_once_per_close", "arp_flush_names_its_namespace", "batch_once_per_exit",
                           "down_batch_once_per_rollback", "no_down_batch_without_down"}) {
    EXPECT_EQ(rule(r, name).answer, rule_answer::never_triggered) << name;
    EXPECT_THAT(rule(r, name).reason, HasSubstr("vacuous, nothing in the recording could break it: no ")) << name;
  }
  EXPECT_EQ(rule(report_on_recording("h618_mon_group.txt"), "never_refused").answer, rule_answer::never_triggered);
  EXPECT_EQ(rule(r, "freed_once").answer, rule_answer::holds);
}

// The names of two devices that a terminal must not see.
TEST(names, are_printed_without_control_characters) {
  lines all = recording(tap);
  for (std::string& l : all)
    for (std::size_t i; (i = l.find("\"t0\"")) != std::string::npos;) l.replace(i, 4, "\"\x1b[3\xc2\x9b\xff\"");
  const std::string text = observe::text_of(report_on(joined(all)));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("free_netdev: \\x1b[3\\xc2\\x9b\\xff t1 t2 t3"));
}

}  // namespace
}  // namespace quiesce::test
