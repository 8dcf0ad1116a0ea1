// SPDX-License-Identifier: MIT
// The reader: words of a line, each with its place, against the tables of scenario_table.cpp.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "conformance/scenario_internal.hpp"

namespace quiesce::conformance {

namespace {

struct token {
  std::string_view text;
  std::uint32_t at = 0;
};

class reader {
 public:
  reader(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}
  scenario read();

 private:
  [[noreturn]] void fail(const token& t, std::string sentence, std::string hint = {}) const {
    const auto length = static_cast<std::uint32_t>(std::max<std::size_t>(t.text.size(), 1));
    throw diagnostic({file_, t.at, t.at + length}, std::move(sentence), std::move(hint));
  }
  bool next_line();
  bool more() const { return next_ < words_.size(); }
  token take(const char* what) {
    if (!more()) {
      const token& last = words_.back();
      fail({last.text.substr(0, 0), last.at + static_cast<std::uint32_t>(last.text.size())},
           fmt::format("{} is missing", what));
    }
    return words_[next_++];
  }
  bool accept(std::string_view word) {
    if (!more() || words_[next_].text != word) return false;
    ++next_;
    return true;
  }
  void expect(const char* word) {
    const token t = take(fmt::format("`{}`", word).c_str());
    if (t.text != word) fail(t, fmt::format("`{}` is expected here", word));
  }
  void end_of_line() {
    if (more()) fail(words_[next_], "nothing more belongs on this line");
  }
  template <class E, std::size_t N>
  E take_word(const word_of<E> (&table)[N], const char* what) {
    const token t = take(what);
    std::string known;
    for (const auto& w : table) {
      if (t.text == w.word) return w.value;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", w.word);
    }
    fail(t, fmt::format("`{}` is not {}", t.text, what), "known are " + known);
  }
  std::int64_t take_number(std::int64_t low, std::int64_t high) {
    const token t = take("a number");
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
    if (error != std::errc() || end != t.text.data() + t.text.size()) fail(t, fmt::format("`{}` is not a number", t.text));
    if (value < low || value > high) fail(t, fmt::format("the number is not in {}..{}", low, high));
    return value;
  }
  // The position of `t` in names of the form PREFIX1, PREFIX2, ..., from 0; -1: not of this form.
  static int position(std::string_view text, std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix || text.size() == prefix.size()) return -1;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 1 ? value - 1 : -1;
  }
  void declared(std::string_view prefix, std::size_t count, const char* what) {
    const token t = take("a name");
    const std::string name = fmt::format("{}{}", prefix, count + 1);
    if (t.text != name) fail(t, fmt::format("the next {} is `{}`, not `{}`", what, name, t.text));
  }
  net_ref net_of(const token& t);
  device_ref device_of(const token& t);
  ip_prefix prefix_of(const token& t, bool with_length);
  bool names_device() const {
    return more() && (words_[next_].text.substr(0, 2) == "lo" || position(words_[next_].text, "d") >= 0);
  }

  void option();
  void device();
  void callback();
  void fault();
  operation take_operation();
  void statement(std::vector<operation>*& into);

