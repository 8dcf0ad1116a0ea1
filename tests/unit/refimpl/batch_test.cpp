// SPDX-License-Identifier: MIT
// Batch events: how many, where and with which device, by variant.
#include "tests/unit/refimpl/support.hpp"

namespace quiesce::refimpl {
namespace {

constexpr auto UB = event_kind::NETDEV_UNREGISTER_BATCH;
constexpr auto DB = event_kind::NETDEV_DOWN_BATCH;

std::size_t batches(const std::string& variant_name, std::size_t devices, std::size_t rounds) {
  world w(variant_name);
  net& n = w.new_net();
  for (std::size_t r = 0; r < rounds; ++r) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < devices; ++i) names.push_back("d" + std::to_string(i));
    for (const auto& name : names) w.add(n, name, false);
    EXPECT_TRUE(rtnl_delete_links(n, names)) << variant_name;
  }
  EXPECT_FALSE(w.s.stopped().has_value());
  return w.count(UB, n);
}

TEST(BatchEvents, TheSeriesAsPostedDeliversOnceForOneDeviceAndNeverAgain) {
  EXPECT_EQ(1u, batches("P1", 1, 1));
  EXPECT_EQ(1u, batches("P1", 1, 5));
}

TEST(BatchEvents, TheSeriesAsPostedNeverEndsWithTwoDevicesOfANamespace) {
  world w("P1");
  net& n = w.new_net();
  w.add(n, "a", false);
  w.add(n, "b", false);
  EXPECT_CODE(eio, rtnl_delete_links(n, {"a", "b"}));
  ASSERT_TRUE(w.s.stopped().has_value());
  EXPECT_EQ(machine_check::kind::endless_traversal, w.s.stopped()->kind);
  EXPECT_GT(w.count(UB, n), 2u);
  EXPECT_CODE(eio, do_setlink_up(n, "lo", true));  // the stack stays stopped, and RTNL is free
}

TEST(BatchEvents, WithListDebuggingTheDoubleAddItselfIsReported) {
  stack_options options;
  options.debug_list = true;
  world w("P1", options);
  net& n = w.new_net();
  w.add(n, "a", false);
  w.add(n, "b", false);
  EXPECT_CODE(eio, rtnl_delete_links(n, {"a", "b"}));
  EXPECT_EQ(machine_check::kind::list_corruption, w.s.stopped()->kind);
  EXPECT_EQ(0u, w.count(UB, n));
}

TEST(BatchEvents, FixingOnlyTheTestOrOnlyTheInitialisationDeliversNothing) {
  for (const char* v : {"P1a", "P1i"})
    for (std::size_t devices : {1u, 2u, 3u}) EXPECT_EQ(0u, batches(v, devices, 2)) << v;
}

TEST(BatchEvents, BothFixesDeliverOncePerNamespaceAndRollback) {
  for (const char* v : {"P1b", "J1", "J2", "H09", "reference"})
    for (std::size_t devices : {1u, 2u, 5u}) EXPECT_EQ(3u, batches(v, devices, 3)) << v;
}

TEST(BatchEvents, WithoutTheSeriesThereAreNone) {
  for (const char* v : {"K44", "R1", "6.1", "6.18"}) EXPECT_EQ(0u, batches(v, 3, 2)) << v;
}

TEST(BatchEvents, OnePerDeviceWithoutAnEventList) { EXPECT_EQ(3u, batches("E1", 3, 1)); }

TEST(BatchEvents, WithoutNetworkNamespacesTheListPathsDeliverNothing) {
  variant_policy p = variant("J1");
  p.net_ns = false;
  world w(p);
  net& n = w.s.init_net();
  w.add(n, "a");
  EXPECT_TRUE(rtnl_dellink(n, "a"));
  EXPECT_EQ(0u, w.count(UB) + w.count(DB));
}

std::vector<std::string> order(const std::string& variant_name) {
  world w(variant_name);
  net& n = w.new_net();
  const auto a = std::to_string(w.add(n, "a").id), b = std::to_string(w.add(n, "b").id);
  w.s.events.clear();
  EXPECT_TRUE(rtnl_delete_links(n, {"a", "b"}));
  auto lines = w.trace({event_kind::NETDEV_UNREGISTER, UB, event_kind::ndo_uninit});
  for (std::string& l : lines) {
    l = l.substr(0, l.find(' ') + 1) + (l.ends_with(" " + a) ? "a" : l.ends_with(" " + b) ? "b" : "lo");
    if (l.starts_with("NETDEV_")) l = l.substr(7);
  }
  return lines;
}

TEST(BatchEvents, ComeAfterUninitAsPosted) {
  EXPECT_EQ(
      (std::vector<std::string>{"UNREGISTER a", "ndo_uninit a", "UNREGISTER b", "ndo_uninit b", "UNREGISTER_BATCH lo"}),
      order("P1b"));
}

TEST(BatchEvents, ComeBetweenUnregisterAndUninitAsReviewed) {
  EXPECT_EQ(
      (std::vector<std::string>{"UNREGISTER a", "UNREGISTER b", "UNREGISTER_BATCH lo", "ndo_uninit a", "ndo_uninit b"}),
      order("J1"));
}

