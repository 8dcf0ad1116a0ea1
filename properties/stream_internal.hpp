// SPDX-License-Identifier: MIT
#pragma once
// What stream.cpp and stream_evaluate.cpp share.

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

// Not a template: an option's values come through a wrapper, which would be a new type for each depth, without end.
inline void stream_monitor::each_value(const value_type& type, const std::function<void(std::int64_t)>& f) const {
  switch (type.kind) {
    case value_kind::element: {
      auto found = state_.universe.find(type.sort);
      if (found == state_.universe.end()) return;
      for (std::size_t i = 0; i < found->second.size(); ++i)
        if (found->second[i]) f(static_cast<std::int64_t>(i));
      return;
    }
    case value_kind::option:
      f(0);
      each_value(type.inner[0], [&](std::int64_t v) { f(v + 1); });
      return;
    default:
      for (std::int64_t v = type.low; v <= type.high; ++v) f(v);
  }
}

}  // namespace quiesce::monitors
