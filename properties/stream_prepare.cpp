// SPDX-License-Identifier: MIT
// A set of monitors by event, and the elements that exist.

#include "properties/stream_internal.hpp"

namespace quiesce::monitors {

std::size_t stream_monitor::sort_number(const std::string& sort) {
  for (std::size_t i = 0; i < state_.universe.size(); ++i)
    if (state_.universe[i].sort == sort) return i;
  state_.universe.push_back({sort, {}});
  return state_.universe.size() - 1;
}

stream_monitor::range stream_monitor::range_of(const value_type& type, std::optional<std::vector<mention>> beside) {
  if (type.kind != value_kind::element) return {&type, no_sort, {}};
  return {&type, sort_number(type.sort), std::move(beside)};
}

void stream_monitor::prepare_quantifiers(const term& t) {
  if (t.code == op::all || t.code == op::some || t.code == op::count)
    quantifiers_.emplace(&t, range_of(t.type, mentions_of_quantifier(set_, t)));
  for (const term& kid : t.kids) prepare_quantifiers(kid);
}

void stream_monitor::prepare(const pattern& p) {
  for (const match& m : p.args) prepare_quantifiers(m.value);
  for (const term& t : p.when) prepare_quantifiers(t);
}

void stream_monitor::prepare_monitors() {
  for (std::uint32_t i = 0; i < set_.monitors.size(); ++i) {
    const monitor& m = set_.monitors[i];
    for (const check& c : m.checks) {
      prepare(c.on);
      prepare_quantifiers(c.condition);
      check_code code{i, &c, false, {}};
      for (const auto& [variable, type] : c.free)
        code.free.push_back(range_of(
            type, m.sometimes ? std::optional<std::vector<mention>>() : mentions_beside(set_, c.condition, variable, true)));
      std::vector<check_code>& there = code_[c.on.event].checks;
      if (!there.empty() && there.back().property == i) code.alternative = there.back().alternative = true;
      there.push_back(std::move(code));
    }
    outcomes_[i].state_property = m.checks.empty();
  }
}

stream_monitor::stream_monitor(const monitor_set& set, stream_options options)
    : set_(set), options_(std::move(options)), scratch_(std::make_unique<scratch>()) {
  code_.resize(set_.events.size());
  outcomes_.resize(set_.monitors.size());
  for (std::uint32_t i = 0; i < set_.events.size(); ++i) {
    numbers_[set_.events[i].name] = i;
    for (const value_type& t : set_.events[i].params) {
      const value_type& inner = t.kind == value_kind::option ? t.inner[0] : t;
      const bool element = inner.kind == value_kind::element || inner.kind == value_kind::set;
      code_[i].sorts.push_back(element ? sort_number(inner.sort) : no_sort);
    }
  }
  for (int i = 0; i < static_cast<int>(set_.spans.size()); ++i) {
    const span_kind& s = set_.spans[static_cast<std::size_t>(i)];
    code_[s.begin].begins = i;
    code_[s.end].ends = i;
  }
  prepare_monitors();
  for (const update& u : set_.updates) {
    prepare(u.on);
    code_[u.on.event].updates.push_back(&u);
  }
  for (const ghost_update& u : set_.ghost_updates) {
    prepare(u.on);
    for (const term& t : u.index) prepare_quantifiers(t);
    prepare_quantifiers(u.value);
    code_[u.on.event].ghost_updates.push_back(&u);
  }
  for (const auto& [sort, count] : options_.declared) sort_number(sort);
  if (options_.named.contains("init_net")) sort_number("net");
  state_.cells.resize(set_.cells.size());
  state_.ghosts.resize(set_.ghosts.size());
  reset();
}

stream_monitor::~stream_monitor() = default;
stream_monitor::stream_monitor(stream_monitor&&) noexcept = default;

void stream_monitor::reset() {
  for (table& t : state_.cells) t.clear();
  for (table& t : state_.ghosts) t.clear();
  state_.stacks.clear();
  for (stream_state::elements& e : state_.universe) e.exists.clear();
  sequence_ = 0;
  for (outcome& o : outcomes_) o = {.state_property = o.state_property};
  for (const auto& [sort, count] : options_.declared)
    for (std::int64_t n = 0; n < count; ++n) meet(sort_number(sort), n);
  for (const auto& [name, number] : options_.named)
    if (name == "init_net") meet(sort_number("net"), number);
}

void stream_monitor::meet(std::size_t sort, std::int64_t number) {
  auto& present = state_.universe[sort].exists;
  auto n = static_cast<std::size_t>(number);
  if (present.size() <= n) present.resize(n + 1, false);
  present[n] = true;
}

void stream_monitor::meet(const value_type& type, std::size_t sort, const argument& arg) {
  if (sort == no_sort) return;
  if (type.kind == value_kind::element) meet(sort, arg.value);
  if (type.kind == value_kind::option && arg.value > 0) meet(sort, arg.value - 1);
  if (type.kind == value_kind::set)
    for (std::int64_t m : arg.members) meet(sort, m);
}

void stream_monitor::retire(std::size_t property) {
  for (event_code& e : code_) std::erase_if(e.checks, [&](const check_code& c) { return c.property == property; });
}

void stream_monitor::forget(const std::map<std::string, std::vector<bool>>& gone) {
  const auto clean = [&](table& entries, const std::vector<value_type>& keys) {
    if (entries.empty()) return;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto of = keys[i].kind == value_kind::element ? gone.find(keys[i].sort) : gone.end();
      if (of == gone.end()) continue;
      const std::vector<bool>& numbers = of->second;
      std::erase_if(entries, [&](const auto& entry) {
        const std::int64_t v = entry.first[i];
        return v >= 0 && static_cast<std::size_t>(v) < numbers.size() && numbers[static_cast<std::size_t>(v)];
      });
    }
  };
  for (std::size_t i = 0; i < state_.cells.size(); ++i) clean(state_.cells[i], set_.cells[i].keys);
  for (std::size_t i = 0; i < state_.ghosts.size(); ++i) clean(state_.ghosts[i], set_.ghosts[i].index);
  for (auto& [sort, exists] : state_.universe) {
    const auto of = gone.find(sort);
    if (of == gone.end()) continue;
    for (std::size_t v = 0; v < exists.size() && v < of->second.size(); ++v)
      if (of->second[v]) exists[v] = false;
    while (!exists.empty() && !exists.back()) exists.pop_back();
  }
}

}  // namespace quiesce::monitors
