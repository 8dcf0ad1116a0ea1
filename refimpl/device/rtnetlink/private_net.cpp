// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/private_net.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <thread>

#include "refimpl/device/rtnetlink/dump.hpp"
#include "refimpl/device/rtnetlink/table_requests.hpp"

namespace quiesce::rtnetlink {

namespace {

constexpr const char* own_ns = "/proc/thread-self/ns/net";

struct registry {
  std::mutex lock;
  std::set<ino_t> inodes;
};
registry& alive_nets() {
  static registry& r = *new registry;  // outlives every static that holds a namespace
  return r;
}

ino_t inode_of(int fd) {
  struct stat s {};
  return fstat(fd, &s) == 0 ? s.st_ino : 0;
}

ino_t inode_of_this_thread() {
  struct stat s {};
  return stat(own_ns, &s) == 0 ? s.st_ino : 0;
}

answer in_thread(const std::function<answer()>& f) {
  answer out;
  std::thread([&] { out = f(); }).join();
  return out;
}

// A proxy entry without device outlives its namespace (seen on 6.18: pneigh_ifdown takes entries of devices only) and shows
// in a new one whose struct net got the same memory.
answer drop_foreign_proxies(private_net& n) {
  std::vector<neighbour_entry> entries;
  if (answer a = dump_neighbours(n.rtnl(), entries, in(usual_limit)); !a) return a;
  for (const neighbour_entry& e : entries)
    if (e.proxy && e.ifindex == 0)
      if (answer a = change_neighbour(n, 0, e.family, e.dst, true, false, in(usual_limit)); !a) return a;
  return {};
}

}  // namespace

void private_net::closer::operator()(int* fd) const {
  ::close(*fd);
  delete fd;
}

private_net::~private_net() { drop(); }

void private_net::drop() {
  if (fd_) {
    std::lock_guard held(alive_nets().lock);
    alive_nets().inodes.erase(inode_);
  }
  rtnl_.close();
  fd_.reset();
}

answer private_net::make(private_net& out, const std::string& label) {
  const ino_t mine = inode_of_this_thread();
  private_net made;
  made.label_ = label;
  answer opened = in_thread([&]() -> answer {
    if (unshare(CLONE_NEWNET) < 0) return failed(errno, "unshare(CLONE_NEWNET)");
    const int fd = ::open(own_ns, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(errno, own_ns);
    made.fd_.reset(new int(fd));
    return netlink_socket::open(made.rtnl_);
  });
  if (!opened) return opened;
  made.inode_ = inode_of(made.fd());
  if (made.inode_ == 0 || mine == 0 || made.inode_ == mine) return {EEXIST, "the new network namespace is the caller's own"};
  std::vector<link_entry> links;
  if (answer a = dump_links(made.rtnl_, links, in(usual_limit)); !a) return a;
  if (links.size() != 1 || links[0].name != "lo" || links[0].ifindex != 1)
    return {EEXIST, fmt::format("a new network namespace has {} devices, not `lo` alone (fallback tunnels: see "
                                "net.core.fb_tunnels_only_for_init_net)",
                                links.size())};
  if (answer a = drop_foreign_proxies(made); !a) return a;
  {
    std::lock_guard held(alive_nets().lock);
    if (!alive_nets().inodes.insert(made.inode_).second) {
      made.fd_.reset();
      return {EEXIST, "the new network namespace is one that is in use"};
    }
  }
  out = std::move(made);
  return {};
}

answer private_net::inside(const std::function<answer()>& f) const {
  if (!fd_) return failed(EBADF, label_);
  return in_thread([&]() -> answer {
    if (setns(*fd_, CLONE_NEWNET) < 0) return failed(errno, "setns");
    return f();
  });
}

answer private_net::set(const std::string& name, const std::string& value) const {
  if ((!name.starts_with("ipv4/") && !name.starts_with("ipv6/")) || name.find("..") != std::string::npos)
    return {EINVAL, name + " is not a setting of one namespace"};
  return inside([&]() -> answer {
    if (inode_of_this_thread() != inode_) return {EEXIST, "not inside the private namespace"};
    const std::string path = "/proc/sys/net/" + name;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return failed(errno, path);
    const bool done = ::write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
    const int code = errno;
    ::close(fd);
    return done ? answer{} : failed(code, path);
  });
}

}  // namespace quiesce::rtnetlink
