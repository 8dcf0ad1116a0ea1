// SPDX-License-Identifier: MIT
// The requests of the driver on the running kernel. Needs CAP_SYS_ADMIN and CAP_NET_ADMIN; skips with the reason elsewhere.

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "refimpl/device/rtnetlink/capabilities.hpp"
#include "refimpl/device/rtnetlink/dump.hpp"
#include "refimpl/device/rtnetlink/held_reference.hpp"
#include "refimpl/device/rtnetlink/kernel_events.hpp"
#include "refimpl/device/rtnetlink/link_requests.hpp"
#include "refimpl/device/rtnetlink/table_requests.hpp"
#include "refimpl/device/rtnetlink/testbed.hpp"

namespace quiesce::rtnetlink {
namespace {

constexpr int inet = 2;  // AF_INET

class live_driver : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_EQ(private_net::make(net_, "one").text, "");
    ASSERT_EQ(private_net::make(other_, "two").text, "");
  }
  void make(const std::string& kind, const std::string& name, std::uint32_t group = 0) {
    new_link l;
    l.kind = kind;
    l.name = name;
    l.group = group;
    l.mac = mac_of(++number_);
    l.peer_name = name + "p";
    l.peer_mac = mac_of(++number_);
    l.peer_net = peer_elsewhere_ ? &other_ : nullptr;
    ASSERT_EQ(create_link(net_, l, in(usual_limit)).text, "");
  }
  int index(private_net& n, const std::string& name) {
    int found = 0;
    EXPECT_EQ(index_of(n, name, found, in(usual_limit)).text, "");
    return found;
  }

  private_net net_, other_;
  bool peer_elsewhere_ = false;
  std::uint32_t number_ = 0;
};

TEST_F(live_driver, a_private_namespace_is_new_and_has_only_lo) {
  EXPECT_NE(net_.inode(), other_.inode());
  EXPECT_NE(net_.inode(), 0u);
  std::vector<link_entry> links;
  ASSERT_EQ(dump_links(net_.rtnl(), links, in(usual_limit)).text, "");
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].name, "lo");
}

TEST_F(live_driver, an_error_carries_the_extended_acknowledgement) {
  new_link l;
  l.kind = "macvlan";
  l.name = "m";
  l.lower = 1;  // lo
  EXPECT_FALSE(create_link(net_, l, in(usual_limit)));
  const answer refused = delete_link(net_, 1, in(usual_limit));
  EXPECT_NE(refused.code, 0);
  const answer name = create_link(net_, new_link{"nosuchkind", "x"}, in(usual_limit));
  EXPECT_EQ(name.code, 95);
  EXPECT_NE(name.text.find("(Unknown device type)"), std::string::npos) << name.text;
}

TEST_F(live_driver, deletion_is_announced_before_it_is_acknowledged) {
  kernel_events events;
  ASSERT_EQ(events.start().text, "");
  ASSERT_EQ(events.follow(net_).text, "");
  make("veth", "v0");
  std::vector<link_event> heard;
  ASSERT_EQ(events.take(heard).text, "");
  EXPECT_FALSE(heard.empty());
  heard.clear();
  ASSERT_EQ(delete_link(net_, index(net_, "v0"), in(usual_limit)).text, "");
  ASSERT_EQ(events.take(heard).text, "");
  std::size_t deleted = 0;
  for (const link_event& e : heard) deleted += e.deleted;
  EXPECT_EQ(deleted, 2u);
}

TEST_F(live_driver, a_pair_over_two_namespaces_is_heard_in_one_order) {
  kernel_events events;
  ASSERT_EQ(events.start().text, "");
  ASSERT_EQ(events.follow(net_).text, "");
  ASSERT_EQ(events.follow(other_).text, "");
  peer_elsewhere_ = true;
  make("veth", "v0");
  std::vector<link_event> heard;
  ASSERT_EQ(events.take(heard).text, "");
  heard.clear();
  ASSERT_EQ(delete_link(net_, index(net_, "v0"), in(usual_limit)).text, "");
  ASSERT_EQ(events.take(heard).text, "");
  std::vector<std::string> deleted;
  for (const link_event& e : heard)
    if (e.deleted) deleted.push_back(e.net->label() + ":" + e.name);
  EXPECT_EQ(deleted, (std::vector<std::string>{"one:v0", "two:v0p"}));
}

