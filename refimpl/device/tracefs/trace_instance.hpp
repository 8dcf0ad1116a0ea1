// SPDX-License-Identifier: MIT
#pragma once
// A private tracefs instance that records notifier:notifier_run with stack traces. Nothing outside it is written: no
// top-level file of tracefs, no global setting. Its maker holds a lock on it, so that one which a killed process left behind
// is known for stale and removed by the next.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "refimpl/device/rtnetlink/answer.hpp"

namespace quiesce::tracefs {

using rtnetlink::answer;

enum class recording_mode {
  one_callback,  // only the runs of one handler of the chain: every event once, and nothing is lost
  whole_chain    // every handler: their order too, at many times the records
};

struct recording_settings {
  recording_mode mode = recording_mode::one_callback;
  std::string callback = "rtnetlink_event";
  unsigned buffer_kb = 16384;  // for each CPU
  std::string root = "/sys/kernel/tracing";
};

// What the ring buffers counted, over all CPUs.
struct loss_counts {
  std::uint64_t overrun = 0;         // overwritten before they were read
  std::uint64_t commit_overrun = 0;  // written while an interrupted write was unfinished
  std::uint64_t dropped = 0;         // not written for want of space
  std::uint64_t total() const { return overrun + commit_overrun + dropped; }
};

class trace_instance {
 public:
  trace_instance() = default;
  trace_instance(const trace_instance&) = delete;
  ~trace_instance();  // removes it

  // Makes and sets up the instance; nothing is recorded yet. errors: -ENOENT without tracefs or without the event, others as
  // the file system gives them.
  answer open(const recording_settings& settings);
  answer start();
  answer stop();
  answer losses(loss_counts& out) const;
  // The `trace` file, as it stands, in pieces. After stop().
  answer read(const std::function<void(std::string_view)>& piece) const;
  const std::string& path() const { return path_; }

  // Removes instances of ended processes of this program; gives their names.
  static std::vector<std::string> remove_stale(const std::string& root);

 private:
  answer write(const std::string& file, const std::string& value) const;
  answer set_up(const recording_settings& settings);
  std::string path_;
  int lock_ = -1;
};

}  // namespace quiesce::tracefs
