// SPDX-License-Identifier: MIT
// Recording on the running kernel in a tracefs instance of our own.

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <quiesce_paths.hpp>

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
  // Where tracefs is not mounted it is, for this process and its children only.
  static void SetUpTestSuite() {
    if (access((root + "/instances").c_str(), F_OK) == 0 || unshare(CLONE_NEWNS) != 0) return;
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0)
      mount("tracefs", root.c_str(), "tracefs", 0, nullptr);
  }
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

// A recorder that is killed and not even waited for yet; one that is at work; another program's.
TEST_F(recording, instances_of_killed_processes_are_removed_and_no_others) {
  const std::string stale = root + "/instances/quiesce-record-1000000", foreign = root + "/instances/quiesce-other-1";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    trace_instance own;
    const bool made = bool(own.open({})) && bool(own.start());
    if (write(ready[1], made ? "1" : "0", 1) == 1) pause();
    _exit(1);
  }
  char made = '0';
  ASSERT_EQ(read(ready[0], &made, 1), 1);
  ASSERT_EQ(made, '1');
  const std::string killed = root + "/instances/quiesce-record-" + std::to_string(child);
  for (const std::string& path : {stale, foreign}) ASSERT_EQ(mkdir(path.c_str(), 0700), 0) << path;
  trace_instance::remove_stale(root);
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(killed)) << "it is at work";
  kill(child, SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);  // a zombie
  trace_instance instance;
  EXPECT_EQ(instance.open({}).text, "");
  EXPECT_FALSE(std::filesystem::exists(killed));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  waitpid(child, nullptr, 0);
  rmdir(foreign.c_str());
}

TEST_F(recording, of_a_command_that_fails_leaves_the_file_as_it_was) {
  char folder[] = "/tmp/quiesce_record_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string in = folder, tool = QUIESCE_BINARY;
  std::ofstream(in + "/t") << "before";
  const auto record = [&](const std::string& more) {
    return WEXITSTATUS(std::system((tool + " record --output " + in + "/t " + more + " >" + in + "/out 2>&1").c_str()));
  };
  EXPECT_EQ(record("-- false"), 65);
  EXPECT_EQ(record("-- no-such-command"), 65);
  EXPECT_EQ(content(in + "/t"), "before");
  EXPECT_EQ(record("--even-if-failed -- false"), 2) << content(in + "/out");
  EXPECT_EQ(content(in + "/t").rfind("# kernel: ", 0), 0u);
  EXPECT_EQ(std::system((tool + " trace " + in + "/t >" + in + "/empty").c_str()), 0) << content(in + "/empty");
  std::filesystem::remove_all(folder);
}

// In a namespace that ends with the command.
TEST_F(recording, link_messages_beside_it_name_the_devices) {
  if (std::system("command -v ip unshare >/dev/null") != 0) GTEST_SKIP() << "no ip, or no unshare";
  char folder[] = "/tmp/quiesce_links_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string in = folder, tool = QUIESCE_BINARY;
  const std::string record = "unshare -n " + tool + " record --output " + in + "/t --links " + in +
                             "/l -- sh -c 'ip link add v0 type veth peer name v1; ip link del v0' >" + in + "/out 2>&1";
  EXPECT_EQ(std::system(record.c_str()), 0) << content(in + "/out");
  EXPECT_NE(content(in + "/out").find("link messages; lost: 0"), std::string::npos) << content(in + "/out");
  EXPECT_EQ(std::system((tool + " trace " + in + "/l >" + in + "/messages").c_str()), 0);
  EXPECT_NE(content(in + "/messages").find("rtnetlink"), std::string::npos);
  EXPECT_NE(content(in + "/messages").find("RTM_DELLINK: v0"), std::string::npos) << content(in + "/messages");
  std::system((tool + " trace --with " + in + "/l " + in + "/t >" + in + "/both").c_str());
  EXPECT_NE(content(in + "/both").find("NETDEV_UNREGISTER, NETDEV_PRE_UNINIT: v0 v1"), std::string::npos)
      << content(in + "/both");
  std::filesystem::remove_all(folder);
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
  for (const std::string& n : list.notes) EXPECT_EQ(n.rfind("NETDEV_PRE_UNINIT = ", 0), 0u) << n;
  EXPECT_GT(list.definitions.size(), 10u);
}

TEST(probes, a_file_without_type_information_is_refused) {
  probe_list list;
  EXPECT_NE(probe_definitions("/proc/self/cmdline", list).code, 0);
  EXPECT_NE(probe_definitions("/nonexistent", list).code, 0);
}

}  // namespace
}  // namespace quiesce::tracefs
