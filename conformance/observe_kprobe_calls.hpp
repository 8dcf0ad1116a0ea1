// SPDX-License-Identifier: MIT
#pragma once
// Calls and returns of one task: whether they fit into each other. A record that is missing, or there twice, shows where
// they do not.

#include <algorithm>
#include <string>
#include <vector>

namespace quiesce::observe {

// Of all tasks together: functions of which a return was recorded, and those that were left without one at a time when that
// was not known yet. Names are told apart by their addresses.
struct returning_functions {
  std::vector<const char*> seen, skipped;
  static bool has(const std::vector<const char*>& in, const char* f) {
    return std::find(in.begin(), in.end(), f) != in.end();
  }
  static bool add(std::vector<const char*>& to, const char* f) { return has(to, f) ? false : (to.push_back(f), true); }
};

class call_stack {
 public:
  // What is wrong with the record, one phrase; empty: nothing.
  std::string call(const char* function, returning_functions&);
  std::string ret(const char* function, returning_functions&);
  bool idle() const { return open_.empty(); }

 private:
  using place = std::vector<const char*>::iterator;
  std::string leave(place from, returning_functions&);  // without their returns
  std::vector<const char*> open_;
  std::vector<const char*> outermost_;  // called while nothing was open: not running since before the recording
};

}  // namespace quiesce::observe
