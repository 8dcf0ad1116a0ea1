// SPDX-License-Identifier: MIT
// The shipped properties on hand-written traces of the kernel variants.

#include <gtest/gtest.h>

#include <algorithm>

#include "quiesce_paths.hpp"
#include "tests/unit/monitor_trace.hpp"

namespace quiesce::test {
namespace {

ast::property_file read(const std::string& name) {
  language::source_set sources;
  return language::parse_properties(sources, sources.read(std::string(QUIESCE_SOURCE_DIR) + "/properties/" + name));
}

class teardown : public testing::Test {
 protected:
  std::string run(const std::string& trace, const std::string& only = "") { return run(file, trace, only); }
  std::string run_close(const std::string& trace, const std::string& only) { return run(closes, trace, only); }
  std::string run(const ast::property_file& from, const std::string& trace, const std::string& only) {
    std::vector<const ast::property*> chosen;
    for (const auto& p : from.properties)
      if (only.empty() || p.name == only) chosen.push_back(&p);
    if (chosen.empty()) return "no such property";
    monitor_run r(vocabulary.vocabularies.at(0), chosen);
    std::string found = r.push(trace);
    matched = r.outcome().matched;
    return found;
  }
  ast::property_file vocabulary = read("events.prop"), file = read("teardown.prop"), closes = read("close.prop");
  std::uint64_t matched = 0;
};

const std::string gp = "synchronize_net_begin; synchronize_net_end; ";
std::string down(const std::string& d, const std::string& n) {
  return "NETDEV_GOING_DOWN " + d + " " + n + "; NETDEV_DOWN " + d + " " + n + "; ";
}
std::string uninit(const std::string& d, const std::string& n) {
  std::string dn = " " + d + " " + n + "; ";
  return "dev_uc_flush" + dn + "dev_mc_flush" + dn + "ndo_uninit" + dn + "netdev_unregister_kobject" + dn;
}
const std::string close_both = "close_begin {a,b}; " + down("a", "n") + down("b", "n");
const std::string unlist_both = "unlist_netdevice a n; unlist_netdevice b n; " + gp;
const std::string finish =
    gp + "dev_put_registration a; dev_put_registration b; rollback_end; net_set_todo a; net_set_todo b; rtnl_unlock";
const std::string up_both = "NETDEV_UP a n; NETDEV_UP b n; rtnl_lock; ";

// Two loops, a batch event between them, as the review asked for.
const std::string reviewed = up_both + "rollback_begin {a,b}; " + close_both + "NETDEV_DOWN_BATCH lo_n n; close_end; " +
                             unlist_both + "NETDEV_UNREGISTER a n; NETDEV_UNREGISTER b n; NETDEV_UNREGISTER_BATCH lo_n n; " +
                             uninit("a", "n") + uninit("b", "n") + finish;

TEST_F(teardown, the_reviewed_order_keeps_every_rule) { EXPECT_EQ(run(reviewed), ""); }

TEST_F(teardown, the_base_kernel_breaks_what_is_proposed_only) {
  const std::string trace = up_both + "rollback_begin {a}; close_begin {a}; " + down("a", "n") +
                            "close_end; unlist_netdevice a n; " + gp + "NETDEV_UNREGISTER a n; " + uninit("a", "n") + gp +
                            "dev_put_registration a; rollback_end";
  EXPECT_EQ(run(trace),
            "down_batch_after_last_down@7 batch_before_uninit@12 batch_before_uninit@13 batch_before_uninit@14 "
            "batch_before_uninit@15 "
            "batch_once_per_net@19");
}

TEST_F(teardown, one_loop_uninitialises_before_the_others_unregister) {
  const std::string trace =
      "rollback_begin {a,b}; NETDEV_UNREGISTER a n; ndo_uninit a n; NETDEV_UNREGISTER b n; ndo_uninit b n";
  EXPECT_EQ(run(trace, "all_unregister_before_any_uninit"), "all_unregister_before_any_uninit@2");
  EXPECT_EQ(run(trace, "unregister_before_uninit"), "");
  EXPECT_EQ(run("rollback_begin {a}; ndo_uninit a n", "unregister_before_uninit"), "unregister_before_uninit@1");
}

TEST_F(teardown, batch_once_per_net) {
  const std::string begin = "rollback_begin {a,b}; unlist_netdevice a n; unlist_netdevice b m; ";
  const char* const p = "batch_once_per_net";
  EXPECT_EQ(run(begin + "NETDEV_UNREGISTER_BATCH a n; NETDEV_UNREGISTER_BATCH b m; rollback_end", p), "");
  EXPECT_EQ(run(begin + "NETDEV_UNREGISTER_BATCH a n; rollback_end", p), "batch_once_per_net@4");
  EXPECT_EQ(
      run(begin + "NETDEV_UNREGISTER_BATCH a n; NETDEV_UNREGISTER_BATCH b m; NETDEV_UNREGISTER_BATCH a n; rollback_end", p),
      "batch_once_per_net@6");
  EXPECT_EQ(
      run(begin + "NETDEV_UNREGISTER_BATCH a n; NETDEV_UNREGISTER_BATCH b m; NETDEV_UNREGISTER_BATCH c k; rollback_end", p),
      "batch_once_per_net@6");
  // A nested rollback of the same namespace sends its own: that one is not the outer one's.
  EXPECT_EQ(run("rollback_begin {a}; unlist_netdevice a n; rollback_begin {v}; unlist_netdevice v n; "
                "NETDEV_UNREGISTER_BATCH v n; rollback_end; "
                "NETDEV_UNREGISTER_BATCH a n; rollback_end",
                p),
            "");
}

TEST_F(teardown, unregister_before_batch_reads_the_namespace_of_each_device) {
  const char* const p = "unregister_before_batch";
  const std::string begin = "rollback_begin {a,b}; unlist_netdevice a n; unlist_netdevice b m; NETDEV_UNREGISTER a n; ";
  EXPECT_EQ(run(begin + "NETDEV_UNREGISTER_BATCH a n; NETDEV_UNREGISTER_BATCH b m", p), "unregister_before_batch@5");
  EXPECT_EQ(run("NETDEV_UNREGISTER_BATCH a n", p), "");
  EXPECT_EQ(matched, 0u);
}

TEST_F(teardown, down_batch_is_judged_where_the_outermost_close_ends) {
  const char* const p = "down_batch_after_last_down";
  EXPECT_EQ(
      run("close_begin {a}; NETDEV_DOWN a n; close_begin {v}; NETDEV_DOWN v n; close_end; NETDEV_DOWN_BATCH a n; close_end",
          p),
      "");
  EXPECT_EQ(
      run("close_begin {a}; NETDEV_DOWN a n; NETDEV_DOWN_BATCH a n; close_begin {v}; NETDEV_DOWN v n; close_end; close_end",
          p),
      "down_batch_after_last_down@6");
  EXPECT_EQ(run("close_begin {a}; NETDEV_DOWN a n; NETDEV_DOWN_BATCH a m; close_end", p), "down_batch_after_last_down@3");
}

TEST_F(teardown, no_down_batch_after_unregister_of_the_same_rollback) {
  const char* const p = "no_down_batch_after_unregister";
  EXPECT_EQ(run("rollback_begin {a}; NETDEV_UNREGISTER a n; close_begin {b}; NETDEV_DOWN_BATCH b n; close_end", p),
            "no_down_batch_after_unregister@3");
  EXPECT_EQ(run("rollback_begin {a}; NETDEV_UNREGISTER a n; rollback_begin {v}; close_begin {v}; NETDEV_DOWN_BATCH v n; "
                "close_end; rollback_end",
                p),
            "");
  EXPECT_EQ(run("replay_begin; NETDEV_DOWN a n; NETDEV_DOWN_BATCH a n; NETDEV_UNREGISTER a n; NETDEV_DOWN b n; "
                "NETDEV_DOWN_BATCH b n; replay_end",
                "no_down_batch_after_unregister_in_replay"),
            "no_down_batch_after_unregister_in_replay@5");
  EXPECT_EQ(run("rollback_begin {a}; NETDEV_UNREGISTER_BATCH a n; close_begin {b}; NETDEV_DOWN_BATCH b n",
                "no_down_batch_after_unregister_batch"),
            "no_down_batch_after_unregister_batch@3");
}

TEST_F(teardown, batch_device_alive) {
  const char* const p = "batch_device_alive";
  EXPECT_EQ(run("NETDEV_DOWN_BATCH a n; dev_put_registration a; NETDEV_REGISTER a n; NETDEV_UNREGISTER_BATCH a n", p), "");
  EXPECT_EQ(run("NETDEV_DOWN_BATCH none n; dev_put_registration a; NETDEV_UNREGISTER_BATCH a n", p),
            "batch_device_alive@0 batch_device_alive@2");
}

TEST_F(teardown, grace_periods_need_both_ends) {
  const std::string begin = "synchronize_net_begin; synchronize_net_end; rollback_begin {a}; ";
  const char* const p = "grace_period_before_uninit";
  EXPECT_EQ(run(begin + "unlist_netdevice a n; " + gp + "ndo_uninit a n", p), "");
  EXPECT_EQ(run(begin + "unlist_netdevice a n; ndo_uninit a n", p), "grace_period_before_uninit@4");
  EXPECT_EQ(run(begin + "synchronize_net_begin; unlist_netdevice a n; synchronize_net_end; ndo_uninit a n", p),
            "grace_period_before_uninit@6");
  EXPECT_EQ(run(begin + "ndo_uninit a n; " + gp + "dev_put_registration a", "grace_period_before_dev_put"), "");
  EXPECT_EQ(run(begin + "ndo_uninit a n; 1: synchronize_net_begin; 1: synchronize_net_end; dev_put_registration a",
                "grace_period_before_dev_put"),
            "grace_period_before_dev_put@6");
}

TEST_F(teardown, other_rules) {
  EXPECT_EQ(run("NETDEV_UP a n; rollback_begin {a}; NETDEV_UNREGISTER a n", "down_before_unregister"),
            "down_before_unregister@2");
  EXPECT_EQ(run("rollback_begin {a}; NETDEV_UNREGISTER a n", "unlist_before_unregister"), "unlist_before_unregister@1");
  EXPECT_EQ(run("rollback_begin {a}; 1: rtnl_unlock; close_begin {a}; rtnl_unlock", "rtnl_kept_in_rollback"),
            "rtnl_kept_in_rollback@3");
  EXPECT_EQ(run("RTM_NEWLINK n a; RTM_DELLINK n a; RTM_NEWLINK n a; NETDEV_REGISTER a n; RTM_NEWLINK n a",
                "no_newlink_after_dellink"),
            "no_newlink_after_dellink@2");
}

TEST_F(teardown, closes) {
  const std::string up = "NETDEV_UP a n; NETDEV_UP b m; close_begin {a,b}; ";
  EXPECT_EQ(run_close(up + "ndo_stop a; ndo_stop b; NETDEV_DOWN a n; NETDEV_DOWN b m", "all_stopped_before_down"), "");
  EXPECT_EQ(run_close(up + "ndo_stop a; NETDEV_DOWN a n; ndo_stop b; NETDEV_DOWN b m", "all_stopped_before_down"),
            "all_stopped_before_down@4");
  const std::string two = "NETDEV_UP a n; NETDEV_UP b m; rollback_begin {a,b}; close_begin {a}; ndo_stop a; ";
  EXPECT_EQ(run_close(two + "NETDEV_DOWN a n", "rollback_stops_all_before_down"), "rollback_stops_all_before_down@5");
  EXPECT_EQ(run_close(two + "ndo_stop b; NETDEV_DOWN a n", "rollback_stops_all_before_down"), "");
  EXPECT_EQ(run_close("NETDEV_UP a n; NETDEV_DOWN a n; NETDEV_DOWN a n", "down_only_if_up"), "down_only_if_up@2");
  const std::string batch = "NETDEV_DOWN_BATCH a n; ";
  EXPECT_EQ(run_close("close_begin {a}; " + batch, "no_down_batch_without_down"), "no_down_batch_without_down@1");
  EXPECT_EQ(run_close("close_begin {a}; NETDEV_DOWN a n; " + batch, "no_down_batch_without_down"), "");
  EXPECT_EQ(run_close("rollback_begin {a}; " + batch + batch + "rollback_end", "down_batch_once_per_rollback"),
            "down_batch_once_per_rollback@3");
  EXPECT_EQ(run_close("rollback_begin {a}; " + batch + "rollback_begin {b}; " + batch + "rollback_end; rollback_end",
                      "down_batch_once_per_rollback"),
            "");
}

TEST_F(teardown, what_lies_around_pre_uninit_and_arp) {
  const std::string told = "rollback_begin {a}; NETDEV_UNREGISTER a n; ";
  EXPECT_EQ(run_close(told + "NETDEV_PRE_UNINIT a n; ndo_uninit a n", "pre_uninit_before_uninit"), "");
  EXPECT_EQ(run_close(told + "ndo_uninit a n", "pre_uninit_before_uninit"), "pre_uninit_before_uninit@2");
  EXPECT_EQ(run_close(told + "NETDEV_PRE_UNINIT a n", "batch_before_pre_uninit"), "batch_before_pre_uninit@2");
  EXPECT_EQ(run_close(told + "NETDEV_UNREGISTER_BATCH a n; NETDEV_PRE_UNINIT a n", "batch_before_pre_uninit"), "");
  EXPECT_EQ(run_close("close_begin {a}; arp_ifdown_all; arp_ifdown_all; close_end", "arp_walk_once_per_close"),
            "arp_walk_once_per_close@3");
  EXPECT_EQ(run_close("arp_ifdown_net n; arp_ifdown_all", "arp_flush_names_its_namespace"),
            "arp_flush_names_its_namespace@1");
}

// Every shipped property: compiles, has a sentence and a rule, and stands in the table of the README.
TEST_F(teardown, every_shipped_property_compiles_and_is_in_the_table) {
  language::source_set sources;
  const std::string table(sources.text(sources.read(std::string(QUIESCE_SOURCE_DIR) + "/properties/README.md")));
  std::vector<ast::property_file> files;
  for (const char* name : {"teardown.prop", "close.prop", "lists.prop", "lifetime.prop", "fib.prop"})
    files.push_back(read(name));
  std::vector<const ast::property*> all;
  for (const auto& f : files)
    for (const auto& p : f.properties) all.push_back(&p);
  auto set = monitors::compile(vocabulary.vocabularies.at(0), all);
  for (const auto& m : set.monitors) {
    EXPECT_FALSE(m.source->sentence.empty()) << m.source->name;
    EXPECT_FALSE(m.source->rules.empty()) << m.source->name;
    EXPECT_NE(table.find("`" + m.source->name + "`"), std::string::npos) << m.source->name;
  }
}

// What keeps the time of an event from growing with the elements that were ever seen.
TEST_F(teardown, a_quantifier_over_the_members_of_a_span_ranges_over_them_only) {
  for (const auto& p : file.properties) {
    if (p.name != "all_unregister_before_any_uninit" && p.name != "unregister_before_batch") continue;
    const monitors::monitor_set set = monitors::compile(vocabulary.vocabularies.at(0), {&p});
    const auto places = monitors::mentions_of_quantifier(set, set.monitors.at(0).checks.at(0).condition);
    ASSERT_TRUE(places.has_value()) << p.name;
    ASSERT_EQ(places->size(), 1u) << p.name;
    EXPECT_EQ(places->front().in, monitors::mention::place::members) << p.name;
  }
}

TEST_F(teardown, a_free_variable_ranges_over_what_its_counter_counted) {
  const ast::property_file neigh = read("neigh.prop");
  for (const auto& p : neigh.properties) {
    if (p.name != "arp_walks_at_most_twice") continue;
    const monitors::monitor_set set = monitors::compile(vocabulary.vocabularies.at(0), {&p});
    const monitors::check& c = set.monitors.at(0).checks.at(0);
    const auto places = monitors::mentions_beside(set, c.condition, c.free.at(0).first, true);
    ASSERT_TRUE(places.has_value());
    ASSERT_EQ(places->size(), 1u);
    EXPECT_EQ(places->front().in, monitors::mention::place::cell);
    EXPECT_EQ(places->front().key, 0u);
  }
}

TEST_F(teardown, a_retired_property_is_checked_no_more_and_the_others_are) {
  std::vector<const ast::property*> chosen;
  for (const auto& p : file.properties)
    if (p.name == "unregister_before_uninit" || p.name == "down_before_unregister") chosen.push_back(&p);
  monitor_run r(vocabulary.vocabularies.at(0), chosen);
  EXPECT_EQ(r.push("ndo_uninit a n"), "unregister_before_uninit@0");
  r.monitor().retire(chosen.at(0)->name == "unregister_before_uninit" ? 0 : 1);
  EXPECT_EQ(r.push("ndo_uninit a n; NETDEV_UP a n; rollback_begin {a}; NETDEV_UNREGISTER a n"), "down_before_unregister@4");
}

TEST_F(teardown, an_element_that_is_forgotten_starts_anew_under_its_number) {
  std::vector<const ast::property*> chosen;
  for (const auto& p : file.properties)
    if (p.name == "unregister_before_uninit") chosen.push_back(&p);
  monitor_run r(vocabulary.vocabularies.at(0), chosen);
  EXPECT_EQ(r.push("NETDEV_REGISTER a n; NETDEV_UNREGISTER a n; ndo_uninit a n"), "");
  r.monitor().forget({{"dev", {true}}});
  EXPECT_EQ(r.push("ndo_uninit a n"), "unregister_before_uninit@3");
}

}  // namespace
}  // namespace quiesce::test
