// SPDX-License-Identifier: MIT
// Schedules as text.

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "conformance/schedule_run.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::conformance {

namespace {

struct line {
  std::string_view text;
  std::uint32_t begin;
};

std::vector<line> lines_of(std::string_view text) {
  std::vector<line> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back({text.substr(at, end - at), static_cast<std::uint32_t>(at)});
    at = end + 1;
  }
  return out;
}

class reader {
 public:
  reader(std::string_view text, std::uint32_t file) : text_(text), file_(file), lines_(lines_of(text)) {}

  schedule_file read() {
    schedule_file out;
    if (rest("") != "quiesce schedule 1") wrong("a schedule begins with 'quiesce schedule 1'");
    ++at_;
    out.variant = rest("variant ");
    if (!refimpl::find_variant(out.variant)) wrong(fmt::format("the reference stack has no variant '{}'", out.variant));
    ++at_;
    bounds(rest("bounds "), out.bounds);
    ++at_;
    if (rest("") != "scenario") wrong("expected 'scenario'");
    ++at_;
    out.what = parse_scenario(indented(), file_);
    if (rest("") != "moves") wrong("expected 'moves'");
    for (++at_; at_ < lines_.size(); ++at_) moves(out.actors);
    return out;
  }

 private:
  [[noreturn]] void wrong(const std::string& sentence) const {
    const line& l = lines_.empty() ? line{} : lines_[std::min(at_, lines_.size() - 1)];
    throw diagnostic(source_range{file_, l.begin, l.begin + static_cast<std::uint32_t>(l.text.size())}, sentence);
  }

  std::string rest(std::string_view key) const {
    if (at_ >= lines_.size()) wrong("the file ends too early");
    if (!lines_[at_].text.starts_with(key)) wrong(fmt::format("expected '{}'", key));
    return std::string(lines_[at_].text.substr(key.size()));
  }

  template <class T>
  T number(std::string_view s) const {
    T n = 0;
    const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (failed != std::errc() || end != s.data() + s.size()) wrong(fmt::format("'{}' is not a number", s));
    return n;
  }

  void bounds(const std::string& s, control_bounds& to) const {
    for (std::size_t at = 0; at < s.size();) {
      const std::size_t end = std::min(s.find(' ', at), s.size());
      const std::string item = s.substr(at, end - at);
      const std::size_t eq = item.find('=');
      const std::string name = item.substr(0, eq);
      const auto value = number<unsigned>(eq == std::string::npos ? "" : std::string_view(item).substr(eq + 1));
      if (name == "polls")
        to.polls = value;
      else if (name == "firings")
        to.firings = value;
      else if (name == "moves")
        to.moves = value;
      else if (name == "one_cpu")
        to.one_cpu = value != 0;
      else if (name == "to_rest")
        to.to_rest = value != 0;
      else
        wrong(fmt::format("there is no bound '{}'", name));
      at = end + 1;
    }
  }

  // The lines of the scenario, blanked out to their places so that a diagnostic's place is right.
  std::string indented() {
    const std::uint32_t begin = at_ < lines_.size() ? lines_[at_].begin : 0;
    std::string out(begin, '\n');
    for (; at_ < lines_.size() && lines_[at_].text.starts_with("  "); ++at_)
      out += "  " + std::string(lines_[at_].text.substr(2)) + "\n";
    std::string cut;
    for (const line& l : lines_of(out)) cut += std::string(l.text.starts_with("  ") ? l.text.substr(2) : l.text) + "\n";
    return cut;
  }

  void moves(std::vector<std::string>& actors) const {
    const std::string s = rest("");
    const std::size_t from = s.find_first_not_of(' ');
    if (from == std::string::npos) return;
    const std::size_t gap = s.find(' ', from);
    if (gap == std::string::npos) wrong("a line of moves is a number and an actor");
    const auto n = number<unsigned>(std::string_view(s).substr(from, gap - from));
    if (n > 1'000'000) wrong("so many moves are beyond every bound");
    actors.insert(actors.end(), n, s.substr(gap + 1));
  }

  std::string_view text_;
  std::uint32_t file_;
  std::vector<line> lines_;
  std::size_t at_ = 0;
};

std::string first_difference(const controlled_result& a, const controlled_result& b) {
  const std::size_t n = std::min(a.run.events.size(), b.run.events.size());
  for (std::size_t i = 0; i < n; ++i) {
    const refimpl::event &x = a.run.events[i], &y = b.run.events[i];
    const auto key = [](const refimpl::event& e) { return std::tie(e.seq, e.kind, e.task, e.span, e.dev, e.net, e.value); };
    if (key(x) != key(y)) return fmt::format("event {} was {} and then {}", i + 1, refimpl::format(x), refimpl::format(y));
  }
  if (a.run.events.size() != b.run.events.size())
    return fmt::format("there were {} and then {} events", a.run.events.size(), b.run.events.size());
  return a.run.outcomes == b.run.outcomes ? "" : "operations returned something else";
}

}  // namespace

std::string format(const schedule_file& f) {
  std::string out = fmt::format("quiesce schedule 1\nvariant {}\nbounds polls={} firings={} moves={}{}{}\nscenario\n",
                                f.variant, f.bounds.polls, f.bounds.firings, f.bounds.moves,
                                f.bounds.one_cpu ? " one_cpu=1" : "", f.bounds.to_rest ? " to_rest=1" : "");
  const std::string text = format(f.what);
  for (const line& l : lines_of(text)) out += fmt::format("  {}\n", l.text);
  return out + "moves\n" + format_moves(f.actors);
}

schedule_file parse_schedule(std::string_view text, std::uint32_t file) { return reader(text, file).read(); }

std::string difference_of_repeat(const scenario& s, const run_settings& settings, const std::vector<std::string>& actors,
                                 actor_names& names, const control_bounds& bounds, const controlled_result& first) {
  replay_chooser same(actors, names);
  const controlled_result again = run_controlled(s, settings, same, names, bounds);
  return !same.deviation.empty() ? same.deviation : first_difference(first, again);
}

replayed replay(const schedule_file& f) {
  replayed out;
  actor_names names;
  run_settings settings;
  settings.policy = refimpl::variant(f.variant);
  settings.end_all = false;
  replay_chooser first(f.actors, names);
  out.result = run_controlled(f.what, settings, first, names, f.bounds);
  out.differs = !first.deviation.empty() ? first.deviation
                                         : difference_of_repeat(f.what, settings, f.actors, names, f.bounds, out.result);
  return out;
}

}  // namespace quiesce::conformance
