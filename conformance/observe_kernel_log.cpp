// SPDX-License-Identifier: MIT
// The kernel log: records of the notifier-logging module, and the wait for references with what reference tracking prints.
//
// The module's handler runs first (`hi`) and last (`lo`) in the chain, so that `hi` is the event and `lo` its end. The log
// has no begin and end of a rollback or close, unless the module did it: they follow from reg_state. NETDEV_UNREGISTER with
// reg_state 2 is of a rollback, with 1 of a move, with 3 sent again for references.

#include <fmt/format.h>

#include <algorithm>

#include "conformance/observe_format_list.hpp"
#include "conformance/observe_ftrace.hpp"
#include "conformance/observe_log_batch.hpp"
#include "conformance/observe_log_line.hpp"

namespace quiesce::observe {
namespace {

constexpr std::size_t waits_kept = 1000, holders_kept = 32, stack_kept = 32;

class kernel_log_observer : public observer {
 public:
  explicit kernel_log_observer(event_builder& to) : to_(to), batches_(to) {}

  void line(std::string_view text, std::uint64_t number) override {
    if (text.starts_with('#')) return;
    const log_line l = parse_log_line(text);
    stamped_ = stamped_ || l.time >= 0;
    if (is_module_record(l.text)) {
      in_wait_ = false;
      module_record record;
      if (!parse_module_record(l.text, record))
        return to_.unread(number, fmt::format("not a record of the logging module: {}", printable(l.text)));
      return one(record, number, l.time);
    }
    if (l.text.find('\0') != std::string_view::npos)
      return to_.unread(number, "the line has NUL bytes: " + printable(l.text));
    std::string_view what;
    if (wait(l, number)) return;
    if (in_wait_ && parse_tracker(l.text, what)) return holder(what);
    if (in_wait_ && parse_tracker_frame(l.text, what)) return holder_frame(what);
    in_wait_ = false;
    if (l.text.starts_with("SCENARIO")) {
      to_.label(l.text);
      return batches_.mark();
    }
    // Messages of several lines go on with blanks.
    ftrace_line foreign;
    const bool goes_on = text.starts_with(' ') || text.starts_with('\t');
    if (l.time < 0 && !text.empty() && (stamped_ ? !goes_on || parse_ftrace(text, foreign) : parse_ftrace(text, foreign)))
      return to_.unread(number, "not a line of this log, whose lines have time stamps: " + printable(text));
    if (!l.text.empty()) to_.other("kernel message");
  }

  void end() override { batches_.end(); }

  bool shows(seen kind) const override {
    switch (kind) {
      case seen::NETDEV_REGISTER:
      case seen::NETDEV_UP:
      case seen::NETDEV_GOING_DOWN:
      case seen::NETDEV_DOWN:
      case seen::NETDEV_UNREGISTER:
      case seen::close_begin:
      case seen::close_end:
      case seen::rollback_begin:
      case seen::rollback_end:
      case seen::rebroadcast_begin:
      case seen::rebroadcast_end:
        return events_;
      default:
        return false;
    }
  }
  std::string why_not(seen) const override {
    return events_ ? "the logging module does not record it" : "the log has no record of notifications";
  }
  bool shows_net() const override { return events_; }
  bool shows_tasks() const override { return false; }
  bool fixed_coverage() const override { return true; }

 private:
  void one(const module_record& r, std::uint64_t number, std::int64_t time) {
    if (next_ != 0 && r.sequence > next_)
      to_.lost(r.sequence - next_, number, fmt::format("records {} to {} are missing", next_, r.sequence - 1));
    if (next_ != 0 && r.sequence < next_)
      to_.doubtful(doubt::lost_records, number, fmt::format("record {} comes behind record {}", r.sequence, next_ - 1));
    next_ = r.sequence + 1;
    to_.record("kernel", number, time);
    events_ = events_ || r.what == "hi" || r.what == "lo";
    batches_.record(r, number, time);
  }

  bool wait(const log_line& l, std::uint64_t number) {
    std::string_view device;
    std::int64_t count = 0;
    if (!parse_waiting(l.text, device, count)) return false;
    source_summary& s = to_.summary();
    ++s.records;
    to_.clock(number, l.time);
    if (count < 0)
      to_.doubtful(
          doubt::contradiction, number,
          fmt::format("the usage count of {} is {}: more references were dropped than taken", printable(device), count));
    in_wait_ = s.waits.size() < waits_kept;
    if (in_wait_)
      s.waits.push_back({number, l.time, std::string(device), count, {}});
    else
      ++s.more_waits;
    return true;
  }
  void holder(std::string_view what) {
    auto& holders = to_.summary().waits.back().holders;
    if (holders.size() < holders_kept) holders.push_back({std::string(what), {}});
  }
  void holder_frame(std::string_view function) {
    auto& holders = to_.summary().waits.back().holders;
    if (!holders.empty() && holders.back().stack.size() < stack_kept) holders.back().stack.emplace_back(function);
  }

  event_builder& to_;
  log_batches batches_;
  std::uint64_t next_ = 0;
  bool in_wait_ = false, events_ = false;
  bool stamped_ = false;  // lines begin with a time stamp
};

int fits(std::string_view head) {
  int found = 0;
  for_some_lines(head, 200, [&](std::string_view line) {
    const log_line l = parse_log_line(line);
    module_record record;
    std::string_view device;
    std::int64_t count = 0;
    if (l.time >= 0) found += 1;
    if (parse_module_record(l.text, record) || parse_waiting(l.text, device, count)) found += 40;
  });
  return std::min(found, 95);
}

}  // namespace

format kernel_log_format() {
  return {"kernel-log", "the kernel log: the notifier-logging module, waits for references with reference tracking", fits,
          [](event_builder& to) -> std::unique_ptr<observer> { return std::make_unique<kernel_log_observer>(to); }};
}

}  // namespace quiesce::observe
