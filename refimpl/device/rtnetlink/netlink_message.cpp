// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/netlink_message.hpp"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include <cstring>
#include <stdexcept>

namespace quiesce::rtnetlink {

namespace {
constexpr std::size_t capacity = 16384;
}

message::message(std::uint16_t type, std::uint16_t flags, std::string what) : buffer_(capacity), what_(std::move(what)) {
  header_ = mnl_nlmsg_put_header(buffer_.data());
  header_->nlmsg_type = type;
  header_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
}

void* message::extra(std::size_t length) {
  if (header_->nlmsg_len + MNL_ALIGN(length) > capacity) throw std::length_error("netlink message: " + what_);
  return mnl_nlmsg_put_extra_header(header_, length);
}

void message::put(std::uint16_t type, const void* data, std::size_t length) {
  if (!mnl_attr_put_check(header_, capacity, type, length, data)) throw std::length_error("netlink message: " + what_);
}

void message::nest(std::uint16_t type, const std::function<void()>& f) {
  nlattr* begin = mnl_attr_nest_start_check(header_, capacity, type);
  if (begin == nullptr) throw std::length_error("netlink message: " + what_);
  f();
  mnl_attr_nest_end(header_, begin);
}

void message::next_hop(int oif, std::uint8_t hops, const std::function<void()>& f) {
  const std::size_t at = header_->nlmsg_len;
  extra(sizeof(rtnexthop));
  f();
  auto* hop = reinterpret_cast<rtnexthop*>(reinterpret_cast<char*>(header_) + at);
  hop->rtnh_ifindex = oif;
  hop->rtnh_hops = hops;
  hop->rtnh_len = static_cast<std::uint16_t>(header_->nlmsg_len - at);
}

attributes::attributes(const void* payload, std::size_t length, std::uint16_t max_type) : found_(max_type + 1u) {
  const nlattr* attr = nullptr;
  mnl_attr_for_each_payload(static_cast<const nlattr*>(payload), length) {
    const std::uint16_t type = mnl_attr_get_type(attr);
    if (type <= max_type) found_[type] = attr;
  }
}

attributes::attributes(const nlmsghdr* message, std::size_t header_length, std::uint16_t max_type)
    : attributes(reinterpret_cast<const char*>(message) + NLMSG_HDRLEN + MNL_ALIGN(header_length),
                 message->nlmsg_len < NLMSG_HDRLEN + MNL_ALIGN(header_length)
                     ? 0
                     : message->nlmsg_len - NLMSG_HDRLEN - MNL_ALIGN(header_length),
                 max_type) {}

attributes::attributes(const nlattr* nested, std::uint16_t max_type)
    : attributes(nested == nullptr ? nullptr : mnl_attr_get_payload(nested),
                 nested == nullptr ? 0 : mnl_attr_get_payload_len(nested), max_type) {}

std::uint32_t attributes::u32(std::uint16_t type) const {
  const nlattr* a = find(type);
  return a != nullptr && mnl_attr_get_payload_len(a) >= 4 ? mnl_attr_get_u32(a) : 0;
}

std::string attributes::text(std::uint16_t type) const {
  const nlattr* a = find(type);
  if (a == nullptr) return "";
  const char* begin = static_cast<const char*>(mnl_attr_get_payload(a));
  return {begin, strnlen(begin, mnl_attr_get_payload_len(a))};
}

std::vector<std::uint8_t> attributes::bytes(std::uint16_t type) const {
  const nlattr* a = find(type);
  if (a == nullptr) return {};
  const auto* begin = static_cast<const std::uint8_t*>(mnl_attr_get_payload(a));
  return {begin, begin + mnl_attr_get_payload_len(a)};
}

}  // namespace quiesce::rtnetlink
