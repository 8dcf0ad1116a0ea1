// SPDX-License-Identifier: MIT
// Registration, close, unregister, todo list, waiting for references, moving, namespaces, replay.
#include <thread>

#include "tests/unit/refimpl/support.hpp"

namespace quiesce::refimpl {
namespace {

TEST(Registration, IsVisibleByNameAndIndexAndFreedAfterItsReferencesAreGone) {
  world w("6.1");
  net& n = w.new_net();
  net_device& dev = w.add(n, "a");
  net_device* found = dev_get_by_name(n, "a");
  ASSERT_EQ(&dev, found);
  EXPECT_EQ(&dev, __dev_get_by_index(n, dev.ifindex));
  EXPECT_TRUE(dev_put(dev, holder::lookup));
  const auto freed = w.s.counters.devices_freed.load();
  EXPECT_TRUE(rtnl_dellink(n, "a"));
  EXPECT_EQ(freed + 1, w.s.counters.devices_freed.load());
  EXPECT_EQ(nullptr, dev_get_by_name(n, "a"));
  EXPECT_CONSISTENT(w);
}

TEST(Registration, AVetoRollsBackAndNothingIsLeft) {
  for (const variant_policy& v : variants()) {
    if (v.name == "P1") continue;  // its lists are broken already with one device
    world w(v);
    net& n = w.new_net();
    notifier_block veto{"veto", [](const netdev_notifier_info& i) {
                          const bool mine = i.dev != nullptr && i.dev->name == "a" && i.event == event_kind::NETDEV_REGISTER;
                          return mine ? notifier_from_errno(error::ebusy) : NOTIFY_DONE;
                        }};
    ASSERT_TRUE(register_netdevice_notifier(w.s, veto));
    const std::size_t before = w.s.devices().size();
    link_request r;
    r.name = "a";
    EXPECT_CODE(ebusy, rtnl_newlink(n, r)) << v.name;
    EXPECT_EQ(before, w.s.devices().size()) << v.name;
    EXPECT_CONSISTENT(w) << v.name;
    EXPECT_TRUE(unregister_netdevice_notifier(w.s, veto));
  }
}

TEST(Close, AllDevicesAreDownBeforeTheFirstIsAnnounced) {
  world w("K44");
  net& n = w.new_net();
  net_device &a = w.add(n, "a"), &b = w.add(n, "b");
  int looks = 0;
  notifier_block watch{"watch", [&](const netdev_notifier_info& i) {
                         if (i.event == event_kind::NETDEV_DOWN) {
                           ++looks;
                           EXPECT_FALSE(dev_up(a));
                           EXPECT_FALSE(dev_up(b));
                         }
                         if (i.event == event_kind::NETDEV_GOING_DOWN) {
                           EXPECT_TRUE(dev_up(*i.dev));
                         }
                         return NOTIFY_DONE;
                       }};
  ASSERT_TRUE(register_netdevice_notifier(w.s, watch));
  looks = 0;
  EXPECT_TRUE(rtnl_delete_links(n, {"a", "b"}));
  EXPECT_EQ(2, looks);
  EXPECT_TRUE(unregister_netdevice_notifier(w.s, watch));
}

TEST(Unregister, TheStepsOfOneDeviceComeInTheOrderOfTheKernel) {
  world w("6.18");
  net& n = w.new_net();
  w.add(n, "a");
  w.s.events.clear();
  EXPECT_TRUE(rtnl_dellink(n, "a"));
  std::vector<std::string> kinds;
  for (const std::string& l : w.trace({event_kind::NETDEV_GOING_DOWN,
                                       event_kind::ndo_stop,
                                       event_kind::NETDEV_DOWN,
                                       event_kind::unlist_netdevice,
                                       event_kind::synchronize_net_end,
                                       event_kind::dev_shutdown,
                                       event_kind::NETDEV_UNREGISTER,
                                       event_kind::dev_uc_flush,
                                       event_kind::dev_mc_flush,
                                       event_kind::NETDEV_PRE_UNINIT,
                                       event_kind::ndo_uninit,
                                       event_kind::RTM_DELLINK,
                                       event_kind::netdev_unregister_kobject,
                                       event_kind::dev_put_registration,
                                       event_kind::net_set_todo,
                                       event_kind::rtnl_unlock,
                                       event_kind::run_todo_begin,
                                       event_kind::rcu_barrier_begin,
                                       event_kind::netdev_wait_allrefs,
                                       event_kind::free_netdev,
                                       event_kind::run_todo_end}))
    kinds.push_back(l.substr(0, l.find(' ')));
  const std::vector<std::string> expected = {"NETDEV_GOING_DOWN",
                                             "synchronize_net_end",
                                             "ndo_stop",
                                             "NETDEV_DOWN",
                                             "unlist_netdevice",
                                             "synchronize_net_end",
                                             "dev_shutdown",
                                             "NETDEV_UNREGISTER",
                                             "dev_uc_flush",
                                             "dev_mc_flush",
                                             "NETDEV_PRE_UNINIT",
                                             "ndo_uninit",
                                             "RTM_DELLINK",
                                             "netdev_unregister_kobject",
                                             "synchronize_net_end",
                                             "dev_put_registration",
                                             "net_set_todo",
                                             "rtnl_unlock",
                                             "run_todo_begin",
                                             "rcu_barrier_begin",
                                             "netdev_wait_allrefs"};
  ASSERT_GE(kinds.size(), expected.size());
  EXPECT_EQ(expected, std::vector<std::string>(kinds.begin(), kinds.begin() + static_cast<long>(expected.size())));
  EXPECT_EQ("run_todo_end", kinds.back());
}

TEST(Unregister, SpansNestAndNameTheirDevices) {
  world w("J1");
  net& n = w.new_net();
  const std::int32_t a = w.add(n, "a").id, b = w.add(n, "b", false).id;
  w.s.events.clear();
  EXPECT_TRUE(rtnl_delete_links(n, {"a", "b"}));
  const auto events = w.s.events.collect();
  bool rollback = false, close = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != event_kind::rollback_begin && events[i].kind != event_kind::close_begin) continue;
    EXPECT_EQ((std::vector<std::int32_t>{a, b}), recorder::members(events, i));
    (events[i].kind == event_kind::rollback_begin ? rollback : close) = true;
  }
  EXPECT_TRUE(rollback && close);
}

