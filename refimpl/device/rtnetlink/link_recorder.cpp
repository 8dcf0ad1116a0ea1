// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/link_recorder.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <vector>

namespace quiesce::rtnetlink {

namespace {

constexpr std::uint16_t time_stamp = 15;  // NLMSG_TSTAMP of iproute2: seconds, microseconds

void write(std::ostream& to, const void* bytes, std::size_t length) {
  static constexpr char padding[NLMSG_ALIGNTO] = {};
  to.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(length));
  to.write(padding, static_cast<std::streamsize>(NLMSG_ALIGN(length) - length));
}

void write_time(std::ostream& to) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  struct {
    nlmsghdr header{};
    std::uint32_t seconds = 0, micros = 0;
  } stamp;
  stamp.header.nlmsg_len = sizeof stamp;
  stamp.header.nlmsg_type = time_stamp;
  stamp.seconds = static_cast<std::uint32_t>(micros / 1'000'000);
  stamp.micros = static_cast<std::uint32_t>(micros % 1'000'000);
  write(to, &stamp, sizeof stamp);
}

void write_overrun(std::ostream& to) {
  nlmsghdr lost{};
  lost.nlmsg_len = sizeof lost;
  lost.nlmsg_type = NLMSG_OVERRUN;
  write(to, &lost, sizeof lost);
}

}  // namespace

link_recorder::~link_recorder() {
  if (fd_ >= 0) close(fd_);
}

answer link_recorder::start() {
  fd_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd_ < 0) return failed(errno, "socket(NETLINK_ROUTE)");
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) return failed(errno, "bind(RTMGRP_LINK)");
  const int size = 32 << 20;
  if (setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  return {};
}

answer link_recorder::take(std::ostream& to) {
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t got = recv(fd_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return {};
    if (got < 0 && errno == ENOBUFS) {
      ++overruns_;
      write_time(to);
      write_overrun(to);
      continue;
    }
    if (got < 0) return failed(errno, "messages of the kernel");
    write_time(to);
    auto left = static_cast<unsigned>(got);
    for (auto* m = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
      ++messages_;
      write(to, m, m->nlmsg_len);
    }
  }
}

}  // namespace quiesce::rtnetlink
