// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/kernel_events.hpp"

#include <fcntl.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "refimpl/device/rtnetlink/dump.hpp"

namespace quiesce::rtnetlink {

struct kernel_events::state {
  ~state() {
    if (fd >= 0) ::close(fd);
  }
  private_net home;
  int fd = -1;
  int last_id = 0;
  std::map<int, const private_net*> nets;
};

kernel_events::kernel_events() : state_(std::make_unique<state>()) {}
kernel_events::~kernel_events() = default;

namespace {

answer open_multicast(int& out) {
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) return failed(errno, "socket(NETLINK_ROUTE)");
  out = fd;
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) return failed(errno, "bind(RTMGRP_LINK)");
  const int on = 1, size = 32 << 20;
  if (setsockopt(fd, SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, &on, sizeof on) < 0)
    return failed(errno, "setsockopt(NETLINK_LISTEN_ALL_NSID)");
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  return {};
}

// The namespace number that came along with a datagram, -1 for the socket's own.
int nsid_of(msghdr& received) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&received); c != nullptr; c = CMSG_NXTHDR(&received, c))
    if (c->cmsg_level == SOL_NETLINK && c->cmsg_type == NETLINK_LISTEN_ALL_NSID) {
      int id = -1;
      std::memcpy(&id, CMSG_DATA(c), sizeof id);
      return id;
    }
  return -1;
}

}  // namespace

answer kernel_events::start() {
  if (answer a = private_net::make(state_->home, "listener"); !a) return a;
  return state_->home.inside([&] { return open_multicast(state_->fd); });
}

answer kernel_events::follow(const private_net& n) {
  message m(RTM_NEWNSID, 0, "number of namespace " + n.label());
  m.header<rtgenmsg>();
  const int id = ++state_->last_id;
  m.put_u32(NETNSA_NSID, static_cast<std::uint32_t>(id));
  m.put_u32(NETNSA_FD, static_cast<std::uint32_t>(n.fd()));
  if (answer a = state_->home.rtnl().request(m, in(usual_limit)); !a) return a;
  state_->nets[id] = &n;
  return {};
}

void kernel_events::forget(const private_net& n) {
  std::erase_if(state_->nets, [&](const auto& entry) { return entry.second == &n; });
}

answer kernel_events::take(std::vector<link_event>& out) {
  std::vector<char> buffer(1 << 16);
  for (;;) {
    char control[128];
    iovec data{buffer.data(), buffer.size()};
    msghdr received{};
    received.msg_iov = &data;
    received.msg_iovlen = 1;
    received.msg_control = control;
    received.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(state_->fd, &received, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN ? answer{} : failed(errno, "messages of the kernel");
    const auto from = state_->nets.find(nsid_of(received));
    if (from == state_->nets.end()) continue;
    auto left = static_cast<unsigned>(got);
    for (auto* m = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
      if (m->nlmsg_type != RTM_NEWLINK && m->nlmsg_type != RTM_DELLINK) continue;
      const auto* h = family_header<ifinfomsg>(m);
      link_entry link;
      if (h == nullptr || h->ifi_family != AF_UNSPEC || !read_link(m, link)) continue;  // a bridge port has its own family
      out.push_back({m->nlmsg_type == RTM_DELLINK, from->second, link.ifindex, link.name, link.flags});
    }
  }
}

answer kernel_events::wait(deadline until) {
  for (;;) {
    pollfd p{state_->fd, POLLIN, 0};
    const int left = milliseconds_to(until);
    const int ready = poll(&p, 1, left);
    if (ready > 0) return {};
    if (ready == 0) return failed(ETIMEDOUT, "messages of the kernel");
    if (errno != EINTR) return failed(errno, "messages of the kernel");
  }
}

}  // namespace quiesce::rtnetlink
