// SPDX-License-Identifier: MIT
// Output of `ip monitor`, with -t or -ts, with labels (`all`) or without:
//
//   [2026-11-30T11:49:46.320994] [LINK]Deleted 3: v0@NONE: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group 7
//       link/ether 6e:d7:0b:89:c6:c5 brd ff:ff:ff:ff:ff:ff

#include <fmt/format.h>

#include <boost/fusion/include/adapt_struct.hpp>
#include <optional>

#include "conformance/observe_format_list.hpp"
#include "conformance/observe_grammar.hpp"
#include "conformance/observe_links.hpp"

namespace quiesce::observe {

namespace {

using grammar::blank;
using grammar::digit;
using grammar::iterator;
using grammar::text_range;
using grammar::view;
struct raw_stamp {
  std::uint32_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  text_range fraction;
};
struct raw_link {
  std::uint32_t ifindex = 0;
  text_range name;
};

}  // namespace
}  // namespace quiesce::observe

BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_stamp, year, month, day, hour, minute, second, fraction)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_link, ifindex, name)

namespace quiesce::observe {
namespace {

namespace x3 = grammar::x3;
using grammar::char_;
using grammar::lit;
using grammar::matches;
using grammar::white;
using grammar::word;

const auto number = x3::uint_;
const auto stamp = '[' >> number >> '-' >> number >> '-' >> number >> 'T' >> number >> ':' >> number >> ':' >> number >>
                   '.' >> x3::raw[+digit] >> ']' >> -lit(' ');
const auto label = '[' >> x3::raw[+(char_ - (lit(']') | '['))] >> ']';
const auto device_name = x3::raw[+(char_ - (white | '@' | (lit(':') >> ' ')))];
const auto link_line = number >> ": " >> device_name >> x3::omit[-('@' >> +(char_ - (lit(": ") | white)))] >> ": <" >>
                       x3::omit[*(char_ - '>')] >> '>';
const auto address_line = x3::omit[number] >> ": " >> x3::omit[device_name] >> x3::omit[-('@' >> +(char_ - white))] >>
                          x3::omit[-lit(':')] >> x3::omit[+blank] >> (lit("inet") | "family");
const auto link_address = x3::omit[+blank] >> "link/" >> x3::omit[word] >> ' ' >> word;

// Days since 1970 of a date (Howard Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t days(std::int64_t y, std::int64_t m, std::int64_t d) {
  y -= m <= 2;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
  const std::int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1, doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 719468;
}

std::int64_t nanoseconds(const raw_stamp& s) {
  const std::int64_t seconds = days(s.year, s.month, s.day) * 86400 + s.hour * 3600 + s.minute * 60 + s.second;
  return seconds * 1'000'000'000 + grammar::fraction_of(view(s.fraction));
}

struct monitor_line {
  std::int64_t time = -1;
  std::string_view label;
  std::uint64_t net = own_net;
  bool deleted = false, known = false;
  std::optional<raw_link> link;
};

bool is_object(std::string_view name) {
  for (std::string_view known :
       {"LINK", "ADDR", "ROUTE", "NEIGH", "NETCONF", "RULE", "PREFIX", "NSID", "MROUTE", "NEXTHOP", "ADDRLABEL"})
    if (name == known) return true;
  return false;
}

void take_labels(std::string_view& text, monitor_line& out) {
  text_range found;
  while (text.starts_with('[') && matches(text, label, found)) {
    const std::string_view name = view(found);
    std::uint32_t nsid = 0;
    if (matches(name, lit("nsid ") >> number, nsid)) {
      out.net = first_nsid_net + std::min<std::uint64_t>(nsid, nsid_nets);
    } else if (name != "nsid current" && !is_object(name)) {
      return;
    } else if (is_object(name)) {
      out.label = name;
    }
    text.remove_prefix(name.size() + 2);
  }
}

monitor_line parse_line(std::string_view text) {
  monitor_line out;
  raw_stamp at;
  iterator first = text.data();
  const iterator last = first + text.size();
  if (x3::parse(first, last, stamp, at)) {
    out.time = nanoseconds(at);
    text = {first, static_cast<std::size_t>(last - first)};
  }
  take_labels(text, out);
  if (text.starts_with("Deleted ")) {
    out.deleted = true;
    text.remove_prefix(8);
  }
  raw_link link;
  if ((out.label.empty() || out.label == "LINK") && matches(text, link_line, link)) {
    out.link = link;
    out.label = "LINK";
  }
  const bool named = !out.label.empty() && out.label != "LINK";
  out.known = out.link || (named && !text.empty()) ||
              (out.label.empty() && (matches(text, address_line) || text.find(" dev ") != std::string_view::npos ||
                                     text.starts_with("Timestamp: ") || text.starts_with("nsid ")));
  if (out.label.empty()) out.label = "message";
  return out;
}

class ip_monitor_observer : public observer {
 public:
  explicit ip_monitor_observer(event_builder& to) : to_(to), links_(to) {}

  void line(std::string_view text, std::uint64_t number) override {
    if (text.empty() || text.front() == '#') return;
    if (text.front() == ' ' || text.front() == '\t') {
      text_range address;
      if (pending_ && matches(text, link_address, address)) pending_->address = view(address);
      if (!in_message_ || text.find('\0') != std::string_view::npos) unread(text, number);  // goes on with what?
      return finish_link();
    }
    finish_link();
    const monitor_line l = parse_line(text);
    if (!l.known || text.find('\0') != std::string_view::npos) return in_message_ = false, unread(text, number);
    ++to_.summary().records;
    in_message_ = true;
    to_.clock(number, l.time);
    if (!l.link) return to_.other(l.label);
    pending_ =
        link_message{l.deleted, static_cast<std::int32_t>(l.link->ifindex), std::string(view(l.link->name)), {}, l.net};
    line_ = number;
    time_ = l.time;
  }
  void end() override { finish_link(); }

  bool shows(seen kind) const override { return kind == seen::RTM_NEWLINK || kind == seen::RTM_DELLINK; }
  std::string why_not(seen) const override { return "messages to user space do not tell it"; }
  bool shows_net() const override { return true; }

 private:
  void unread(std::string_view text, std::uint64_t number) {
    to_.unread(number, fmt::format("not a line of ip monitor: {}", printable(text)));
  }
  void finish_link() {
    if (!pending_) return;
    to_.record_again("kernel", line_, time_);
    links_.message(*pending_);
    pending_.reset();
  }

  event_builder& to_;
  link_table links_;
  std::optional<link_message> pending_;
  std::uint64_t line_ = 0;
  std::int64_t time_ = -1;
  bool in_message_ = false;  // lines that begin with blanks go on with one
};

int fits(std::string_view head) {
  int found = 0;
  for_some_lines(head, 50, [&](std::string_view line) {
    if (line.empty() || line.front() == ' ' || line.front() == '\t') return;
    const monitor_line l = parse_line(line);
    if (l.known) found += l.time >= 0 || l.label != "message" ? 20 : 2;
  });
  return std::min(found, 90);
}

}  // namespace

format ip_monitor_format() {
  return {"ip-monitor", "messages as `ip monitor` prints them", fits,
          [](event_builder& to) -> std::unique_ptr<observer> { return std::make_unique<ip_monitor_observer>(to); }};
}

}  // namespace quiesce::observe
