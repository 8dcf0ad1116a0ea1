// SPDX-License-Identifier: MIT
// Scenarios on the reference stack whose devices are devices of the running kernel.

#include <gtest/gtest.h>

#include "conformance/driver_rtnetlink.hpp"
#include "conformance/judge.hpp"
#include "conformance/runner.hpp"
#include "refimpl/device/rtnetlink/bound_driver.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::conformance {
namespace {

constexpr const char* three_and_an_upper = R"(
net n1
net n2
device d1 n1 dummy up
device d2 n1 dummy up
device d3 n2 dummy up
device d4 n1 macvlan on d1 up
task t1
  address d1 10.1.0.1/24
  address d2 10.2.0.1/24
  dellink d1 d2 d3
)";

class bound_devices : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = rtnetlink::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  }
  run_result run_on(const std::string& variant, const std::string& text) {
    const scenario s = parse_scenario(text);
    run_settings settings;
    settings.policy = refimpl::variant(variant);
    settings.driver = find_driver("rtnetlink");
    EXPECT_EQ(settings.driver->unsupported(s), "");
    return run(s, settings);
  }
  std::vector<std::string> broken(const run_result& r) {
    static catalogue inputs(test::repository().string());
    static const rule_book rules(inputs);
    judge j(rules);
    for (const refimpl::event& e : r.events) j.push(e);
    std::vector<std::string> names;
    for (const breach& b : j.breaches()) names.push_back(b.property);
    return names;
  }
};

// Index of an event of a kind and device, from `from`; the size if there is none.
std::size_t find(const run_result& r, refimpl::event_kind kind, std::int32_t dev, const std::string& tag,
                 std::size_t from = 0) {
  for (std::size_t i = from; i < r.events.size(); ++i)
    if (r.events[i].kind == kind && r.events[i].dev == dev && r.events[i].tag == tag) return i;
  return r.events.size();
}

TEST_F(bound_devices, the_kernels_dellink_falls_inside_ndo_uninit) {
  const run_result r = run_on("reference", three_and_an_upper);
  EXPECT_EQ(r.complaints, std::vector<std::string>{});
  EXPECT_FALSE(r.stopped);
  std::size_t deletions = 0;
  for (std::size_t i = 0; i < r.events.size(); ++i) {
    const refimpl::event& e = r.events[i];
    if (e.kind != refimpl::event_kind::RTM_DELLINK || e.tag == std::string(rtnetlink::kernel_tag)) continue;
    const std::size_t uninit = find(r, refimpl::event_kind::ndo_uninit, e.dev, "");
    const std::size_t real = find(r, refimpl::event_kind::RTM_DELLINK, e.dev, rtnetlink::kernel_tag);
    if (real == r.events.size()) continue;  // a loopback
    EXPECT_LT(uninit, real);
    EXPECT_LT(real, i);
    ++deletions;
  }
  EXPECT_EQ(deletions, 4u);
}

TEST_F(bound_devices, reference_and_J1_keep_the_batch_before_uninit_and_P1b_does_not) {
  const auto breaks = [&](const char* variant) {
    const run_result r = run_on(variant, three_and_an_upper);
    EXPECT_EQ(r.complaints, std::vector<std::string>{}) << variant;
    const std::vector<std::string> names = broken(r);
    return std::find(names.begin(), names.end(), "batch_before_uninit") != names.end();
  };
  EXPECT_FALSE(breaks("reference"));
  EXPECT_FALSE(breaks("J1"));
  EXPECT_TRUE(breaks("P1b"));
}

// Each deletion is followed by dumps that must not mention the device any more.
TEST_F(bound_devices, routes_neighbours_and_addresses_of_both_families_follow_and_go_with_the_device) {
  const run_result r = run_on("reference", R"(
option ipv6 on
net n1
device d1 n1 dummy up
device d2 n1 dummy up
task t1
  address d1 10.1.0.1/24
  route d1 20.0.1.0/24
  route d2 20.0.2.0/24
  neighbour d1 10.1.0.7
  proxy d2 10.1.0.9
  address d1 2001:db8::1/64
  neighbour d1 2001:db8::7
  del_route n1 20.0.2.0/24
  del_neighbour d1 10.1.0.7
  unregister d1 d2
)");
  EXPECT_EQ(r.complaints, std::vector<std::string>{});
  for (const auto& o : r.outcomes) EXPECT_EQ(o.code, refimpl::error::none) << o.task << " " << o.index;
}

TEST_F(bound_devices, a_namespaces_exit_deletes_them_and_another_run_begins_anew) {
  for (int i = 0; i < 2; ++i) {
    const run_result r = run_on("6.1", "net n1\ndevice d1 n1 dummy up\ndevice d2 n1 dummy\ntask t1\n  exit n1\n");
    EXPECT_EQ(r.complaints, std::vector<std::string>{});
    EXPECT_EQ(r.leaked, "");
  }
}

TEST(live_scenarios, what_user_space_cannot_do_is_left_out_and_counted) {
  if (const std::string reason = rtnetlink::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  left_out missing;
  const scenario s =
      drivable(parse_scenario("device d1 init_net physical local\ntask t1\n  hold d1\n  open d1\n  put d1\n"), missing);
  EXPECT_EQ(s.tasks[0].size(), 1u);
  EXPECT_EQ(s.devices[0].kind, device_kind::dummy);
  EXPECT_EQ(missing, (left_out{{"a physical device", 1}, {"hold", 1}, {"local", 1}, {"put", 1}}));
  EXPECT_EQ(find_driver("rtnetlink")->unsupported(s), "");
}

}  // namespace
}  // namespace quiesce::conformance