TEST(Unregister, DevicesThatNeedTheInstanceLockAreClosedFirst) {
  world w("6.18");
  net& n = w.new_net();
  link_request r;
  r.name = "locked";
  r.need_ops_lock = true;
  w.add(n, "plain");
  const std::int32_t locked = rtnl_newlink(n, r).value()->id;
  EXPECT_TRUE(do_setlink_up(n, "locked", true));
  w.s.events.clear();
  EXPECT_TRUE(rtnl_delete_links(n, {"plain", "locked"}));
  EXPECT_EQ("NETDEV_DOWN " + std::to_string(locked), w.trace({event_kind::NETDEV_DOWN}).front());
  EXPECT_CONSISTENT(w);
}

// --- waiting for references ---

// v6.1 waits for a grace period in every close; v4.4 does not where all its devices are about to be unregistered.
constexpr double grace_period_of_close = 10;

double ms_to_unregister(const std::string& variant_name, unsigned depth, unsigned delay_ms = 0) {
  world w(variant_name);
  net& n = w.new_net();
  net_device& dev = w.add(n, "a", false);
  EXPECT_TRUE(w.locked([&] { return delay_ms != 0 ? dev_hold_delayed(dev, delay_ms) : dev_hold_chain(dev, depth); }));
  const auto begin = w.s.sched.now();
  EXPECT_TRUE(rtnl_dellink(n, "a"));
  return std::chrono::duration<double, std::milli>(w.s.sched.now() - begin).count();
}

TEST(WaitForReferences, AnExtraGracePeriodCostsTheSleepOfEachVariant) {
  // Two callbacks are served by the grace period before the registration reference is dropped and by run_todo's barrier; the
  // third is what the loop waits for.
  const double k44 = ms_to_unregister("K44", 3), r16 = ms_to_unregister("R16", 3);
  EXPECT_NEAR(234, k44 + grace_period_of_close - r16, 1);
  EXPECT_LT(ms_to_unregister("R1", 3), r16);
  EXPECT_LE(ms_to_unregister("RLZ", 3), ms_to_unregister("R1", 3));
}

