// SPDX-License-Identifier: MIT
#pragma once
// Calls and returns of one task: whether they fit into each other. A record that is missing, or there twice, shows where
// they do not.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace quiesce::observe {

// Of all tasks together: functions of which a return was recorded, and those that were left without one at a time when that
// was not known yet. Names must last.
struct returning_functions {
  std::unordered_set<std::string_view> seen, skipped;
};

class call_stack {
 public:
  // What is wrong with the record, one phrase; empty: nothing.
  std::string call(std::string_view function, returning_functions&);
  std::string ret(std::string_view function, returning_functions&);
  bool idle() const { return open_.empty() && outermost_.empty(); }

 private:
  using place = std::vector<std::string_view>::iterator;
  std::string leave(place from, returning_functions&);  // without their returns
  std::vector<std::string_view> open_;
  std::vector<std::string_view> outermost_;  // called while nothing was open: not running since before the recording
};

}  // namespace quiesce::observe
