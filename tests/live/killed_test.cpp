// SPDX-License-Identifier: MIT
// A run on real devices that is killed leaves nothing behind: its namespaces are watched from outside, by veth pairs that
// reach into them, and are gone within 30 s; and another run works.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include <quiesce_paths.hpp>

#include "refimpl/device/rtnetlink/capabilities.hpp"
#include "refimpl/device/rtnetlink/kernel_events.hpp"
#include "refimpl/device/rtnetlink/netlink_message.hpp"
#include "refimpl/device/rtnetlink/private_net.hpp"

namespace quiesce::rtnetlink {
namespace {

pid_t start_conform(const char* count) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  execl(QUIESCE_BINARY, "quiesce", "conform", "--driver", "rtnetlink", "--count", count, nullptr);
  _exit(127);
}

// Descriptors of a process for network namespaces other than this one's, one for each namespace.
std::vector<std::string> namespaces_of(pid_t pid) {
  std::vector<std::string> paths;
  std::error_code failed;
  std::set<std::string> seen = {std::filesystem::read_symlink("/proc/self/ns/net", failed).string()};
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", failed)) {
    const std::string to = std::filesystem::read_symlink(entry.path(), failed).string();
    if (to.starts_with("net:[") && seen.insert(to).second) paths.push_back(entry.path().string());
  }
  return paths;
}

// A pair whose other end is in the namespace of that descriptor. The driver itself never enters one that it did not make.
answer veth_into(private_net& home, const std::string& name, const std::string& path, deadline until) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed(errno, path);
  message m(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, "a pair into " + path);
  m.header<ifinfomsg>();
  m.put_string(IFLA_IFNAME, name);
  m.nest(IFLA_LINKINFO, [&] {
    m.put_string(IFLA_INFO_KIND, "veth");
    m.nest(IFLA_INFO_DATA, [&] {
      m.nest(VETH_INFO_PEER, [&] {
        m.put_nested_header(sizeof(ifinfomsg));
        m.put_string(IFLA_IFNAME, "q" + name);
        m.put_u32(IFLA_NET_NS_FD, static_cast<std::uint32_t>(fd));
      });
    });
  });
  const answer made = home.rtnl().request(m, until);
  close(fd);
  return made;
}

TEST(live_killed, nothing_is_left_and_the_next_run_works) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  private_net home;
  ASSERT_EQ(private_net::make(home, "home").text, "");
  kernel_events events;
  ASSERT_EQ(events.start().text, "");
  ASSERT_EQ(events.follow(home).text, "");
  const pid_t child = start_conform("200");
  std::set<std::string> watching;
  for (int attempt = 0; attempt < 100 && watching.empty(); ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (const std::string& path : namespaces_of(child)) {
      const std::string name = "k" + std::to_string(watching.size());
      if (veth_into(home, name, path, in(usual_limit))) watching.insert(name);
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(watching.empty());
  const deadline until = in(std::chrono::seconds(30));
  std::vector<link_event> heard;
  while (!watching.empty() && events.wait(until)) {
    ASSERT_EQ(events.take(heard).text, "");
    for (const link_event& e : heard)
      if (e.deleted) watching.erase(e.name);
  }
  EXPECT_TRUE(watching.empty());
  const pid_t again = start_conform("2");
  int status = 0;
  waitpid(again, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace quiesce::rtnetlink
