// SPDX-License-Identifier: MIT
// Checks of one event, and what is said about a violation.

#include <fmt/format.h>

#include <algorithm>

#include "properties/stream_internal.hpp"

namespace quiesce::monitors {

void stream_monitor::run_checks(const event_code& code, environment& env, std::vector<violation>& violations) {
  for (std::size_t i = 0; i < code.checks.size();) {
    std::uint32_t property = code.checks[i].property;
    bool matched = false;
    std::size_t from = violations.size();
    for (; i < code.checks.size() && code.checks[i].property == property; ++i)
      run_check(code.checks[i], env, violations, matched);
    // Alternatives of one trigger may find the same instance.
    for (std::size_t a = from; code.checks[i - 1].alternative && a < violations.size(); ++a)
      for (std::size_t b = violations.size(); b-- > a + 1;)
        if (violations[a].bindings == violations[b].bindings)
          violations.erase(violations.begin() + static_cast<std::ptrdiff_t>(b));
    outcome& o = outcomes_[property];
    o.violated += violations.size() - from;
    if (!matched) continue;
    if (o.matched++ == 0) o.first_match = sequence_;
  }
}

void stream_monitor::run_check(const check_code& c, environment& env, std::vector<violation>& violations, bool& matched) {
  env.size(c.code->variables);
  const pattern& on = c.code->on;
  each_match(on, env, [&](std::size_t) {
    if (!on.when.empty() && !evaluate(on.when[0], env)) return;
    if (!set_.monitors[c.property].sometimes) matched = true;
    assign_free(c, 0, env, violations, matched);
  });
}

void stream_monitor::assign_free(const check_code& c, std::size_t from, environment& env, std::vector<violation>& violations,
                                 bool& matched) {
  if (from < c.free.size()) {
    each_in(c.free[from], env, [&](std::int64_t v) {
      env.variables[c.code->free[from].first] = v;
      assign_free(c, from + 1, env, violations, matched);
      return true;
    });
    return;
  }
  bool holds = evaluate(c.code->condition, env) != 0;
  if (set_.monitors[c.property].sometimes)
    matched = matched || holds;
  else if (!holds)
    violated(c, env, violations);
}

void stream_monitor::violated(const check_code& c, const environment& env, std::vector<violation>& violations) const {
  if (!options_.first_only || c.alternative || outcomes_[c.property].violated == 0)
    return violations.push_back(describe(c.property, *c.code, env));
  violation& v = violations.emplace_back();
  v.property = c.property;
  v.sequence = sequence_;
}

std::string stream_monitor::print(const value_type& type, std::int64_t value) const {
  switch (type.kind) {
    case value_kind::boolean:
      return value ? "true" : "false";
    case value_kind::option:
      return value == 0 ? "none" : print(type.inner[0], value - 1);
    case value_kind::element:
      return options_.print ? options_.print(type.sort, value) : fmt::format("{}{}", type.sort, value);
    default:
      return std::to_string(value);
  }
}

std::string stream_monitor::print(const value_type& type, const argument& arg) const {
  if (type.kind != value_kind::set) return print(type, arg.value);
  value_type element;
  element.kind = value_kind::element;
  element.sort = type.sort;
  std::string text;
  for (std::int64_t m : arg.members) text += (text.empty() ? "" : ", ") + print(element, m);
  return "{" + text + "}";
}

// Variables are the binders that are not spans, in order; spans are those that are.
violation stream_monitor::describe(std::uint32_t property, const check& c, const environment& env) const {
  const ast::property& source = *set_.monitors[property].source;
  violation v;
  v.property = property;
  v.sequence = sequence_;
  std::uint32_t variable = 0;
  int span = 0;
  auto is_span = [&](const ast::binder& b) {
    return !b.type.empty() && b.type[0].kind == ast::type_kind::named &&
           std::any_of(set_.spans.begin(), set_.spans.end(), [&](const auto& s) { return s.name == b.type[0].text; });
  };
  const auto& params = set_.events[c.on.event].params;
  for (const ast::binder& b : source.binders) {
    if (is_span(b)) {
      if (c.on.place != span_match::none && c.on.span_variable == span) {
        const open_span& open = env.span(span);
        const auto& kind = set_.spans[static_cast<std::size_t>(open.kind)];
        v.bindings.emplace_back(b.name, fmt::format("the {} begun at event {}", kind.name, open.begun));
      }
      ++span;
      continue;
    }
    for (std::size_t i = 0; i < c.on.args.size(); ++i) {
      const match& m = c.on.args[i];
      if ((m.kind != match_kind::bind && m.kind != match_kind::bind_inner) || m.variable != variable) continue;
      v.bindings.emplace_back(b.name,
                              print(m.kind == match_kind::bind ? params[i] : params[i].inner[0], env.variables[variable]));
    }
    for (const auto& [index, type] : c.free)
      if (index == variable) v.bindings.emplace_back(b.name, print(type, env.variables[variable]));
    ++variable;
  }
  std::string args, where;
  for (std::size_t i = 0; i < params.size(); ++i) args += (i ? ", " : "") + print(params[i], (*env.args)[i]);
  for (const auto& [name, value] : v.bindings) where += (where.empty() ? " with " : ", ") + name + " = " + value;
  v.text = fmt::format("event {} {}({}) violates {}{}", sequence_, set_.events[c.on.event].name, args, source.name, where);
  if (!source.sentence.empty()) v.text += ": " + source.sentence;
  return v;
}

std::vector<outcome> stream_monitor::finish() const {
  std::vector<outcome> made = outcomes_;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (set_.monitors[i].due >= 0) made[i].undecided = state_.cells[static_cast<std::size_t>(set_.monitors[i].due)].size();
    if (set_.monitors[i].source->kind != ast::property_kind::at_end) continue;
    for (const check& c : set_.monitors[i].checks)
      for (const auto& [process, stack] : state_.stacks)
        made[i].undecided += static_cast<std::uint64_t>(
            std::count_if(stack.begin(), stack.end(), [&](const open_span& s) { return s.kind == c.on.span_kind; }));
  }
  return made;
}

}  // namespace quiesce::monitors