TEST(BatchEvents, CarryADeviceThatStillHoldsItsReferenceInTheReference) {
  EXPECT_EQ((std::vector<std::string>{"UNREGISTER a", "UNREGISTER b", "UNREGISTER_BATCH a", "ndo_uninit a", "ndo_uninit b"}),
            order("reference"));
}

TEST(BatchEvents, DownBatchComesOnceAfterTheLastDownAndOnlyIfADeviceWasUp) {
  for (const char* v : {"P1b", "J1", "reference"}) {
    world w(v);
    net& n = w.new_net();
    w.add(n, "a");
    w.add(n, "b");
    w.add(n, "c", false);
    w.s.events.clear();
    EXPECT_TRUE(rtnl_delete_links(n, {"c"}));
    EXPECT_EQ(0u, w.count(DB)) << v;
    w.s.events.clear();
    EXPECT_TRUE(rtnl_delete_links(n, {"a", "b"}));
    const auto lines = w.trace({event_kind::NETDEV_DOWN, DB});
    ASSERT_EQ(3u, lines.size()) << v;
    EXPECT_TRUE(lines[2].starts_with("NETDEV_DOWN_BATCH")) << v;
  }
}

TEST(BatchEvents, TwoNamespacesInOneBatchGetOneEach) {
  for (const char* v : {"P1b", "J1", "H09", "reference"}) {
    world w(v);
    net &a = w.new_net(), &b = w.new_net();
    for (net* n : {&a, &b})
      for (const char* d : {"x", "y"}) w.add(*n, d);
    w.s.events.clear();
    EXPECT_TRUE(cleanup_net(w.s, {&a, &b})) << v;
    EXPECT_EQ(1u, w.count(UB, a)) << v;
    EXPECT_EQ(1u, w.count(UB, b)) << v;
    EXPECT_CONSISTENT(w);
  }
}

TEST(BatchEvents, EachNamespaceOfACloseGetsItsDownBatchTheLastOneToo) {
  for (const char* v : {"P1b", "J1", "E1", "reference"}) {
    world w(v);
    net &a = w.new_net(), &b = w.new_net();
    for (net* n : {&a, &b}) w.add(*n, "x");
    w.s.events.clear();
    EXPECT_TRUE(cleanup_net(w.s, {&a, &b})) << v;
    EXPECT_EQ(1u, w.count(DB, a)) << v;
    EXPECT_EQ(1u, w.count(DB, b)) << v;
  }
}

TEST(BatchEvents, ANamespaceWithoutLoopbackPassesNullAndTheFirstHandlerWouldOops) {
  world w("J1");
  notifier_block veto{"veto", [](const netdev_notifier_info& i) {
                        const bool lo = i.dev != nullptr && i.dev->name == "lo" && i.event == event_kind::NETDEV_REGISTER;
                        return lo && i.dev->nd_net.load()->id != 0 ? NOTIFY_BAD : NOTIFY_DONE;
                      }};
  ASSERT_TRUE(register_netdevice_notifier(w.s, veto));
  EXPECT_FALSE(setup_net(w.s));
  ASSERT_TRUE(w.s.stopped().has_value());
  EXPECT_EQ(machine_check::kind::null_dereference, w.s.stopped()->kind);
}

TEST(BatchEvents, TheOldChainTellsUserSpaceOfALinkThatIsGone) {
  world w("P1b");
  net& n = w.new_net();
  EXPECT_TRUE(do_setlink_up(n, "lo", true));
  w.add(n, "a");
  w.s.events.clear();
  EXPECT_TRUE(rtnl_dellink(n, "a"));
  const auto lines = w.trace({event_kind::RTM_NEWLINK, event_kind::RTM_DELLINK});
  const std::string lo = " " + std::to_string(n.loopback_dev.load()->id);
  EXPECT_EQ(2, std::count(lines.begin(), lines.end(), "RTM_NEWLINK" + lo));  // one per batch event
}

TEST(BatchEvents, ARollbackNestedInAQueuedCloseLosesItsDownBatchInTheSeriesNotInTheReference) {
  for (const char* v : {"J1", "reference"}) {
    world w(v);
    net& n = w.new_net();
    w.add(n, "outer");
    net_device& victim = w.add(n, "victim");
    notifier_block nested{"nested", [&](const netdev_notifier_info& i) {
                            if (i.event == event_kind::NETDEV_GOING_DOWN && i.dev->name == "outer") {
                              EXPECT_TRUE(unregister_netdevice_queue(victim, nullptr));
                            }
                            return NOTIFY_DONE;
                          }};
    ASSERT_TRUE(register_netdevice_notifier(w.s, nested));
    w.s.events.clear();
    EXPECT_TRUE(do_setlink_up(n, "outer", false));
    // The shared node is on the outer close's list, so the inner UNREGISTER_BATCH is lost.
    EXPECT_EQ(std::string(v) == "J1" ? 0u : 1u, w.count(UB, n)) << v;
    EXPECT_CONSISTENT(w);
    EXPECT_TRUE(unregister_netdevice_notifier(w.s, nested));
  }
}

}  // namespace
}  // namespace quiesce::refimpl
