// SPDX-License-Identifier: MIT
#include "conformance/observe_log_line.hpp"
#include "conformance/observe_grammar.hpp"

#include <boost/fusion/include/adapt_struct.hpp>

namespace quiesce::observe {

namespace {

using grammar::blank;
using grammar::digit;
using grammar::xdigit;
using grammar::iterator;
using grammar::text_range;
using grammar::view;
struct raw_stamp {
  std::uint64_t seconds = 0;
  text_range fraction;
};
struct raw_event {
  std::uint64_t event = 0;
  text_range name, device;
  std::uint32_t ifindex = 0;
  std::uint64_t net = 0;
  unsigned up = 0, state = 0;
};
struct raw_address {
  text_range device, address;
  std::uint64_t net = 0;
};
struct raw_head {
  std::uint64_t sequence = 0;
  text_range what;
};
struct raw_waiting {
  text_range device;
  std::int64_t count = 0;
};

}  // namespace
}  // namespace quiesce::observe

BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_stamp, seconds, fraction)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_event, event, name, device, ifindex, net, up, state)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_address, device, address, net)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_head, sequence, what)
BOOST_FUSION_ADAPT_STRUCT(quiesce::observe::raw_waiting, device, count)

namespace quiesce::observe {
namespace {

namespace x3 = grammar::x3;
using grammar::char_;
using grammar::lit;
using grammar::matches;
using grammar::number;
using grammar::white;
using grammar::word;

const auto level = x3::omit['<' >> +digit >> '>'];
const auto stamp = -level >> '[' >> x3::omit[*blank] >> number >> '.' >> x3::raw[+digit] >> ']' >> -lit(' ');

const auto head = lit("ND ") >> number >> ' ' >> word >> -lit(' ');
const auto group = lit(" group=") >> x3::omit[x3::int_];
const auto event = lit("ev=") >> number >> ':' >> word >> " if=" >> word >> " idx=" >> x3::uint_ >> " net=" >> number >>
                   " up=" >> x3::uint_ >> " reg=" >> x3::uint_ >> group >> x3::eoi;
const auto address = lit("ev=") >> x3::omit[number] >> " if=" >> word >> " addr=" >> word >> " net=" >> number >> x3::eoi;
const auto holding = lit("if=") >> word >> x3::eoi;
const auto mark = x3::raw[lit("begin") | "end" | "after"] >> (x3::eoi | x3::omit[' ' >> *char_]);

const auto waiting = lit("unregister_netdevice: waiting for ") >> x3::raw[+(char_ - " to become free.")] >>
                     " to become free. Usage count = " >> x3::long_long >> x3::eoi;
const auto users = lit("ref_tracker: ") >> x3::raw[+(char_ - " users at") >> " users at"];
const auto leaked = -lit("ref_tracker: ") >> x3::raw[lit("leaked reference.")];
const auto frame =
    x3::omit[+blank] >> x3::raw[+(char_ - (char_('+') | white))] >> x3::omit["+0x" >> +xdigit >> "/0x"];

bool parse_rest(std::string_view rest, module_record& out) {
  if (out.what == "hi" || out.what == "lo") {
    raw_event e;
    if (!matches(rest, event, e)) return false;
    out.event = e.event;
    out.event_name = view(e.name);
    out.device = view(e.device);
    out.ifindex = static_cast<std::int32_t>(e.ifindex);
    out.net = e.net;
    out.up = static_cast<int>(e.up);
    out.state = static_cast<int>(e.state);
    return true;
  }
  text_range text;
  if (out.what == "hold" || out.what == "put") return matches(rest, holding, text) && (out.device = view(text), true);
  if (out.what == "batch_del" || out.what == "batch_close")
    return matches(rest, mark, text) && (out.rest = view(text), true);
  raw_address a;
  if (out.what != "inetaddr" && out.what != "inet6addr") return false;
  return matches(rest, address, a) && (out.device = view(a.device), out.net = a.net, true);
}

}  // namespace

log_line parse_log_line(std::string_view line) {
  raw_stamp s;
  iterator first = line.data();
  const iterator last = first + line.size();
  if (!x3::parse(first, last, stamp, s) || s.seconds > 9'000'000'000ULL) return {-1, line};
  return {static_cast<std::int64_t>(s.seconds) * 1'000'000'000 + grammar::fraction_of(view(s.fraction)),
          {first, static_cast<std::size_t>(last - first)}};
}

bool is_module_record(std::string_view text) { return text.starts_with("ND "); }

bool parse_module_record(std::string_view text, module_record& out) {
  raw_head h;
  iterator first = text.data();
  const iterator last = first + text.size();
  if (!x3::parse(first, last, head, h)) return false;
  out = {};
  out.sequence = h.sequence;
  out.what = view(h.what);
  return parse_rest({first, static_cast<std::size_t>(last - first)}, out);
}

bool parse_waiting(std::string_view text, std::string_view& device, std::int64_t& count) {
  raw_waiting w;
  if (!matches(text, waiting, w)) return false;
  device = view(w.device);
  count = w.count;
  return true;
}

bool parse_tracker(std::string_view text, std::string_view& what) {
  text_range found;
  if (!matches(text, users, found) && !matches(text, leaked, found)) return false;
  what = view(found);
  return true;
}

bool parse_tracker_frame(std::string_view text, std::string_view& function) {
  text_range found;
  if (!matches(text, frame, found)) return false;
  function = view(found);
  return true;
}

}  // namespace quiesce::observe