TEST_F(live_driver, a_group_is_deleted_as_a_whole_and_a_group_with_lo_is_refused) {
  for (int i = 0; i < 3; ++i) make("veth", "v" + std::to_string(i), 7);
  EXPECT_EQ(delete_group(net_, 7, in(usual_limit)).text, "");
  std::vector<link_entry> links;
  ASSERT_EQ(dump_links(net_.rtnl(), links, in(usual_limit)).text, "");
  EXPECT_EQ(links.size(), 1u);
  ASSERT_EQ(set_link_group(net_, 1, 8, in(usual_limit)).text, "");
  EXPECT_NE(delete_group(net_, 8, in(usual_limit)).code, 0);
}

TEST_F(live_driver, tables_come_back_as_they_were_written) {
  make("veth", "v0");
  const int v0 = index(net_, "v0");
  ASSERT_EQ(set_no_addresses_of_its_own(net_, v0, in(usual_limit)).text, "");
  ASSERT_EQ(set_link_up(net_, v0, true, in(usual_limit)).text, "");
  const ip_key local = refimpl::ipv4_key(0x0a000001);
  ASSERT_EQ(change_address(net_, v0, inet, local, 24, true, in(usual_limit)).text, "");
  const ip_key neighbour = refimpl::ipv4_key(0x0a000002), proxy = refimpl::ipv4_key(0x0a000003);
  ASSERT_EQ(change_neighbour(net_, v0, inet, neighbour, false, true, in(usual_limit)).text, "");
  ASSERT_EQ(change_neighbour(net_, v0, inet, proxy, true, true, in(usual_limit)).text, "");
  ASSERT_EQ(change_neighbour(net_, 0, inet, proxy, true, true, in(usual_limit)).text, "");
  std::vector<address_entry> addresses;
  std::vector<route_entry> routes;
  std::vector<neighbour_entry> neighbours;
  ASSERT_EQ(dump_addresses(net_.rtnl(), addresses, in(usual_limit)).text, "");
  ASSERT_EQ(dump_routes(net_.rtnl(), routes, in(usual_limit)).text, "");
  ASSERT_EQ(dump_neighbours(net_.rtnl(), neighbours, in(usual_limit)).text, "");
  // The kernel would keep it beyond the namespace's exit.
  ASSERT_EQ(change_neighbour(net_, 0, inet, proxy, true, false, in(usual_limit)).text, "");
  ASSERT_EQ(addresses.size(), 1u);
  EXPECT_EQ(addresses[0].local, local);
  EXPECT_EQ(addresses[0].prefixlen, 24);
  std::size_t proxies = 0, permanent = 0;
  for (const neighbour_entry& e : neighbours) {
    proxies += e.proxy && e.dst == proxy;
    permanent += !e.proxy && e.dst == neighbour && e.state == 0x80;
  }
  EXPECT_EQ(proxies, 2u);
  EXPECT_EQ(permanent, 1u);
  std::size_t of_prefix = 0;
  for (const route_entry& r : routes) of_prefix += r.table == 254 && r.plen == 24 && text_of(r.family, r.dst) == "10.0.0.0";
  EXPECT_EQ(of_prefix, 1u);
}

