// SPDX-License-Identifier: MIT
// Files of netlink messages, as they are written by `ip monitor file`, rtmon and `quiesce record --links`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "conformance/observe_trace.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

using observe::rule_answer;
using observe::trace_report;
using testing::HasSubstr;

constexpr std::uint16_t time_stamp = 15;

void append(std::string& to, const void* bytes, std::size_t length) {
  to.append(static_cast<const char*>(bytes), length);
  to.resize((to.size() + 3) & ~std::size_t{3});
}

std::string message(std::uint16_t type, const std::string& payload) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + payload.size());
  header.nlmsg_type = type;
  std::string out;
  append(out, &header, sizeof header);
  append(out, payload.data(), payload.size());
  return out;
}

std::string stamp(std::uint32_t seconds) {
  const std::uint32_t when[2] = {seconds, 500};
  return message(time_stamp, {reinterpret_cast<const char*>(when), sizeof when});
}

std::string link_message(std::uint16_t type, int ifindex, const std::string& name, int family = AF_UNSPEC) {
  ifinfomsg info{};
  info.ifi_family = static_cast<std::uint8_t>(family);
  info.ifi_index = ifindex;
  std::string payload;
  append(payload, &info, sizeof info);
  rtattr attribute{};
  attribute.rta_type = IFLA_IFNAME;
  attribute.rta_len = static_cast<std::uint16_t>(sizeof attribute + name.size() + 1);
  payload.append(reinterpret_cast<const char*>(&attribute), sizeof attribute);
  append(payload, name.c_str(), name.size() + 1);
  return message(type, payload);
}

catalogue& inputs() {
  static catalogue all(repository().string());
  return all;
}

trace_report report_on(const std::string& bytes) {
  char name[] = "/tmp/quiesce_messages_XXXXXX";
  const int fd = mkstemp(name);
  std::ofstream(name, std::ios::binary) << bytes;
  const std::shared_ptr<void> gone(nullptr, [&](void*) { ::close(fd), std::filesystem::remove(name); });
  return observe::report_on(inputs(), name, {});
}

const observe::rule_result& newlink_rule(const trace_report& r) {
  for (const auto& one : r.rules)
    if (one.property->name == "no_newlink_after_dellink") return one;
  throw std::out_of_range("no_newlink_after_dellink");
}

std::string two_devices() {
  return stamp(100) + link_message(RTM_NEWLINK, 5, "v0") + stamp(100) + link_message(RTM_NEWLINK, 6, "v1") + stamp(101) +
         link_message(RTM_DELLINK, 5, "v0") + stamp(101) + link_message(RTM_DELLINK, 6, "v1");
}

TEST(messages, are_told_from_text_and_come_out_in_their_order) {
  const trace_report r = report_on(two_devices());
  EXPECT_EQ(r.source.format, "rtnetlink");
  EXPECT_EQ(r.source.unexplained, 0u);
  EXPECT_EQ(r.source.events, 4u);
  EXPECT_EQ(newlink_rule(r).answer, rule_answer::holds);
  const std::string text = observe::text_of(r);
  EXPECT_THAT(text, HasSubstr("v0"));
  EXPECT_LT(text.find("v0"), text.find("v1"));
}

// Messages do not tell whether it was registered again in between.
TEST(messages, a_link_that_is_announced_after_it_went_leaves_the_rule_undecided) {
  EXPECT_EQ(newlink_rule(report_on(two_devices() + stamp(102) + link_message(RTM_NEWLINK, 5, "v0"))).answer,
            rule_answer::undecidable);
  EXPECT_EQ(newlink_rule(report_on(two_devices() + stamp(102) + link_message(RTM_NEWLINK, 5, "w0"))).answer,
            rule_answer::unknown)
      << "renamed, or another device under a number that is free again";
}

TEST(messages, of_bridge_ports_and_of_other_types_are_counted) {
  const trace_report r =
      report_on(two_devices() + link_message(RTM_NEWLINK, 6, "v1", AF_BRIDGE) + message(RTM_NEWROUTE, "route   "));
  EXPECT_EQ(r.source.unexplained, 0u);
  EXPECT_EQ(r.source.events, 4u);
  EXPECT_EQ(r.source.others.at("link message of a family"), 1u);
  EXPECT_EQ(r.source.others.at("message type 24"), 1u);
}

TEST(messages, that_the_kernel_dropped_make_the_rules_unknown) {
  const trace_report r = report_on(two_devices() + stamp(102) + message(NLMSG_OVERRUN, ""));
  EXPECT_TRUE(r.source.loss);
  EXPECT_EQ(newlink_rule(r).answer, rule_answer::unknown);
}

TEST(messages, the_last_one_may_be_cut_off) {
  const std::string whole = two_devices();
  const trace_report r = report_on(whole.substr(0, whole.size() - 10));
  EXPECT_TRUE(r.source.cut);
  EXPECT_EQ(r.source.unexplained, 0u);
  EXPECT_EQ(r.source.events, 3u);
}

// The largest ones become 0 when they are aligned in 32 bits.
TEST(messages, a_length_that_does_not_fit_is_reported_and_ends_the_reading) {
  for (const std::uint32_t nonsense : {3u, 0x7fffffffu, 0xfffffffcu, 0xfffffffdu, 0xffffffffu}) {
    const std::string bytes =
        two_devices() + std::string(reinterpret_cast<const char*>(&nonsense), sizeof nonsense) + std::string(60, 'x');
    const trace_report r = report_on(bytes);
    EXPECT_EQ(r.source.unexplained, 1u) << nonsense;
    EXPECT_EQ(newlink_rule(r).answer, rule_answer::unknown) << nonsense;
  }
}

TEST(messages, an_attribute_that_does_not_fit_makes_its_message_unread) {
  std::string broken = link_message(RTM_NEWLINK, 7, "v2");
  broken[sizeof(nlmsghdr) + sizeof(ifinfomsg)] = '\x7f';  // the attribute's length
  const trace_report r = report_on(two_devices() + broken + link_message(RTM_NEWLINK, 8, "v3"));
  EXPECT_EQ(r.source.unexplained, 1u);
  EXPECT_EQ(r.source.events, 5u);
}

}  // namespace
}  // namespace quiesce::test
