// SPDX-License-Identifier: MIT
// Output of bpftrace on tracepoint:notifier:notifier_run with kstack:
//
//   1209158823612 ip 2456 rtnetlink_event
//           notifier_call_chain+177
//           register_netdevice+861
//   (an empty line)

#include <fmt/format.h>

#include <boost/fusion/include/adapt_struct.hpp>

#include "conformance/observe_format_list.hpp"
#include "conformance/observe_grammar.hpp"
#include "conformance/observe_stacks.hpp"

namespace quiesce::observe {

namespace {

using grammar::blank;
using grammar::digit;
using grammar::iterator;
using grammar::text_range;
using grammar::view;
struct raw_run {
  std::uint64_t time = 0;
  text_range command, pid, handler;
};

}  // namespace
}  // namespace quiesce::observe

BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_run, time, command, pid, handler)

namespace quiesce::observe {
namespace {

namespace x3 = grammar::x3;
using grammar::char_;
using grammar::lit;
using grammar::matches;
using grammar::number;
using grammar::white;
using grammar::word;

// The command name may contain blanks: the process id is the last number but for the handler.
const auto pid_and_handler = ' ' >> x3::raw[+digit] >> ' ' >> word >> x3::eoi;
const auto command = x3::raw[+(char_ - x3::omit[pid_and_handler])];
const auto run = x3::ulong_long >> ' ' >> command >> pid_and_handler;
const auto frame = x3::omit[+blank] >> x3::raw[+(char_ - (char_('+') | white)) >> -('+' >> +digit)] >>
                   x3::omit[*blank] >> x3::eoi;
const auto lost = lit("Lost ") >> x3::ulong_long >> " events";
const auto attached = lit("Attach") >> lit("ing ") >> x3::omit[x3::ulong_long] >> " probe" >> -lit('s') >>
                      -lit("...") >> x3::eoi;

class bpftrace_observer : public observer {
 public:
  explicit bpftrace_observer(event_builder& to) : to_(to), stacks_(to) {}

  void line(std::string_view text, std::uint64_t number) override {
    text_range function;
    raw_run r;
    std::uint64_t records = 0;
    if (text.empty() || text.front() == '#') return;
    if (text.front() == ' ' || text.front() == '\t') {
      if (!matches(text, frame, function)) return unread(text, number);
      if (depth_ == frames_.size()) frames_.emplace_back();
      frames_[depth_++] = view(function);
      return;
    }
    if (matches(text, run, r)) {
      finish_run();
      task_ = fmt::format("{}-{}", view(r.command), view(r.pid));
      handler_ = view(r.handler);
      line_ = number;
      time_ = static_cast<std::int64_t>(r.time);
      in_run_ = true;
      depth_ = 0;
      return to_.record(task_, number, time_);
    }
    if (matches(text, lost, records)) return to_.lost(records, number, fmt::format("bpftrace: {}", printable(text)));
    if (!matches(text, attached)) unread(text, number);
  }

  void end() override {
    finish_run();
    stacks_.end();
  }

  bool shows(seen kind) const override { return stacks_.shows(kind); }
  std::string why_not(seen kind) const override {
    if (kind == seen::NETDEV_PRE_UNINIT) return "no device has two notifications by the unregistering function";
    return "notifier_run does not tell it";
  }
  bool shows_net() const override { return false; }

 private:
  void unread(std::string_view text, std::uint64_t number) {
    to_.unread(number, fmt::format("not a line of bpftrace: {}", printable(text)));
  }
  void finish_run() {
    if (!in_run_) return;
    in_run_ = false;
    views_.assign(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(depth_));
    stacks_.run({task_, handler_, views_, line_, time_});
  }

  event_builder& to_;
  stack_reader stacks_;
  bool in_run_ = false;
  std::string task_, handler_;
  std::uint64_t line_ = 0;
  std::int64_t time_ = -1;
  std::size_t depth_ = 0;
  std::vector<std::string> frames_;
  std::vector<std::string_view> views_;
};

int fits(std::string_view head) {
  int found = 0;
  for_some_lines(head, 50, [&](std::string_view line) {
    raw_run r;
    if (matches(line, attached)) found += 50;
    if (matches(line, run, r)) found += 10;
  });
  return std::min(found, 90);
}

}  // namespace

format bpftrace_format() {
  return {"bpftrace", "bpftrace on notifier:notifier_run with kernel stacks", fits,
          [](event_builder& to) -> std::unique_ptr<observer> { return std::make_unique<bpftrace_observer>(to); }};
}

}  // namespace quiesce::observe
