// SPDX-License-Identifier: MIT
#pragma once
// What stream.cpp and stream_evaluate.cpp share.

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <limits>

#include "properties/stream.hpp"

namespace quiesce::monitors {

// The value of a named element that the stream has not told: equal to nothing, itself included.
inline constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();
inline constexpr std::size_t no_frame = static_cast<std::size_t>(-1);

struct stream_monitor::environment {
  std::uint32_t event = 0;
  const std::vector<argument>* args = nullptr;
  const std::vector<open_span>* stack = nullptr;  // of the event's process, outermost first; null: none
  std::vector<std::int64_t> variables;
  std::vector<std::size_t> spans;  // span variable -> position in the stack

  void size(std::size_t n) {
    if (variables.size() < n) variables.resize(n);
  }
  void bind_span(int number, std::size_t frame) {
    auto n = static_cast<std::size_t>(number);
    if (spans.size() <= n) spans.resize(n + 1, no_frame);
    spans[n] = frame;
  }
  const open_span& span(int number) const { return (*stack)[spans[static_cast<std::size_t>(number)]]; }
};

struct stream_monitor::write {
  bool ghost = false;
  std::uint32_t table = 0;
  std::size_t frame = no_frame;  // of the event's process
  table_key key{};
  std::int64_t value = 0;
};

struct stream_monitor::scratch {
  environment env;
  std::vector<write> writes;
};

// Calls f() for every way the pattern matches the event, innermost span first, with the environment bound. `when` is not
// tested.
template <typename F>
void stream_monitor::each_match(const pattern& p, environment& env, F&& f) const {
  if (p.place == span_match::none) {
    if (match_arguments(p, env)) f(no_frame);
    return;
  }
  if (!env.stack) return;
  for (std::size_t i = env.stack->size(); i-- > 0;) {
    if ((*env.stack)[i].kind == p.span_kind) {
      env.bind_span(p.span_variable, i);
      if (match_arguments(p, env)) f(i);
    }
    if (p.place == span_match::innermost) return;
  }
}

// In ascending order, until f says false.
template <typename F>
void stream_monitor::each_in(const range& r, const environment& env, F&& f) const {
  if (r.sort == no_sort) {
    bool more = true;
    return each_value(*r.type, [&](std::int64_t v) { more = more && f(v); });
  }
  const std::vector<bool>& exists = state_.universe[r.sort].exists;
  if (!r.beside) {
    for (std::size_t i = 0; i < exists.size(); ++i)
      if (exists[i] && !f(static_cast<std::int64_t>(i))) return;
    return;
  }
  const auto in_universe = [&](std::int64_t v) {
    return v >= 0 && static_cast<std::size_t>(v) < exists.size() && exists[static_cast<std::size_t>(v)];
  };
  if (r.beside->size() == 1 && r.beside->front().in == mention::place::members) {
    const std::vector<std::int64_t>& members = env.span(r.beside->front().span).members;
    for (std::size_t i = 0; i < members.size(); ++i)
      if ((i == 0 || members[i] != members[i - 1]) && in_universe(members[i]) && !f(members[i])) return;
    return;
  }
  boost::container::small_vector<std::int64_t, 32> found;
  mentioned(r, env, found);
  std::sort(found.begin(), found.end());
  const auto end = std::unique(found.begin(), found.end());
  for (auto v = found.begin(); v != end; ++v)
    if (in_universe(*v) && !f(*v)) return;
}

template <typename List>
void stream_monitor::mentioned(const range& r, const environment& env, List& found) const {
  for (const mention& m : *r.beside) {
    if (m.in == mention::place::members) {
      const std::vector<std::int64_t>& members = env.span(m.span).members;
      found.insert(found.end(), members.begin(), members.end());
      continue;
    }
    const table* entries = m.in == mention::place::ghost ? &state_.ghosts[m.table]
                                                         : cell_table(m.table, m.span < 0 ? nullptr : &env.span(m.span));
    if (entries == nullptr) continue;
    for (const auto& [key, value] : *entries) found.push_back(key[m.key]);
  }
}

}  // namespace quiesce::monitors
