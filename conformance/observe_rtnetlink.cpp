// SPDX-License-Identifier: MIT
#include "conformance/observe_rtnetlink.hpp"

#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

#include "conformance/observe_format_list.hpp"
#include "conformance/observe_input.hpp"

namespace quiesce::observe {
namespace {

constexpr std::uint16_t time_stamp = 15;  // NLMSG_TSTAMP of iproute2: seconds, microseconds
constexpr std::size_t header_size = NLMSG_HDRLEN, longest_message = 1 << 20;

template <typename T>
bool take(std::string_view bytes, T& out) {
  if (bytes.size() < sizeof out) return false;
  std::memcpy(&out, bytes.data(), sizeof out);
  return true;
}

std::string hex_address(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : ":", c);
  return out;
}

// Calls each(type, payload) for the attributes. False: a length does not fit.
template <typename F>
bool each_attribute(std::string_view bytes, F&& each) {
  rtattr header;
  while (bytes.size() >= sizeof header) {
    take(bytes, header);
    if (header.rta_len < sizeof header || header.rta_len > bytes.size()) return false;
    each(header.rta_type, bytes.substr(sizeof header, header.rta_len - sizeof header));
    bytes.remove_prefix(std::min<std::size_t>(RTA_ALIGN(header.rta_len), bytes.size()));
  }
  return bytes.empty();
}

// NLMSG_ALIGN in 32 bits wraps to 0 for the largest lengths.
std::size_t aligned(std::uint32_t length) {
  return (std::size_t{length} + NLMSG_ALIGNTO - 1) & ~std::size_t{NLMSG_ALIGNTO - 1};
}

}  // namespace

void rtnetlink_observer::line(std::string_view message, std::uint64_t number) {
  nlmsghdr header;
  if (!take(message, header) || header.nlmsg_len < header_size || header.nlmsg_len > message.size())
    return to_.unread(number, "a netlink message whose length does not fit");
  const std::string_view payload = message.substr(header_size, header.nlmsg_len - header_size);
  if (header.nlmsg_type == time_stamp) {
    std::uint32_t stamp[2];
    if (take(payload, stamp)) time_ = static_cast<std::int64_t>(stamp[0]) * 1'000'000'000 + std::int64_t{stamp[1]} * 1000;
    return;
  }
  if (header.nlmsg_type == NLMSG_OVERRUN) return to_.lost(0, number, "the netlink socket lost messages (ENOBUFS)");
  if (header.nlmsg_type == RTM_NEWLINK || header.nlmsg_type == RTM_DELLINK)
    return link(payload, header.nlmsg_type == RTM_DELLINK, number);
  to_.record("kernel", number, time_);
  to_.other(fmt::format("message type {}", header.nlmsg_type));
}

void rtnetlink_observer::link(std::string_view payload, bool gone, std::uint64_t number) {
  ifinfomsg info;
  link_message out;
  const bool whole =
      take(payload, info) && each_attribute(payload.substr(NLMSG_ALIGN(sizeof info)), [&](int type, std::string_view v) {
        if (type == IFLA_IFNAME) out.name = v.substr(0, v.find('\0'));
        if (type == IFLA_ADDRESS) out.address = hex_address(v);
      });
  if (!whole || out.name.empty()) return to_.unread(number, "a link message that does not parse");
  to_.record("kernel", number, time_);
  // Bridge ports (AF_BRIDGE) are told of beside the link itself.
  if (info.ifi_family != AF_UNSPEC) return to_.other("link message of a family");
  out.gone = gone;
  out.ifindex = info.ifi_index;
  out.net = own_net;
  links_.message(out);
}

void each_message(byte_source& from, std::string_view already_read,
                  const std::function<void(std::string_view, std::uint64_t, bool)>& each) {
  std::vector<char> buffer(longest_message * 2);
  std::size_t filled = already_read.size();
  std::memcpy(buffer.data(), already_read.data(), filled);
  std::uint64_t number = 0;
  bool sane = true;
  for (;;) {
    std::size_t start = 0;
    nlmsghdr header;
    while (sane && take({buffer.data() + start, filled - start}, header)) {
      const std::size_t length = aligned(header.nlmsg_len);
      sane = header.nlmsg_len >= header_size && length <= longest_message;
      if (!sane || length > filled - start) break;
      each({buffer.data() + start, header.nlmsg_len}, ++number, true);
      start += length;
    }
    if (!sane) return each({buffer.data() + start, header_size}, ++number, true);  // nothing behind it can be told apart
    std::memmove(buffer.data(), buffer.data() + start, filled - start);
    filled -= start;
    const std::size_t got = from.read(buffer.data() + filled, buffer.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  if (filled > 0) each({buffer.data(), filled}, ++number, false);
}

namespace {

int fits(std::string_view head) {
  int found = 0;
  nlmsghdr header;
  while (take(head, header)) {
    const std::size_t length = aligned(header.nlmsg_len);
    if (header.nlmsg_len < header_size || length > longest_message || header.nlmsg_type < time_stamp ||
        header.nlmsg_type > 256)
      return found > 1 ? found : 0;
    found += 20;
    if (length > head.size()) break;
    head.remove_prefix(length);
  }
  return std::min(found, 90);
}

}  // namespace

format rtnetlink_format() {
  return {"rtnetlink", "netlink messages as `quiesce record --links`, `ip monitor file` and rtmon write them", fits,
          [](event_builder& to) -> std::unique_ptr<observer> { return std::make_unique<rtnetlink_observer>(to); }, true};
}

}  // namespace quiesce::observe
