// SPDX-License-Identifier: MIT
// The stack in the variant of the running kernel and that kernel do the same: tests/data/live/*.scenario, operation by
// operation. On a kernel that is not listed a difference is no failure of the kernel: the tests skip.

#include <gtest/gtest.h>

#include "conformance/live_mirror.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::conformance {
namespace {

class live_mirror : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = rtnetlink::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    const rtnetlink::running_kernel kernel = rtnetlink::this_kernel();
    if (!kernel.listed) GTEST_SKIP() << "kernel " << kernel.release << " is not listed; the nearest is " << kernel.variant;
    settings_.policy = refimpl::variant(kernel.variant);
  }
  mirror_result run_file(const std::string& name) {
    return run_mirrored(parse_scenario(test::read_text(test::repository() / "tests/data/live" / (name + ".scenario"))),
                        settings_);
  }
  void expect_equal(const std::string& name, std::size_t operations) {
    const mirror_result r = run_file(name);
    EXPECT_EQ(r.failed_operation, "");
    EXPECT_EQ(r.mismatches, std::vector<std::string>{});
    EXPECT_EQ(r.operations, operations);
    EXPECT_GT(r.lines, r.comparisons);
  }
  mirror_settings settings_;
};

TEST_F(live_mirror, ipv4) { expect_equal("ipv4", 14); }
TEST_F(live_mirror, ipv6_and_moves) { expect_equal("ipv6_and_moves", 21); }
TEST_F(live_mirror, entries_on_devices_that_are_down) { expect_equal("entries_on_devices_that_are_down", 19); }
TEST_F(live_mirror, shared_addresses) { expect_equal("shared_addresses", 45); }

TEST_F(live_mirror, a_kernel_with_its_own_settings_settles_in_the_same_state) {
  settings_.kernel_defaults = true;
  const mirror_result r = run_mirrored(parse_scenario(R"(
net n1
device d1 n1 dummy up
device d2 n1 dummy
device d3 n1 dummy up
task t1
  address d1 fd00::1/64
  address d1 10.1.0.1/24
  open d2
  close d3
)"),
                                       settings_);
  EXPECT_EQ(r.failed_operation, "");
  EXPECT_EQ(r.mismatches, std::vector<std::string>{});
  EXPECT_EQ(r.comparisons, 1u);
}

// The posted series deletes permanent neighbours of devices that are down in other namespaces; no kernel does.
TEST_F(live_mirror, a_stack_that_differs_is_found) {
  settings_.policy = refimpl::variant("P1");
  settings_.settle = std::chrono::milliseconds(200);
  const mirror_result r = run_mirrored(parse_scenario(R"(
net n1
net n2
device d1 n1 dummy
device d2 n2 dummy up
task t1
  neighbour d1 10.1.0.9
  close d2
)"),
                                       settings_);
  EXPECT_EQ(r.failed_operation, "close d2");
  EXPECT_EQ(r.mismatches, std::vector<std::string>{"kernel only: n1 neighbour 10.1.0.9 dev d1 permanent"});
}

TEST(live_tables, every_line_counts) {
  const std::map<std::string, expected_line> expected = {{"a", {}}, {"b", {"rule", false}}, {"c", {"rule", true}}};
  EXPECT_EQ(differences(expected, {"a", "c"}), std::vector<std::string>{});
  EXPECT_EQ(differences(expected, {"a", "b", "c"}), std::vector<std::string>{});
  EXPECT_EQ(differences(expected, {"a"}), std::vector<std::string>{"stack only: c [rule]"});
  EXPECT_EQ(differences(expected, {"a", "c", "d"}), std::vector<std::string>{"kernel only: d"});
  EXPECT_EQ(differences(expected, {"a", "a", "c"}), std::vector<std::string>{"kernel twice: a"});
}

TEST(live_tables, every_rule_has_a_sentence) {
  for (const table_rule& r : table_rules()) EXPECT_GT(std::string(r.sentence).size(), 20u) << r.name;
}

}  // namespace
}  // namespace quiesce::conformance
