// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/netlink_socket.hpp"

#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace quiesce::rtnetlink {

answer failed(int code, const std::string& what) { return {code, what + ": " + std::strerror(code)}; }

int milliseconds_to(deadline when) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - std::chrono::steady_clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(std::min<long long>(left, 1 << 30));
}

namespace {

// The extended acknowledgement's text, or "".
std::string extended_text(const nlmsghdr* m) {
  const auto* err = family_header<nlmsgerr>(m);
  if (err == nullptr || (m->nlmsg_flags & NLM_F_ACK_TLVS) == 0) return "";
  std::size_t skip = sizeof(nlmsgerr);
  if ((m->nlmsg_flags & NLM_F_CAPPED) == 0 && err->msg.nlmsg_len > sizeof(nlmsghdr))
    skip += err->msg.nlmsg_len - sizeof(nlmsghdr);
  return attributes(m, skip, NLMSGERR_ATTR_MSG).text(NLMSGERR_ATTR_MSG);
}

answer acknowledged(const message& asked, const nlmsghdr* m) {
  const auto* err = family_header<nlmsgerr>(m);
  if (err == nullptr) return failed(EBADMSG, asked.what());
  if (err->error == 0) return {};
  answer out = failed(-err->error, asked.what());
  if (const std::string text = extended_text(m); !text.empty()) out.text += " (" + text + ")";
  return out;
}

// The end of a dump carries the outcome of its last part.
answer finished(const message& asked, const nlmsghdr* done) {
  const int* code = family_header<int>(done);
  return code != nullptr && *code < 0 ? failed(-*code, asked.what()) : answer{};
}

}  // namespace

void netlink_socket::closer::operator()(mnl_socket* s) const { mnl_socket_close(s); }

answer netlink_socket::open(netlink_socket& out) {
  mnl_socket* s = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (s == nullptr) return failed(errno, "socket(NETLINK_ROUTE)");
  out.socket_.reset(s);
  if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) < 0) return failed(errno, "bind(NETLINK_ROUTE)");
  int on = 1;
  for (int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK})
    if (mnl_socket_setsockopt(s, option, &on, sizeof on) < 0) return failed(errno, "setsockopt(SOL_NETLINK)");
  const int size = 4 << 20;
  setsockopt(mnl_socket_get_fd(s), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  out.buffer_.resize(1 << 17);
  return {};
}

answer netlink_socket::send(message& m) {
  if (!socket_) return failed(EBADF, m.what());
  m.raw()->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket_.get(), m.raw(), m.raw()->nlmsg_len) < 0) return failed(errno, m.what());
  return {};
}

answer netlink_socket::receive(message& m, deadline until, std::size_t& length) {
  for (;;) {
    const ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (got >= 0) {
      length = static_cast<std::size_t>(got);
      return {};
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return failed(errno, m.what());
    pollfd p{mnl_socket_get_fd(socket_.get()), POLLIN, 0};
    const int left = milliseconds_to(until);
    if (left == 0) return failed(ETIMEDOUT, m.what());
    if (poll(&p, 1, left) < 0 && errno != EINTR) return failed(errno, m.what());
  }
}

answer netlink_socket::request(message& m, deadline until) {
  m.raw()->nlmsg_flags |= NLM_F_ACK;
  if (answer sent = send(m); !sent) return sent;
  for (;;) {
    std::size_t length = 0;
    if (answer got = receive(m, until, length); !got) return got;
    int left = static_cast<int>(length);
    for (auto* part = reinterpret_cast<nlmsghdr*>(buffer_.data()); mnl_nlmsg_ok(part, left);
         part = mnl_nlmsg_next(part, &left))
      if (part->nlmsg_seq == sequence_ && part->nlmsg_type == NLMSG_ERROR) return acknowledged(m, part);
  }
}

answer netlink_socket::dump_once(message& m, deadline until, bool& interrupted,
                                 const std::function<void(const nlmsghdr*)>& part) {
  if (answer sent = send(m); !sent) return sent;
  for (;;) {
    std::size_t length = 0;
    if (answer got = receive(m, until, length); !got) return got;
    int left = static_cast<int>(length);
    for (auto* one = reinterpret_cast<nlmsghdr*>(buffer_.data()); mnl_nlmsg_ok(one, left);
         one = mnl_nlmsg_next(one, &left)) {
      if (one->nlmsg_seq != sequence_) continue;
      interrupted |= (one->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
      if (one->nlmsg_type == NLMSG_ERROR) return acknowledged(m, one);
      if (one->nlmsg_type == NLMSG_DONE) return finished(m, one);
      part(one);
    }
  }
}

answer netlink_socket::dump(message& m, deadline until, const std::function<void()>& again,
                            const std::function<void(const nlmsghdr*)>& part) {
  m.raw()->nlmsg_flags |= NLM_F_DUMP;
  for (int attempt = 0; attempt < 100; ++attempt) {
    again();
    bool interrupted = false;
    if (answer done = dump_once(m, until, interrupted, part); !done) return done;
    if (!interrupted) return {};
  }
  return failed(EINTR, m.what());
}

}  // namespace quiesce::rtnetlink
