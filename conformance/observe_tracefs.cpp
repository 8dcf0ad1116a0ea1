// SPDX-License-Identifier: MIT
// The `trace` file of tracefs: kprobe events, notifier:notifier_run with stack traces, qdisc events, markers.

#include <fmt/format.h>

#include <charconv>

#include "conformance/observe_format_list.hpp"
#include "conformance/observe_ftrace.hpp"
#include "conformance/observe_kprobe.hpp"
#include "conformance/observe_stacks.hpp"

namespace quiesce::observe {
namespace {

class tracefs_observer : public observer {
 public:
  explicit tracefs_observer(event_builder& to) : to_(to), probes_(to), stacks_(to) {}

  void line(std::string_view text, std::uint64_t number) override {
    std::string_view function;
    if (text.starts_with(" => ")) return parse_frame(text, function) ? frame(function) : unread(text, number);
    if (text.starts_with('#')) return comment(text, number);
    if (text.empty()) return;
    if (std::uint64_t lost = 0; parse_lost(text, lost))
      return to_.lost(lost, number, fmt::format("records are lost: {}", text));
    ftrace_line record;
    if (!parse_ftrace(text, record)) return unread(text, number);
    if (record.name == "<stack trace>") {
      ++to_.summary().records;
      return;
    }
    finish_run();
    to_.record(record.task, number, record.time);
    if (!one(record, number)) unread(text, number);
  }

  void end() override {
    finish_run();
    if (promised_ > to_.summary().records)
      to_.doubtful(doubt::unmatched, promised_line_,
                   fmt::format("{} of the {} records that the header counts are not in the file",
                               promised_ - to_.summary().records, promised_));
    stacks_.end();
    probes_.end();
  }

  bool shows(seen kind) const override {
    if (probes_.has_notifications()) return probes_.shows(kind);
    return stacks_.used() ? stacks_.shows(kind) : probes_.shows(kind);
  }
  bool could_show(seen kind) const override {
    return stacks_.used() && !probes_.has_notifications() ? stacks_.shows(kind) : probes_.could_show(kind);
  }
  bool missed(seen kind) const override { return probes_.missed(kind); }
  std::string why_not(seen kind) const override {
    if (probes_.has_notifications() || !stacks_.used()) return probes_.why_not(kind);
    if (kind == seen::NETDEV_PRE_UNINIT) return "no device has two notifications by the unregistering function";
    return "notifier_run does not tell it";
  }
  bool shows_net() const override { return probes_.shows_net(); }

 private:
  bool one(const ftrace_line& r, std::uint64_t number) {
    if (is_probe(r.text)) return probes_.read(r.task, r.text);
    if (r.name == "notifier_run") return begin_run(r, number);
    if (r.name == "qdisc_destroy") stacks_.destroyed(r.task, field_of(r.text, "dev"));
    if (r.name == "tracing_mark_write") to_.label(r.text);
    to_.other(r.name);
    return true;
  }

  bool begin_run(const ftrace_line& r, std::uint64_t number) {
    if (r.text.empty() || r.text.find(' ') != std::string_view::npos) return false;
    run_task_ = r.task;
    run_handler_ = r.text;
    run_line_ = number;
    run_time_ = r.time;
    in_run_ = true;
    depth_ = 0;
    return true;
  }

  void frame(std::string_view function) {
    if (!in_run_) return;
    if (depth_ == frames_.size()) frames_.emplace_back();
    frames_[depth_++] = function;
  }

  void finish_run() {
    if (!in_run_) return;
    in_run_ = false;
    if (probes_.has_notifications()) return to_.other("notifier_run beside kprobe events");
    views_.assign(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(depth_));
    stacks_.run({run_task_, run_handler_, views_, run_line_, run_time_});
  }

  void comment(std::string_view text, std::uint64_t number) {
    std::uint64_t kept = 0, written = 0;
    if (parse_entries(text, kept, written)) {
      promised_ += kept;
      promised_line_ = number;
      if (kept < written)
        to_.lost(written - kept, number,
                 fmt::format("{} of {} records are not in the buffer any more", written - kept, written));
      return;
    }
    constexpr std::string_view overrun = "# overrun: ", dropped = "# dropped events: ";  // of per_cpu/cpuN/stats
    for (std::string_view key : {overrun, dropped})
      if (text.starts_with(key) && text.substr(key.size()) != "0")
        to_.lost(0, number, fmt::format("records are lost: {}", text.substr(2)));
    constexpr std::string_view pre_uninit = "# NETDEV_PRE_UNINIT = ";
    std::uint64_t event = 0;
    if (text.starts_with(pre_uninit) &&
        std::from_chars(text.data() + pre_uninit.size(), text.data() + text.size(), event).ec == std::errc())
      probes_.event_number(event, seen::NETDEV_PRE_UNINIT);
  }

  void unread(std::string_view text, std::uint64_t number) {
    to_.unread(number, fmt::format("not a record of a tracefs trace: {}", printable(text)));
  }

  event_builder& to_;
  kprobe_reader probes_;
  stack_reader stacks_;
  std::uint64_t promised_ = 0, promised_line_ = 0;  // records, by the headers
  bool in_run_ = false;
  std::string run_task_, run_handler_;
  std::uint64_t run_line_ = 0;
  std::int64_t run_time_ = -1;
  std::size_t depth_ = 0;
  std::vector<std::string> frames_;
  std::vector<std::string_view> views_;
};

int fits(std::string_view head) {
  int found = 0;
  bool header = false;
  for_some_lines(head, 50, [&](std::string_view line) { header = header || line.starts_with("# tracer: "); });
  if (header) return 100;
  ftrace_line record;
  for_some_lines(head, 50, [&](std::string_view line) { found += parse_ftrace(line, record) ? 10 : 0; });
  return std::min(found, 90);
}

}  // namespace

format tracefs_format() {
  return {"tracefs", "kprobe events or notifier_run with stack traces, as tracefs prints them", fits,
          [](event_builder& to) -> std::unique_ptr<observer> { return std::make_unique<tracefs_observer>(to); }};
}

}  // namespace quiesce::observe
