// SPDX-License-Identifier: MIT
#pragma once
// One rtnetlink request under construction, and access to the attributes of a received one. Wraps libmnl.

#include <linux/netlink.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace quiesce::rtnetlink {

class message {
 public:
  // `what` names the request in errors.
  message(std::uint16_t type, std::uint16_t flags, std::string what);

  // The family header (ifinfomsg, ...), zeroed; before any attribute. The reference is good until the next put.
  template <class Header>
  Header& header() {
    return *static_cast<Header*>(extra(sizeof(Header)));
  }
  void put(std::uint16_t type, const void* data, std::size_t length);
  void put_u8(std::uint16_t type, std::uint8_t value) { put(type, &value, sizeof value); }
  void put_u32(std::uint16_t type, std::uint32_t value) { put(type, &value, sizeof value); }
  void put_string(std::uint16_t type, const std::string& text) { put(type, text.c_str(), text.size() + 1); }
  // f puts the attributes inside.
  void nest(std::uint16_t type, const std::function<void()>& f);
  // A header inside a nest (the peer's ifinfomsg), zeroed.
  void put_nested_header(std::size_t length) { extra(length); }
  // One next hop of RTA_MULTIPATH: f puts its attributes.
  void next_hop(int oif, std::uint8_t hops, const std::function<void()>& f);

  nlmsghdr* raw() { return header_; }
  const std::string& what() const { return what_; }

 private:
  void* extra(std::size_t length);

  std::vector<char> buffer_;
  nlmsghdr* header_;
  std::string what_;
};

// The attributes of a message behind its family header, by type; a repeated one counts last. The pointers are into the
// message.
class attributes {
 public:
  attributes(const nlmsghdr* message, std::size_t header_length, std::uint16_t max_type);
  // Of a nested attribute.
  attributes(const nlattr* nested, std::uint16_t max_type);
  // Of `length` bytes at `payload`.
  attributes(const void* payload, std::size_t length, std::uint16_t max_type);

  const nlattr* find(std::uint16_t type) const { return type < found_.size() ? found_[type] : nullptr; }
  bool has(std::uint16_t type) const { return find(type) != nullptr; }
  // 0 or "" where absent or too short.
  std::uint32_t u32(std::uint16_t type) const;
  std::string text(std::uint16_t type) const;
  // Payload, empty where absent.
  std::vector<std::uint8_t> bytes(std::uint16_t type) const;

 private:
  std::vector<const nlattr*> found_;
};

template <class Header>
const Header* family_header(const nlmsghdr* m) {
  return m->nlmsg_len >= NLMSG_HDRLEN + sizeof(Header)
             ? reinterpret_cast<const Header*>(reinterpret_cast<const char*>(m) + NLMSG_HDRLEN)
             : nullptr;
}

}  // namespace quiesce::rtnetlink
