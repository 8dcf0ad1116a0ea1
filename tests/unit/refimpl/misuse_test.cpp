// SPDX-License-Identifier: MIT
// Every misuse gives a defined error and leaves the stack consistent.
#include "tests/unit/refimpl/support.hpp"

namespace quiesce::refimpl {
namespace {

struct MisuseOf : testing::TestWithParam<const char*> {
  world w{GetParam()};
  net& n = w.new_net();
  void TearDown() override {
    EXPECT_FALSE(w.s.stopped().has_value()) << w.s.stopped()->what;
    EXPECT_CONSISTENT(w);
  }
};
INSTANTIATE_TEST_SUITE_P(Variants, MisuseOf, testing::Values("K44", "J1", "6.1", "6.18", "reference"), [](const auto& info) {
  std::string text = info.param;
  std::replace(text.begin(), text.end(), '.', '_');
  return "v" + text;
});

TEST_P(MisuseOf, FunctionsThatNeedRtnlRefuseWithoutIt) {
  net_device& dev = w.add(n, "a");
  list_head list;
  INIT_LIST_HEAD(&list);
  EXPECT_CODE(eperm, dev_open(dev));
  EXPECT_CODE(eperm, dev_close(dev));
  EXPECT_CODE(eperm, dev_close_many(w.s, &list, true));
  EXPECT_CODE(eperm, unregister_netdevice_queue(dev, nullptr));
  EXPECT_CODE(eperm, unregister_netdevice_many(w.s, &list));
  EXPECT_CODE(eperm, dev_change_net_namespace(dev, w.s.init_net(), ""));
  EXPECT_CODE(eperm, dev_set_mtu(dev, 1400));
  EXPECT_CODE(eperm, inet_addr_add(dev, ip(10, 0, 0, 1), 24));
  EXPECT_CODE(eperm, fib_table_insert(n, {}));
  EXPECT_CODE(eperm, netdev_upper_dev_link(dev, *n.loopback_dev.load()));
  EXPECT_CODE(eperm, w.s.rtnl_unlock());
}

TEST_P(MisuseOf, FunctionsThatTakeRtnlRefuseWhileItIsHeld) {
  net_device& dev = w.add(n, "a");
  {
    rtnl_guard held(w.s);
    EXPECT_CODE(edeadlk, w.s.rtnl_lock());
    EXPECT_CODE(edeadlk, unregister_netdev(dev));
    EXPECT_CODE(edeadlk, rtnl_dellink(n, "a"));
    EXPECT_CODE(edeadlk, setup_net(w.s));
    EXPECT_CODE(edeadlk, cleanup_net(w.s, {&n}));
    notifier_block nb{"nb", [](const netdev_notifier_info&) { return NOTIFY_DONE; }};
    EXPECT_CODE(edeadlk, register_netdevice_notifier(w.s, nb));
    EXPECT_CODE(edeadlk, unregister_netdevice_notifier(w.s, nb));
    EXPECT_TRUE(held.release());
  }
  EXPECT_EQ(reg_state::registered, dev.reg_state.load());
}

TEST_P(MisuseOf, UnknownDevicesAndNamespacesAreRefused) {
  world other(GetParam());
  net_device& foreign = *new net_device(w.s, 4711);  // never adopted by the stack
  foreign.nd_net.store(&n);
  EXPECT_CODE(enodev, register_netdev(foreign));
  EXPECT_CODE(enodev, unregister_netdev(foreign));
  EXPECT_CODE(enodev, free_netdev(&foreign));
  EXPECT_CODE(enodev, w.locked([&] { return dev_open(foreign); }));
  EXPECT_CODE(enodev, neigh_create(*w.s.arp_tbl, ipv4_key(1), foreign));
  EXPECT_CODE(enodev, rtnl_dellink(n, "nobody"));
  EXPECT_CODE(enodev, do_setlink_up(n, "nobody", true));
  EXPECT_CODE(enodev, rtnl_group_dellink(n, 3));
  EXPECT_CODE(einval, rtnl_group_dellink(n, 0));
  EXPECT_CODE(enodev, cleanup_net(w.s, {&other.s.init_net()}));
  EXPECT_CODE(einval, cleanup_net(w.s, {&w.s.init_net()}));
  EXPECT_CODE(einval, cleanup_net(w.s, {&n, &n}));
  delete &foreign;
}

TEST_P(MisuseOf, ANamespaceThatIsGoneIsRefused) {
  net& gone = w.new_net();
  EXPECT_TRUE(cleanup_net(w.s, {&gone}));
  link_request r;
  r.name = "a";
  EXPECT_CODE(enodev, rtnl_newlink(gone, r));
  EXPECT_CODE(enodev, cleanup_net(w.s, {&gone}));
  EXPECT_CODE(enodev, do_setlink_netns(n, "lo", gone));
}

TEST_P(MisuseOf, WrongStatesAreRefused) {
  net_device& dev = w.add(n, "a");
  EXPECT_CODE(ebusy, register_netdev(dev));
  EXPECT_CODE(ebusy, free_netdev(&dev));
  net_device& fresh = *alloc_netdev(n, {"fresh"}).value();
  EXPECT_CODE(einval, unregister_netdev(fresh));
  EXPECT_CODE(einval, w.locked([&] { return dev_open(fresh); }));
  EXPECT_TRUE(free_netdev(&fresh));
  EXPECT_CODE(einval, do_setlink_netns(n, "lo", w.s.init_net()));
  EXPECT_CODE(eopnotsupp, rtnl_dellink(n, "lo"));
  EXPECT_CODE(einval, free_netdev(nullptr));
}

TEST_P(MisuseOf, DuplicateAndInvalidNamesAreRefused) {
  w.add(n, "a");
  link_request r;
  for (const char* bad : {"", "a/b", "a b", "..", "seventeen-letters"}) {
    r.name = bad;
    EXPECT_CODE(einval, rtnl_newlink(n, r)) << bad;
  }
  r.name = "a";
  EXPECT_CODE(eexist, rtnl_newlink(n, r));
  r.name = "b";
  r.kind = "bridge";
  EXPECT_CODE(eopnotsupp, rtnl_newlink(n, r));
}

TEST_P(MisuseOf, RoutesThatCannotWorkAreRefused) {
  net_device& dev = w.add(n, "a");
  net_device& down = w.add(n, "down", false);
  net_device& elsewhere = w.add(w.s.init_net(), "x");
  EXPECT_CODE(einval, w.route(n, ip(10, 0, 0, 1), 24, dev));  // host bits
  EXPECT_CODE(einval, w.route(n, 0, 33, dev));
  EXPECT_CODE(enetdown, w.route(n, ip(10, 0, 0, 0), 24, down));
  EXPECT_CODE(enodev, w.route(n, ip(10, 0, 0, 0), 24, elsewhere));
  EXPECT_CODE(enetunreach, w.route(n, ip(10, 0, 0, 0), 24, dev, ip(192, 0, 2, 1)));
  EXPECT_TRUE(w.route(n, ip(10, 0, 0, 0), 24, dev));
  EXPECT_CODE(eexist, w.route(n, ip(10, 0, 0, 0), 24, dev));
  fib_config missing;
  missing.fc_dst = ip(10, 9, 0, 0);
  missing.fc_dst_len = 16;
  EXPECT_CODE(esrch, w.locked([&] { return fib_table_delete(n, missing); }));
  EXPECT_CODE(einval, w.locked([&] { return fib_table_insert(n, missing); }));  // no next hop
  EXPECT_CODE(enetunreach, fib_lookup(n, ip(172, 16, 0, 1)));
}

TEST_P(MisuseOf, FullTablesAreReported) {
  stack_options small;
  small.max_routes = 2;
  small.neigh_gc_thresh3 = 1;
  small.max_devices = 2;
  small.max_nets = 2;
  world tiny(GetParam(), small);
  net& m = tiny.new_net();
  EXPECT_CODE(enospc, setup_net(tiny.s));
  net_device& dev = tiny.add(m, "a");
  link_request r;
  r.name = "b";
  EXPECT_CODE(enfile, rtnl_newlink(m, r));
  EXPECT_TRUE(tiny.route(m, ip(10, 0, 0, 0), 24, dev));
  EXPECT_TRUE(tiny.route(m, ip(10, 0, 1, 0), 24, dev));
  EXPECT_CODE(enobufs, tiny.route(m, ip(10, 0, 2, 0), 24, dev));
  EXPECT_TRUE(neigh_add(*tiny.s.arp_tbl, m, &dev, ipv4_key(1), false));
  EXPECT_CODE(enobufs, neigh_add(*tiny.s.arp_tbl, m, &dev, ipv4_key(2), false));
  EXPECT_CONSISTENT(tiny);
}

TEST_P(MisuseOf, AddressesThatCannotWorkAreRefused) {
  net_device& dev = w.add(n, "a");
  EXPECT_CODE(einval, inet_rtm_newaddr(n, "a", 0, 24));
  EXPECT_CODE(einval, inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 33));
  EXPECT_TRUE(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_CODE(eexist, inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_CODE(enoent, inet_rtm_deladdr(n, "a", ip(10, 0, 0, 2), 24));
  EXPECT_TRUE(w.locked([&] { return dev_set_mtu(dev, 60); }));  // too small for IPv4: addresses are gone
  EXPECT_CODE(enobufs, inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
  EXPECT_CODE(einval, neigh_add(*w.s.arp_tbl, n, &dev, ipv4_key(1), false));
  EXPECT_CODE(einval, w.locked([&] { return dev_set_mtu(dev, 0); }));
  EXPECT_TRUE(w.locked([&] { return dev_set_mtu(dev, 1500); }));
  EXPECT_TRUE(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
}

TEST_P(MisuseOf, DriversThatFailOrThrowLeaveTheDeviceUnregistered) {
  simulated_driver driver;
  link_request r;
  r.name = "a";
  r.ops = &driver;
  driver.misbehave.init_errno = -12;
  EXPECT_CODE(enomem, rtnl_newlink(n, r));
  driver.misbehave.init_errno = 5;  // a positive result counts as -EIO
  EXPECT_CODE(eio, rtnl_newlink(n, r));
  driver.misbehave.init_errno = 0;
  driver.misbehave.throw_in_init = true;
  EXPECT_CODE(efault, rtnl_newlink(n, r));
  driver.misbehave = {};
  EXPECT_EQ(0, driver.uninits.load());
  EXPECT_TRUE(rtnl_newlink(n, r));
  driver.misbehave.open_errno = -19;
  EXPECT_CODE(enodev, do_setlink_up(n, "a", true));
  driver.misbehave = {};
  EXPECT_TRUE(do_setlink_up(n, "a", true));
  driver.misbehave.throw_in_stop = driver.misbehave.throw_in_uninit = true;
  EXPECT_CODE(efault, rtnl_dellink(n, "a"));  // done all the same
  EXPECT_EQ(nullptr, __dev_get_by_name(n, "a"));
  EXPECT_EQ(driver.inits.load(), driver.uninits.load());
  EXPECT_EQ(driver.opens.load(), driver.stops.load());
}

// Its own operations from within ndo_init and ndo_open: a kernel would recurse, here they are refused.
struct reentrant_driver : simulated_driver {
  int ndo_init(net_device& dev) override {
    registered = register_netdevice(dev).code();
    freed = free_netdev(&dev).code();
    return simulated_driver::ndo_init(dev);
  }
  int ndo_open(net_device& dev) override {
    opened = dev_open(dev).code();
    return simulated_driver::ndo_open(dev);
  }
  error registered = error::none, freed = error::none, opened = error::none;
};

TEST_P(MisuseOf, DriversThatCallThemselvesAreRefused) {
  reentrant_driver driver;
  w.add(n, "a", true, &driver);
  EXPECT_EQ(error::ebusy, driver.registered);
  EXPECT_EQ(error::ebusy, driver.freed);
  EXPECT_EQ(error::ebusy, driver.opened);
  EXPECT_EQ(1, driver.inits.load());
  EXPECT_EQ(1, driver.opens.load());
  EXPECT_TRUE(rtnl_dellink(n, "a"));
}

TEST_P(MisuseOf, AnErrnoBeyondOneByteIsStillAFailure) {
  simulated_driver driver;
  link_request r;
  r.name = "a";
  r.ops = &driver;
  for (int code : {-256, -512, -524}) {
    driver.misbehave.init_errno = code;
    const error got = rtnl_newlink(n, r).code();
    EXPECT_EQ(-code, static_cast<int>(got));
    EXPECT_EQ(nullptr, __dev_get_by_name(n, "a"));
  }
}

TEST_P(MisuseOf, AThrowingDestructorFreesTheDeviceAllTheSame) {
  w.add(n, "a").priv_destructor = [](net_device&) { throw std::runtime_error("no"); };
  w.add(n, "b");
  EXPECT_CODE(efault, rtnl_dellink(n, "a"));
  EXPECT_TRUE(rtnl_dellink(n, "b"));
}

TEST_P(MisuseOf, AThrowingCallbackNeverStopsATeardown) {
  for (event_kind bad : {event_kind::NETDEV_GOING_DOWN, event_kind::NETDEV_DOWN, event_kind::NETDEV_UNREGISTER}) {
    w.add(n, "a");
    notifier_block nb{"thrower", [&](const netdev_notifier_info& i) -> int {
                        if (i.event == bad && i.dev->name == "a") throw std::runtime_error("no");
                        return NOTIFY_DONE;
                      }};
    ASSERT_TRUE(register_netdevice_notifier(w.s, nb));
    EXPECT_CODE(efault, rtnl_dellink(n, "a"));
    EXPECT_EQ(nullptr, __dev_get_by_name(n, "a"));
    EXPECT_TRUE(unregister_netdevice_notifier(w.s, nb));
    EXPECT_CONSISTENT(w);
  }
  EXPECT_EQ(3u, w.s.callback_errors().size());
}

TEST_P(MisuseOf, AThrowingCallbackVetoesARegistration) {
  notifier_block nb{"thrower", [&](const netdev_notifier_info& i) -> int {
                      if (i.event == event_kind::NETDEV_REGISTER && i.dev->name == "a") throw 1;
                      return NOTIFY_DONE;
                    }};
  ASSERT_TRUE(register_netdevice_notifier(w.s, nb));
  link_request r;
  r.name = "a";
  EXPECT_CODE(efault, rtnl_newlink(n, r));
  EXPECT_EQ(nullptr, __dev_get_by_name(n, "a"));
  EXPECT_TRUE(unregister_netdevice_notifier(w.s, nb));
}

TEST_P(MisuseOf, ACallbackThatUnregistersItsOwnDeviceIsRefused) {
  for (event_kind at : {event_kind::NETDEV_GOING_DOWN, event_kind::NETDEV_DOWN, event_kind::NETDEV_UNREGISTER}) {
    net_device& dev = w.add(n, "a");
    int tries = 0;
    notifier_block nb{"reenter", [&](const netdev_notifier_info& i) {
                        if (i.event == at && i.dev == &dev) {
                          ++tries;
                          EXPECT_CODE(ebusy, unregister_netdevice_queue(dev, nullptr));
                          EXPECT_CODE(edeadlk, rtnl_dellink(n, "a"));
                        }
                        return NOTIFY_DONE;
                      }};
    ASSERT_TRUE(register_netdevice_notifier(w.s, nb));
    EXPECT_TRUE(rtnl_dellink(n, "a"));
    EXPECT_EQ(1, tries);
    EXPECT_TRUE(unregister_netdevice_notifier(w.s, nb));
    EXPECT_CONSISTENT(w);
  }
}

TEST_P(MisuseOf, ACallbackMayUnregisterAnotherDeviceFromEveryEvent) {
  for (event_kind at : {event_kind::NETDEV_GOING_DOWN, event_kind::NETDEV_DOWN, event_kind::NETDEV_UNREGISTER}) {
    w.add(n, "a");
    net_device* other = &w.add(n, "other");
    notifier_block nb{"reenter", [&](const netdev_notifier_info& i) {
                        if (i.event == at && i.dev->name == "a" && other != nullptr) {
                          EXPECT_TRUE(unregister_netdevice_queue(*other, nullptr));
                          other = nullptr;
                        }
                        return NOTIFY_DONE;
                      }};
    ASSERT_TRUE(register_netdevice_notifier(w.s, nb));
    EXPECT_TRUE(rtnl_dellink(n, "a"));
    EXPECT_EQ(nullptr, __dev_get_by_name(n, "other"));
    EXPECT_TRUE(unregister_netdevice_notifier(w.s, nb));
    EXPECT_CONSISTENT(w);
  }
}

// Every allocation of a whole life of a device fails once: the step that needed it reports -ENOMEM, or goes without where
// the kernel does, and nothing is left behind.
TEST_P(MisuseOf, EveryAllocationFailureLeavesTheStackConsistent) {
  std::uint64_t failures = 0;
  for (std::uint64_t nth = 1; nth < 200; ++nth) {
    const auto injected = w.s.faults.injected();
    w.s.faults.fail_nth(nth);
    link_request r;
    r.name = "a";
    bool refused = false;
    const auto note = [&](const status& st) { refused = refused || st.code() == error::enomem; };
    result<net_device*> made = rtnl_newlink(n, r);
    note(made ? status() : status(made.code()));
    if (made) {
      note(do_setlink_up(n, "a", true));
      note(inet_rtm_newaddr(n, "a", ip(10, 0, 0, 1), 24));
      note(w.route(n, ip(10, 1, 0, 0), 16, *made.value()));
      note(neigh_add(*w.s.arp_tbl, n, made.value(), ipv4_key(ip(10, 0, 0, 7)), false));
      note(neigh_add(*w.s.arp_tbl, n, made.value(), ipv4_key(ip(10, 0, 0, 8)), true));
      note(pneigh_enqueue(*w.s.arp_tbl, *made.value(), ipv4_key(ip(10, 0, 0, 8)), 100));
      note(rtnl_dellink(n, "a"));
    }
    w.s.faults.fail_nth(0);
    EXPECT_EQ(nullptr, __dev_get_by_name(n, "a")) << nth;
    EXPECT_CONSISTENT(w) << nth;
    if (w.s.faults.injected() == injected) break;
    ++failures;
  }
  EXPECT_GT(failures, 8u);
  EXPECT_LT(failures, 199u);
}

}  // namespace
}  // namespace quiesce::refimpl