// The deletion is not acknowledged while a packet socket holds the device, and is once it lets go.
TEST_F(live_driver, a_held_reference_keeps_the_deletion_waiting) {
  make("veth", "v0");
  const int v0 = index(net_, "v0"), peer = index(net_, "v0p");
  ASSERT_EQ(set_link_up(net_, v0, true, in(usual_limit)).text, "");
  ASSERT_EQ(set_link_up(net_, peer, true, in(usual_limit)).text, "");
  held_reference held;
  if (const answer a = held.take(net_, v0, in(std::chrono::seconds(5))); !a) GTEST_SKIP() << a.text;
  std::atomic<bool> acknowledged{false};
  answer deleted;
  std::thread deleting([&] {
    deleted = delete_link(net_, v0, in(usual_limit));
    acknowledged = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_FALSE(acknowledged);
  held.release();
  deleting.join();
  EXPECT_EQ(deleted.text, "");
  EXPECT_EQ(index(net_, "v0"), 0);
}

TEST_F(live_driver, settings_are_those_of_the_namespace) {
  std::string before;
  std::ifstream("/proc/sys/net/ipv6/conf/default/accept_dad") >> before;
  EXPECT_EQ(net_.set("ipv6/conf/default/accept_dad", "0").text, "");
  std::string after;
  std::ifstream("/proc/sys/net/ipv6/conf/default/accept_dad") >> after;
  EXPECT_EQ(before, after);
  EXPECT_NE(net_.set("core/somaxconn", "1").code, 0);
  EXPECT_NE(net_.set("ipv4/../core/somaxconn", "1").code, 0);
}

TEST_F(live_driver, a_bridge_cannot_change_its_namespace) {
  std::vector<kind_support> kinds;
  ASSERT_EQ(detect_kinds(kinds).text, "");
  if (!supports(kinds, "bridge")) GTEST_SKIP() << "no bridge";
  make("bridge", "b0");
  EXPECT_NE(set_link_net(net_, index(net_, "b0"), other_, in(usual_limit)).code, 0);
  EXPECT_EQ(delete_link(net_, index(net_, "b0"), in(usual_limit)).text, "");
}

TEST_F(live_driver, a_tap_comes_from_its_ioctl_and_goes_by_rtnetlink) {
  std::vector<kind_support> kinds;
  ASSERT_EQ(detect_kinds(kinds).text, "");
  if (!supports(kinds, "tap")) GTEST_SKIP() << "no tap";
  EXPECT_NE(create_link(net_, new_link{"tun", "t0"}, in(usual_limit)).code, 0);
  ASSERT_EQ(create_tun(net_, "t0", true).text, "");
  EXPECT_EQ(delete_link(net_, index(net_, "t0"), in(usual_limit)).text, "");
  EXPECT_EQ(index(net_, "t0"), 0);
}

// A namespace's exit is known from outside: the peer of a pair goes with it.
TEST_F(live_driver, the_exit_of_a_namespace_is_waited_for) {
  testbed bed({true, true});
  ASSERT_EQ(bed.start().text, "");
  ASSERT_EQ(bed.add_net(1).text, "");
  real_device made;
  ASSERT_EQ(bed.create(1, "dummy", "d1", 0, 0, made).text, "");
  EXPECT_EQ(bed.exit_net(1, in(usual_limit)).text, "");
  EXPECT_FALSE(bed.has_net(1));
}

TEST(live_limits, much_needs_the_users_word) {
  EXPECT_EQ(too_large(100, 10'000, false), "");
  EXPECT_NE(too_large(101, 0, false), "");
  EXPECT_NE(too_large(1, 10'001, false), "");
  EXPECT_EQ(too_large(1000, 100'000, true), "");
}

TEST_F(live_driver, kinds_are_detected) {
  std::vector<kind_support> kinds;
  ASSERT_EQ(detect_kinds(kinds).text, "");
  EXPECT_EQ(kinds.size(), 8u);
  for (const kind_support& k : kinds) EXPECT_EQ(k.there, k.reason.empty()) << k.kind;
  std::size_t there = 0;
  for (const kind_support& k : kinds) there += k.there;
  EXPECT_GT(there, 0u);
}

TEST(live_kernel, an_unlisted_release_has_a_nearest_variant) {
  EXPECT_TRUE(kernel_of_release("6.1.192-3-cloud-amd64").listed);
  EXPECT_EQ(kernel_of_release("6.18.44").variant, "6.18");
  EXPECT_FALSE(kernel_of_release("6.12.5").listed);
  EXPECT_EQ(kernel_of_release("6.12.5").variant, "6.18");
  EXPECT_EQ(kernel_of_release("5.10.0").variant, "6.1");
  EXPECT_FALSE(kernel_of_release("nonsense").listed);
}

}  // namespace
}  // namespace quiesce::rtnetlink
