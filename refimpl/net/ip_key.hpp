// SPDX-License-Identifier: MIT
#pragma once
// The key of addresses in tables. Includes nothing of the stack: kernel headers define some of its names as macros.

#include <compare>
#include <cstdint>

namespace quiesce::refimpl {

// An address of either family; IPv4 in `lo`, host byte order.
struct ip_key {
  std::uint64_t hi = 0, lo = 0;
  auto operator<=>(const ip_key&) const = default;
};
inline ip_key ipv4_key(std::uint32_t a) { return {0, a}; }

}  // namespace quiesce::refimpl
