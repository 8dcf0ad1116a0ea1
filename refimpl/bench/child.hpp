// SPDX-License-Identifier: MIT
#pragma once
// A measurement in a process of its own: its peak memory is its own, and one that never ends can be ended.

#include <functional>
#include <string>

#include "refimpl/bench/report.hpp"

namespace quiesce::bench {

struct child_outcome {
  json value;  // what the work returned; null if it did not
  double peak_rss_mb = 0;
  std::string failure;  // why there is no value: "stopped after 60 s", "ended by signal 11", the text of an exception
};

// before: the calling process has no other thread that `work` needs. The child ends with its parent, and after limit_s at
// the latest. throws std::system_error when no process can be made.
child_outcome run_in_child(const std::function<json()>& work, double limit_s);

}  // namespace quiesce::bench