  std::string_view text_;
  std::uint32_t file_;
  std::size_t line_begin_ = 0;
  std::vector<token> words_;
  std::size_t next_ = 0;
  bool indented_ = false;
  scenario s_;
};

// The words of the next line that has any.
bool reader::next_line() {
  words_.clear();
  next_ = 0;
  while (words_.empty() && line_begin_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', line_begin_), text_.size());
    std::size_t at = line_begin_;
    const auto blank = [&](std::size_t i) { return text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\r'; };
    while (at < end && text_[at] != '#') {
      if (blank(at)) {
        ++at;
        continue;
      }
      std::size_t stop = at;
      while (stop < end && !blank(stop) && text_[stop] != '#') ++stop;
      words_.push_back({text_.substr(at, stop - at), static_cast<std::uint32_t>(at)});
      at = stop;
    }
    indented_ = !words_.empty() && words_[0].at != line_begin_;
    line_begin_ = end + 1;
  }
  return !words_.empty();
}

net_ref reader::net_of(const token& t) {
  if (t.text == "init_net") return 0;
  const int at = position(t.text, "n");
  if (at < 0) fail(t, fmt::format("`{}` is no namespace", t.text), "write init_net, n1, n2, ...");
  if (at >= static_cast<int>(s_.nets.size())) fail(t, fmt::format("there is no namespace `{}`", t.text));
  return at + 1;
}

device_ref reader::device_of(const token& t) {
  if (t.text == "lo") return loopback_of(0);
  if (const int lo = position(t.text, "lo"); lo >= 0) {
    if (lo >= static_cast<int>(s_.nets.size())) fail(t, fmt::format("there is no namespace `n{}`", lo + 1));
    return loopback_of(lo + 1);
  }
  const int at = position(t.text, "d");
  if (at < 0) fail(t, fmt::format("`{}` is no device", t.text), "write d1, d2, ..., or lo, lo1, ... for a loopback");
  if (at >= static_cast<int>(s_.devices.size())) fail(t, fmt::format("there is no device `{}`", t.text));
  return at;
}

ip_prefix reader::prefix_of(const token& t, bool with_length) {
  ip_prefix p;
  const std::size_t slash = t.text.find('/');
  const std::string address(t.text.substr(0, slash));
  p.v6 = address.find(':') != address.npos;
  unsigned char bytes[16] = {};
  if (inet_pton(p.v6 ? AF_INET6 : AF_INET, address.c_str(), p.v6 ? bytes : bytes + 12) != 1)
    fail(t, fmt::format("`{}` is no address", address));
  for (int i = 0; i < 8; ++i) {
    p.hi = p.hi << 8 | bytes[i];
    p.lo = p.lo << 8 | bytes[8 + i];
  }
  const int full = p.v6 ? 128 : 32;
  p.length = full;
  if (with_length != (slash != t.text.npos))
    fail(t,
         with_length ? "a prefix length is missing: write ADDRESS/LENGTH" : "an address without prefix length is expected");
  if (!with_length) return p;
  const std::string_view digits = t.text.substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), p.length);
  if (error != std::errc() || end != digits.data() + digits.size() || p.length < 0 || p.length > full)
    fail(t, fmt::format("the prefix length is not in 0..{}", full));
  return p;
}

