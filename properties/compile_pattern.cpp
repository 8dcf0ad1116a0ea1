// SPDX-License-Identifier: MIT
// Patterns: which event, what its arguments bind or must equal, in which span.

#include <fmt/format.h>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors::detail {

bool mentions_unbound(const scope& s, const term& t, std::string* name, source_range* where) {
  if (t.code == op::variable)
    for (const auto& v : s.variables)
      if (v.index == t.index && !v.bound) {
        if (name) *name = v.name;
        if (where) *where = v.where;
        return true;
      }
  for (const term& kid : t.kids)
    if (mentions_unbound(s, kid, name, where)) return true;
  return false;
}

std::string describe(const ast::event_pattern& p) {
  std::string args;
  for (const auto& a : p.args) {
    if (!args.empty()) args += ", ";
    if (a.kind == ast::expr_kind::name)
      args += a.text;
    else if (a.kind == ast::expr_kind::wildcard)
      args += "_";
    else if (a.kind == ast::expr_kind::none)
      args += "none";
    else if (a.kind == ast::expr_kind::integer)
      args += std::to_string(a.value);
    else if (a.kind == ast::expr_kind::apply)
      args += a.text + "(..)";
    else
      args += "..";
  }
  std::string text = fmt::format("{}({})", p.event, args);
  if (p.place != ast::placement::anywhere) text += (p.place == ast::placement::in ? " in " : " within ") + p.span;
  if (!p.when.empty()) text += " when ..";
  return text;
}

std::uint32_t compiler::find_event(const ast::event_pattern& p) const {
  auto found = event_numbers_.find(p.event);
  if (found != event_numbers_.end()) {
    std::size_t wanted = out_.events[found->second].params.size();
    if (wanted != p.args.size())
      throw diagnostic(p.where, fmt::format("event `{}` has {} argument{}, not {}", p.event, wanted, wanted == 1 ? "" : "s",
                                            p.args.size()));
    return found->second;
  }
  if (span_numbers_.count(p.event))
    throw diagnostic(p.where,
                     fmt::format("`{}` is a span; its events are `{}_begin` and `{}_end`", p.event, p.event, p.event));
  throw diagnostic(p.where, fmt::format("there is no event `{}` in the vocabulary", p.event));
}

void compiler::place(scope& s, const ast::event_pattern& written, pattern& p) {
  if (written.place == ast::placement::anywhere) return;
  for (auto& span : s.spans) {
    if (span.name != written.span) continue;
    p.place = written.place == ast::placement::in ? span_match::innermost : span_match::enclosing;
    p.span_kind = span.kind;
    p.span_variable = span.number;
    span.bound = true;
    return;
  }
  if (s.find(written.span))
    throw diagnostic(written.where, fmt::format("`{}` is not a span", written.span),
                     "`in` and `within` need a variable over a kind of span");
  throw diagnostic(written.where, fmt::format("there is no span variable `{}`", written.span));
}

// The first mention of a variable as an argument. An integer outside the variable's range doesn't match.
match compiler::bind_argument(scope& s, scope_variable& v, const ast::expr& arg, const value_type& param,
                              std::vector<term>& conditions) {
  match m;
  bool inner = param.kind == value_kind::option && v.type.kind != value_kind::option;
  const value_type& target = inner ? param.inner[0] : param;
  bool integers = v.type.kind == value_kind::integer && target.kind == value_kind::integer;
  if (!integers && !same(v.type, target))
    throw diagnostic(arg.where,
                     fmt::format("`{}` is of type {}, and the event has {} here", v.name, print(v.type), print(param)));
  m.kind = inner ? match_kind::bind_inner : match_kind::bind;
  m.variable = s.mention(v, arg.where);
  v.bound = true;
  if (integers && (v.type.low > target.low || v.type.high < target.high)) {
    auto number = [](std::int64_t n) { return constant(n, integer_type(n, n)); };
    conditions.push_back(apply(op::less_equal, boolean_type(), {number(v.type.low), variable(m.variable, v.type)}));
    conditions.push_back(apply(op::less_equal, boolean_type(), {variable(m.variable, v.type), number(v.type.high)}));
  }
  return m;
}

matched compiler::compile_pattern(scope& s, const ast::event_pattern& written) {
  matched made;
  pattern& p = made.on;
  p.event = find_event(written);
  const std::vector<value_type> params = out_.events[p.event].params;
  place(s, written, p);
  std::vector<term> conditions;
  p.args.resize(params.size());
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const ast::expr& arg = written.args[i];
    if (arg.kind == ast::expr_kind::wildcard) continue;
    if (params[i].kind == value_kind::set)
      throw diagnostic(arg.where, "this argument is a set and can only be `_`", "use `x in r.devs` with a span variable");
    scope_variable* v = arg.kind == ast::expr_kind::name ? s.find(arg.text) : nullptr;
    if (v && !v->bound)
      p.args[i] = bind_argument(s, *v, arg, params[i], conditions);
    else
      later.push_back(i);
  }
  for (std::size_t i : later) {
    term value = of_type(s, written.args[i], params[i], fmt::format("argument {} of event `{}`", i + 1, written.event));
    if (value.code == op::constant && params[i].kind == value_kind::integer &&
        (value.value < params[i].low || value.value > params[i].high))
      throw diagnostic(written.args[i].where,
                       fmt::format("this argument is never {}: it is of type {}", value.value, print(params[i])));
    match& m = p.args[i];
    if (!mentions_unbound(s, value, nullptr, nullptr)) {
      m.kind = match_kind::equal;
      m.value = std::move(value);
      continue;
    }
    m.kind = match_kind::bind;
    m.variable = s.fresh();
    conditions.push_back(apply(op::equal, boolean_type(), {variable(m.variable, params[i]), std::move(value)}));
  }
  if (!written.when.empty()) conditions.push_back(condition(s, written.when[0]));
  std::vector<term> testable;
  for (term& c : conditions) (mentions_unbound(s, c, nullptr, nullptr) ? made.guards : testable).push_back(std::move(c));
  if (!testable.empty()) p.when.push_back(conjunction(std::move(testable)));
  return made;
}

}  // namespace quiesce::monitors::detail
