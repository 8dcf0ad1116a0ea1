// SPDX-License-Identifier: MIT
#pragma once
// Links as RTM_NEWLINK and RTM_DELLINK name them: one device is what has the same ifindex, name and address.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "conformance/observe_builder.hpp"

namespace quiesce::observe {

struct link_message {
  bool gone = false;  // RTM_DELLINK
  std::int32_t ifindex = 0;
  std::string name, address;  // address: as text, may be empty
  std::uint64_t net = 0;      // of the listener, or as it numbers them
};

class link_table {
 public:
  explicit link_table(event_builder& to) : to_(to) {}
  // The builder stands at the record.
  void message(const link_message&);

 private:
  struct link {
    slot device;
    std::string name, address;
    bool gone;
  };
  event_builder& to_;
  std::unordered_map<std::uint64_t, link> links_;  // by namespace and ifindex
};

// The namespace of a listener that is told nothing about others; identifiers of others come behind it.
inline constexpr std::uint64_t own_net = 1;
inline constexpr std::uint64_t first_nsid_net = 2;
inline constexpr std::uint64_t nsid_nets = 1 << 20;

}  // namespace quiesce::observe