TEST(WaitForReferences, ABarrierEachTurnServesOneLinkOfTheChainEachTurn) {
  for (unsigned depth = 1; depth < 8; ++depth)
    EXPECT_LE(ms_to_unregister("RLZ", depth), ms_to_unregister("K44", depth) + grace_period_of_close) << depth;
}

TEST(WaitForReferences, TheMergedBackOffNoticesSomeReleasesLaterThanThePostedOne) {
  EXPECT_GT(ms_to_unregister("R1", 0, 200), ms_to_unregister("R16", 0, 200) - 1);
}

TEST(WaitForReferences, AStuckDeviceIsRebroadcastOnceASecondAndReported) {
  for (const char* v : {"K44", "R16", "R1", "RANY", "RLZ", "reference"}) {
    world w(v);
    net& n = w.new_net();
    net_device& dev = w.add(n, "a");
    EXPECT_TRUE(w.locked([&] { return dev_hold_delayed(dev, 12'000); }));
    w.s.events.clear();
    EXPECT_TRUE(rtnl_dellink(n, "a")) << v;
    const auto rebroadcasts = w.s.counters.rebroadcasts.load();
    EXPECT_GE(rebroadcasts, 8u) << v;
    EXPECT_LE(rebroadcasts, 12u) << v;
    EXPECT_EQ(1u, w.count(event_kind::unregister_netdevice_warning)) << v;
    EXPECT_CONSISTENT(w) << v;
  }
}

TEST(WaitForReferences, AReferenceThatIsNeverDroppedStopsTheRunAtTheLimit) {
  stack_options options;
  options.wait_limit_ms = 5'000;
  world w("6.1", options);
  net& n = w.new_net();
  dev_hold(w.add(n, "a"), holder::user);
  EXPECT_CODE(eio, rtnl_dellink(n, "a"));
  EXPECT_NE(std::string::npos, w.s.stopped()->what.find("a usage 2"));
}

// A device whose destructor drops the reference that another one waits for: in list order that never ends.
void cross_reference(const char* variant_name, bool ends) {
  stack_options options;
  options.wait_limit_ms = 20'000;
  world w(variant_name, options);
  net& n = w.new_net();
  net_device &real = w.add(n, "real"), &macsec = w.add(n, "macsec");
  dev_hold(real, holder::user);
  macsec.priv_destructor = [&real](net_device&) { EXPECT_TRUE(dev_put(real, holder::user)); };
  EXPECT_EQ(ends, static_cast<bool>(rtnl_delete_links(n, {"real", "macsec"}))) << variant_name;
}

TEST(WaitForReferences, OutOfOrderWaitingEndsWhereWaitingInOrderDeadlocks) {
  cross_reference("K44", false);
  cross_reference("R1", false);
  cross_reference("RANY", true);
  cross_reference("RLZ", true);
  cross_reference("reference", true);
}

TEST(WaitForReferences, TheSleepsAreThoseOfTheVariant) {
  const auto sleeps = [](const char* v) {
    world w(v);
    net& n = w.new_net();
    net_device& dev = w.add(n, "a", false);
    EXPECT_TRUE(w.locked([&] { return dev_hold_delayed(dev, 900); }));
    w.s.events.clear();
    EXPECT_TRUE(rtnl_dellink(n, "a"));
    std::vector<std::int64_t> out;
    for (const event& e : w.s.events.collect())
      if (e.kind == event_kind::msleep) out.push_back(e.value);
    return out;
  };
  EXPECT_EQ((std::vector<std::int64_t>{250, 250, 250, 250}), sleeps("K44"));
  EXPECT_EQ((std::vector<std::int64_t>{16, 32, 64, 128, 250, 250, 250}), sleeps("R16"));
  for (const char* v : {"R1", "RANY", "RLZ"})
    EXPECT_EQ((std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 250}), sleeps(v)) << v;
}

TEST(WaitForReferences, PuttingWhatIsNotHeldIsRefusedAndReported) {
  world w("K44");
  net_device& dev = w.add(w.s.init_net(), "a");
  const auto before = netdev_refcnt_read(dev);
  EXPECT_CODE(einval, dev_put(dev, holder::user));
  EXPECT_EQ(before, netdev_refcnt_read(dev));
  EXPECT_EQ(1u, w.s.counters.warnings.load());
}

// --- moving ---

TEST(Moving, KeepsTheDeviceRegisteredAndLeavesNothingInTheOldNamespace) {
  for (const variant_policy& v : variants()) {
    if (v.name == "P1") continue;
    world w(v);
    net &from = w.new_net(), &to = w.new_net();
    net_device& dev = w.add(from, "a");
    EXPECT_TRUE(inet_rtm_newaddr(from, "a", ip(10, 0, 0, 1), 24));
    EXPECT_TRUE(w.route(from, ip(10, 1, 0, 0), 16, dev, ip(10, 0, 0, 9)));
    EXPECT_TRUE(do_setlink_netns(from, "a", to)) << v.name;
    EXPECT_EQ(&to, &dev_net(dev));
    EXPECT_EQ(reg_state::registered, dev.reg_state.load());
    EXPECT_FALSE(dev_up(dev));
    EXPECT_EQ(nullptr, __dev_get_by_name(from, "a"));
    if (v.name != "P1a" && v.name != "P1i") {
      EXPECT_TRUE(fib_dump(from).empty()) << v.name;
      EXPECT_CONSISTENT(w) << v.name;
    }
  }
}

TEST(Moving, IntoATakenNameNeedsAPattern) {
  world w("6.1");
  net &from = w.new_net(), &to = w.new_net();
  net_device& dev = w.add(from, "a");
  w.add(to, "a");
  EXPECT_CODE(eexist, do_setlink_netns(from, "a", to));
  EXPECT_TRUE(dev_up(dev));  // refused before anything happened
  EXPECT_TRUE(w.locked([&] { return dev_change_net_namespace(dev, to, "a%d"); }));
  EXPECT_EQ("a0", dev.name);
  EXPECT_CONSISTENT(w);
}

// --- namespaces ---

TEST(Namespaces, LoopbackIsRegisteredFirstAndLeavesLast) {
  for (const char* v : {"K44", "6.1", "reference"}) {
    world w(v);
    net& n = w.new_net();
    const auto lo = std::to_string(n.loopback_dev.load()->id);
    w.add(n, "a");
    w.add(n, "b");
    w.s.events.clear();
    EXPECT_TRUE(cleanup_net(w.s, {&n})) << v;
    EXPECT_EQ("NETDEV_UNREGISTER " + lo, w.trace({event_kind::NETDEV_UNREGISTER}).back()) << v;
    EXPECT_CONSISTENT(w) << v;
  }
}

TEST(Namespaces, PhysicalDevicesGoBackToTheInitialNamespace) {
  for (const char* v : {"K44", "6.1", "reference"}) {
    world w(v);
    net& n = w.new_net();
    link_request r;
    r.name = "eth0";
    r.kind = "";
    net_device& dev = *rtnl_newlink(n, r).value();
    w.add(w.s.init_net(), "dev" + std::to_string(dev.ifindex));  // the fallback name is taken
    EXPECT_TRUE(cleanup_net(w.s, {&n})) << v;
    EXPECT_EQ(&w.s.init_net(), &dev_net(dev)) << v;
    EXPECT_CONSISTENT(w);
  }
}

TEST(Namespaces, EachAllocationThatFailsDuringSetUpLeavesNothing) {
  for (const char* v : {"K44", "6.18", "reference"}) {
    world w(v);
    const std::size_t devices = w.s.devices().size(), nets = w.s.nets().size();
    for (std::uint64_t nth = 1;; ++nth) {
      const auto injected = w.s.faults.injected();
      w.s.faults.fail_nth(nth);
      result<net*> made = setup_net(w.s);
      w.s.faults.fail_nth(0);
      if (w.s.faults.injected() == injected) {
        EXPECT_GT(nth, 5u);
        break;
      }
      ASSERT_FALSE(made) << v << " allocation " << nth;
      EXPECT_CODE(enomem, made);
      EXPECT_EQ(devices, w.s.devices().size()) << v << " allocation " << nth;
      EXPECT_EQ(nets, w.s.nets().size());
      EXPECT_CONSISTENT(w);
    }
  }
}

// --- notifier replay ---

struct witness {
  std::vector<std::string> seen;
  std::string refuse;
  notifier_block nb{"witness", [this](const netdev_notifier_info& i) {
                      seen.push_back(std::string(name(i.event)).substr(7) + " " + (i.dev != nullptr ? i.dev->name : "NULL"));
                      return i.event == event_kind::NETDEV_REGISTER && i.dev->name == refuse ? NOTIFY_BAD : NOTIFY_DONE;
                    }};
};

std::vector<std::string> replay_to_leaver(const char* variant_name) {
  world w(variant_name);
  net& n = w.s.init_net();
  w.add(n, "a");
  w.add(n, "b", false);
  witness x;
  EXPECT_TRUE(register_netdevice_notifier(w.s, x.nb));
  x.seen.clear();
  EXPECT_TRUE(unregister_netdevice_notifier(w.s, x.nb));
  return x.seen;
}

TEST(Replay, ALeavingNotifierSeesEveryDeviceGo) {
  EXPECT_EQ((std::vector<std::string>{"UNREGISTER lo", "GOING_DOWN a", "DOWN a", "UNREGISTER a", "UNREGISTER b"}),
            replay_to_leaver("K44"));
  EXPECT_EQ((std::vector<std::string>{"UNREGISTER lo", "UNREGISTER_BATCH lo", "GOING_DOWN a", "DOWN a", "DOWN_BATCH a",
                                      "UNREGISTER a", "UNREGISTER_BATCH a", "UNREGISTER b", "UNREGISTER_BATCH b"}),
            replay_to_leaver("P1b"));
  EXPECT_EQ((std::vector<std::string>{"UNREGISTER lo", "GOING_DOWN a", "DOWN a", "DOWN_BATCH a", "UNREGISTER a",
                                      "UNREGISTER b", "UNREGISTER_BATCH lo"}),
            replay_to_leaver("J2"));
  EXPECT_EQ((std::vector<std::string>{"GOING_DOWN a", "DOWN a", "DOWN_BATCH a", "UNREGISTER lo", "UNREGISTER a",
                                      "UNREGISTER b", "UNREGISTER_BATCH lo"}),
            replay_to_leaver("reference"));
}

std::vector<std::string> roll_back(const char* variant_name) {
  world w(variant_name);
  net& n = w.s.init_net();
  w.add(n, "a");
  w.add(n, "b");
  w.add(n, "c");
  witness x;
  x.refuse = "c";
  EXPECT_FALSE(register_netdevice_notifier(w.s, x.nb));
  EXPECT_CODE(enoent, unregister_netdevice_notifier(w.s, x.nb));  // not in the chain
  const auto at = std::find(x.seen.begin(), x.seen.end(), "REGISTER c");
  return {at + 1, x.seen.end()};
}

TEST(Replay, ARefusalIsRolledBackForwardInOldKernelsAndBackwardsToday) {
  EXPECT_EQ((std::vector<std::string>{"UNREGISTER lo", "GOING_DOWN a", "DOWN a", "UNREGISTER a", "GOING_DOWN b", "DOWN b",
                                      "UNREGISTER b"}),
            roll_back("K44"));
  EXPECT_EQ((std::vector<std::string>{"GOING_DOWN b", "DOWN b", "UNREGISTER b", "GOING_DOWN a", "DOWN a", "UNREGISTER a",
                                      "UNREGISTER lo"}),
            roll_back("6.1"));
  const auto j2 = roll_back("J2");
  EXPECT_EQ("UNREGISTER_BATCH c", j2.back());
  EXPECT_EQ(1, std::count_if(j2.begin(), j2.end(), [](const auto& l) { return l.starts_with("UNREGISTER_BATCH"); }));
}

TEST(Replay, HandlersRunInDescendingPriorityAndEqualOnesInOrderOfRegistration) {
  world w("6.1");
  std::string order;
  notifier_block low{"low", [&](const netdev_notifier_info&) { return order += 'l', NOTIFY_DONE; }, -1};
  notifier_block first{"first", [&](const netdev_notifier_info&) { return order += '1', NOTIFY_DONE; }, 7};
  notifier_block second{"second", [&](const netdev_notifier_info&) { return order += '2', NOTIFY_DONE; }, 7};
  for (notifier_block* nb : {&low, &first, &second}) ASSERT_TRUE(register_netdevice_notifier(w.s, *nb));
  net_device& dev = w.add(w.s.init_net(), "a", false);
  order.clear();
  EXPECT_TRUE(w.locked([&] { return call_netdevice_notifiers(event_kind::NETDEV_CHANGE, dev), status(); }));
  EXPECT_EQ("12l", order);
}

}  // namespace
}  // namespace quiesce::refimpl
