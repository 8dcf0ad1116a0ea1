// SPDX-License-Identifier: MIT
// Recording on the running kernel in a tracefs instance of our own.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "refimpl/device/rtnetlink/capabilities.hpp"
#include "refimpl/device/rtnetlink/link_requests.hpp"
#include "refimpl/device/tracefs/probes.hpp"
#include "refimpl/device/tracefs/trace_instance.hpp"

namespace quiesce::tracefs {
namespace {

const std::string root = "/sys/kernel/tracing";

std::string content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class recording : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = rtnetlink::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    if (access((root + "/events/notifier/notifier_run").c_str(), F_OK) != 0)
      GTEST_SKIP() << "no event notifier:notifier_run";
    if (access((root + "/instances").c_str(), W_OK) != 0) GTEST_SKIP() << "tracefs is not writable";
  }
  void delete_a_pair() {
    rtnetlink::private_net n;
    ASSERT_EQ(rtnetlink::private_net::make(n, "one").text, "");
    rtnetlink::new_link l{"veth", "v0", rtnetlink::mac_of(1)};
    l.peer_name = "v1";
    l.peer_mac = rtnetlink::mac_of(2);
    ASSERT_EQ(create_link(n, l, rtnetlink::in(rtnetlink::usual_limit)).text, "");
    int index = 0;
    ASSERT_EQ(index_of(n, "v0", index, rtnetlink::in(rtnetlink::usual_limit)).text, "");
    ASSERT_EQ(delete_link(n, index, rtnetlink::in(rtnetlink::usual_limit)).text, "");
  }
};

TEST_F(recording, one_callback_is_recorded_with_its_callers_and_nothing_is_left) {
  const std::string on = content(root + "/tracing_on"), clock = content(root + "/trace_clock"),
                    enabled = content(root + "/events/notifier/notifier_run/enable");
  std::string path, text;
  loss_counts lost;
  {
    trace_instance instance;
    ASSERT_EQ(instance.open({}).text, "");
    path = instance.path();
    ASSERT_EQ(instance.start().text, "");
    delete_a_pair();
    ASSERT_EQ(instance.stop().text, "");
    ASSERT_EQ(instance.losses(lost).text, "");
    ASSERT_EQ(instance.read([&](std::string_view piece) { text += piece; }).text, "");
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(lost.total(), 0u);
  EXPECT_NE(text.find("notifier_run: rtnetlink_event"), std::string::npos);
  EXPECT_EQ(text.find("notifier_run: inetdev_event"), std::string::npos);
  EXPECT_NE(text.find("=> unregister_netdevice_many_notify+0x"), std::string::npos);
  EXPECT_EQ(content(root + "/tracing_on"), on);
  EXPECT_EQ(content(root + "/trace_clock"), clock);
  EXPECT_EQ(content(root + "/events/notifier/notifier_run/enable"), enabled);
}

TEST_F(recording, the_whole_chain_has_more_callbacks) {
  trace_instance instance;
  recording_settings settings;
  settings.mode = recording_mode::whole_chain;
  ASSERT_EQ(instance.open(settings).text, "");
  ASSERT_EQ(instance.start().text, "");
  delete_a_pair();
  ASSERT_EQ(instance.stop().text, "");
  std::string text;
  ASSERT_EQ(instance.read([&](std::string_view piece) { text += piece; }).text, "");
  EXPECT_NE(text.find("notifier_run: inetdev_event"), std::string::npos);
}

TEST_F(recording, instances_of_ended_processes_are_removed_and_no_others) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const std::string stale = root + "/instances/quiesce-record-" + std::to_string(child);
  const std::string alive = root + "/instances/quiesce-record-1",
                    foreign = root + "/instances/quiesce-other-" + std::to_string(getpid());
  for (const std::string& path : {stale, alive, foreign}) ASSERT_EQ(mkdir(path.c_str(), 0700), 0) << path;
  trace_instance instance;
  EXPECT_EQ(instance.open({}).text, "");
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(alive));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  for (const std::string& path : {alive, foreign}) rmdir(path.c_str());
}

TEST(probes, take_positions_and_offsets_from_type_information) {
  const std::string btf = "/sys/kernel/btf/vmlinux";
  if (access(btf.c_str(), R_OK) != 0) GTEST_SKIP() << "this kernel has no " << btf;
  probe_list list;
  ASSERT_EQ(probe_definitions(btf, list).text, "");
  std::size_t notify = 0;
  for (const std::string& d : list.definitions) {
    notify += d.starts_with("p:nd/notify call_netdevice_notifiers_info event=$arg1:u64 name=+");
    EXPECT_EQ(d.find("=+$"), std::string::npos) << d;
  }
  EXPECT_EQ(notify, 1u);
  EXPECT_GT(list.definitions.size(), 10u);
}

TEST(probes, a_file_without_type_information_is_refused) {
  probe_list list;
  EXPECT_NE(probe_definitions("/proc/self/cmdline", list).code, 0);
  EXPECT_NE(probe_definitions("/nonexistent", list).code, 0);
}

}  // namespace
}  // namespace quiesce::tracefs