void reader::option() {
  const token name = take("an option");
  const auto on_off = [&] {
    const token t = take("on or off");
    if (t.text != "on" && t.text != "off") fail(t, "`on` or `off` is expected here");
    return t.text == "on";
  };
  if (name.text == "ipv6") {
    s_.options.ipv6 = on_off();
  } else if (name.text == "debug_list") {
    s_.options.debug_list = on_off();
  } else if (name.text == "hz") {
    const token t = more() ? words_[next_] : name;
    const auto hz = static_cast<unsigned>(take_number(1, 1000));
    if (hz != 100 && hz != 250 && hz != 300 && hz != 1000) fail(t, "hz is 100, 250, 300 or 1000");
    s_.options.hz = hz;
  } else if (name.text == "gc_thresh") {
    s_.options.gc_thresh = static_cast<int>(take_number(0, 1'000'000));
  } else if (name.text == "max_size") {
    s_.options.max_size = static_cast<int>(take_number(1, 1'000'000));
  } else if (name.text == "order") {
    s_.options.order = static_cast<std::uint64_t>(take_number(0, 1'000'000'000));
  } else {
    fail(name, fmt::format("`{}` is no option", name.text), "known are ipv6, debug_list, hz, gc_thresh, max_size, order");
  }
}

void reader::device() {
  declared("d", s_.devices.size(), "device");
  device_plan d;
  d.net = net_of(take("a namespace"));
  d.kind = take_word(device_words, "a kind of device");
  if (d.kind == device_kind::vlan || d.kind == device_kind::macvlan) {
    expect("on");
    const token t = take("a device");
    d.lower = device_of(t);
    if (is_loopback(d.lower)) fail(t, "a device on a loopback is not supported");
  }
  while (more()) {
    if (accept("up"))
      d.up = true;
    else if (accept("late"))
      d.late = true;
    else if (accept("loose"))
      d.loose = true;
    else if (accept("local"))
      d.local = true;
    else if (accept("ops_lock"))
      d.ops_lock = true;
    else if (accept("group"))
      d.group = static_cast<int>(take_number(0, 999'999));
    else
      fail(words_[next_], fmt::format("`{}` is no attribute of a device", words_[next_].text),
           "known are up, late, loose, local, ops_lock, group N");
  }
  s_.devices.push_back(d);
}

void reader::callback() {
  declared("c", s_.callbacks.size(), "callback");
  callback_plan c;
  expect("on");
  const token event = take("an event");
  c.event = std::string(event.text);
  const auto& events = chain_events();
  if (c.event != "*" && std::find(events.begin(), events.end(), c.event) == events.end())
    fail(event, fmt::format("`{}` is no event of the chain", c.event));
  c.any_device = accept("*");
  if (!c.any_device) c.device = device_of(take("a device"));
  c.late = accept("late");
  if (accept("priority")) c.priority = static_cast<int>(take_number(-1000, 1000));
  if (accept("times")) c.times = static_cast<int>(take_number(1, 1000));
  c.react = take_word(reaction_words, "a reaction");
  if (c.react == reaction::act) {
    const token verb = more() ? words_[next_] : token{};
    c.act = take_operation();
    if (!entry_of(c.act.kind).in_callback)
      fail(verb, fmt::format("`{}` takes RTNL, which a callback's caller holds", verb.text));
  }
  s_.callbacks.push_back(c);
}

void reader::fault() {
  fault_plan f;
  f.kind = take_word(fault_words, "a kind of fault");
  if (f.kind == fault_kind::alloc) {
    f.nth = take_number(1, 1'000'000'000);
  } else if (f.kind == fault_kind::site) {
    f.site = std::string(take("an allocating function").text);
  } else {
    const token t = take("a device");
    f.device = device_of(t);
    if (is_loopback(f.device)) fail(t, "a loopback has no driver that could fail");
  }
  s_.faults.push_back(f);
}

operation reader::take_operation() {
  const token verb = take("an operation");
  const auto& table = op_table();
  const auto e = std::find_if(table.begin(), table.end(), [&](const op_entry& o) { return verb.text == o.word; });
  if (e == table.end()) fail(verb, fmt::format("`{}` is no operation", verb.text));
  operation op;
  op.kind = e->kind;
  for (const char c : std::string_view(e->shape)) switch (c) {
      case 'd':
      case 'D':
        op.devices.push_back(device_of(take("a device")));
        while (c == 'D' && names_device()) op.devices.push_back(device_of(take("a device")));
        break;
      case 'n':
      case 'N':
        op.nets.push_back(net_of(take("a namespace")));
        while (c == 'N' && more()) op.nets.push_back(net_of(take("a namespace")));
        break;
      case 'p':
      case 'a':
        op.ip = prefix_of(take(c == 'p' ? "a prefix" : "an address"), c == 'p');
        break;
      case '#':
        op.number = take_number(0, 1'000'000'000);
        break;
      default: {
        const token t = take("a callback");
        op.callback = position(t.text, "c");
        if (op.callback < 0 || op.callback >= static_cast<int>(s_.callbacks.size()))
          fail(t, fmt::format("there is no callback `{}`", t.text));
      }
    }
  return op;
}

void reader::statement(std::vector<operation>*& into) {
  const token head = take("a statement");
  into = nullptr;
  if (head.text == "option")
    option();
  else if (head.text == "net") {
    declared("n", s_.nets.size(), "namespace");
    s_.nets.push_back({accept("late")});
  } else if (head.text == "device")
    device();
  else if (head.text == "callback")
    callback();
  else if (head.text == "fault")
    fault();
  else if (head.text == "setup")
    into = &s_.setup;
  else if (head.text == "task") {
    declared("t", s_.tasks.size(), "task");
    into = &s_.tasks.emplace_back();
  } else
    fail(head, fmt::format("`{}` begins no statement", head.text),
         "known are option, net, device, callback, fault, setup, task; operations are indented under setup or task");
}

scenario reader::read() {
  std::vector<operation>* into = nullptr;
  while (next_line()) {
    const token first = words_[0];
    if (!indented_) {
      statement(into);
    } else {
      if (into == nullptr) fail(first, "an operation stands under `setup` or `task`");
      into->push_back(take_operation());
    }
    end_of_line();
    if (indented_) continue;  // an operation was checked word by word
    if (const std::string wrong = defect(s_); !wrong.empty()) fail(first, wrong);
  }
  return s_;
}

}  // namespace

scenario parse_scenario(std::string_view text, std::uint32_t file) { return reader(text, file).read(); }

}  // namespace quiesce::conformance
