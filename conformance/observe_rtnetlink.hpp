// SPDX-License-Identifier: MIT
#pragma once
// Messages of rtnetlink's multicast groups, as `quiesce record --links`, `ip monitor file` and rtmon write them.

#include "conformance/observe_links.hpp"

namespace quiesce::observe {

class rtnetlink_observer : public observer {
 public:
  explicit rtnetlink_observer(event_builder& to) : to_(to), links_(to) {}
  // One message, its header included. `number` counts messages, from 1.
  void line(std::string_view message, std::uint64_t number) override;
  void end() override {}
  bool shows(seen kind) const override { return kind == seen::RTM_NEWLINK || kind == seen::RTM_DELLINK; }
  std::string why_not(seen) const override { return "messages to user space do not tell it"; }
  bool shows_net() const override { return true; }

 private:
  void link(std::string_view payload, bool gone, std::uint64_t number);
  event_builder& to_;
  link_table links_;
  std::int64_t time_ = -1;
};

}  // namespace quiesce::observe
