// SPDX-License-Identifier: MIT
// Types, events and spans of a vocabulary.

#include <fmt/format.h>

#include <algorithm>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors::detail {

bool same(const value_type& a, const value_type& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == value_kind::integer) return a.low == b.low && a.high == b.high;
  if (a.kind == value_kind::option) return same(a.inner[0], b.inner[0]);
  return a.sort == b.sort;
}

std::string print(const value_type& t) {
  switch (t.kind) {
    case value_kind::boolean:
      return "bool";
    case value_kind::integer:
      return t.high >= no_bound ? "a number" : fmt::format("{}..{}", t.low, t.high);
    case value_kind::element:
      return t.sort;
    case value_kind::option:
      return fmt::format("option<{}>", print(t.inner[0]));
    case value_kind::set:
      return fmt::format("set<{}>", t.sort);
  }
  return {};
}

value_type boolean_type() { return {}; }
value_type integer_type(std::int64_t low, std::int64_t high) { return {value_kind::integer, low, high, {}, {}}; }
value_type element_type(const std::string& sort) { return {value_kind::element, 0, 0, sort, {}}; }
value_type option_of(value_type inner) { return {value_kind::option, 0, 0, {}, {std::move(inner)}}; }

term constant(std::int64_t value, value_type type) {
  term t;
  t.value = value;
  t.type = std::move(type);
  return t;
}

term variable(std::uint32_t index, value_type type) {
  term t;
  t.code = op::variable;
  t.index = index;
  t.type = std::move(type);
  return t;
}

term apply(op code, value_type type, std::vector<term> kids) {
  term t;
  t.code = code;
  t.type = std::move(type);
  t.kids = std::move(kids);
  return t;
}

term conjunction(std::vector<term> parts) {
  if (parts.empty()) return constant(1);
  term all = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i)
    all = apply(op::and_, boolean_type(), {std::move(all), std::move(parts[i])});
  return all;
}

term negation(term t) { return apply(op::not_, boolean_type(), {std::move(t)}); }

bool compiler::is_sort(const std::string& name) const {
  return std::any_of(vocabulary_.sorts.begin(), vocabulary_.sorts.end(), [&](const auto& s) { return s.name == name; });
}

std::int64_t compiler::constant_value(const ast::expr& e) const {
  if (e.kind == ast::expr_kind::integer && e.value < no_bound) return e.value;
  if (e.kind == ast::expr_kind::unary && e.text == "-") return -constant_value(e.args[0]);
  throw diagnostic(e.where, "an event's or variable's range needs integer constants here");
}

value_type compiler::type_of(const ast::type_expr& t) const {
  using ast::type_kind;
  switch (t.kind) {
    case type_kind::boolean:
      return boolean_type();
    case type_kind::range: {
      auto type = integer_type(constant_value(t.bounds[0]), constant_value(t.bounds[1]));
      if (type.low > type.high) throw diagnostic(t.where, fmt::format("the range {} is empty", print(type)));
      return type;
    }
    case type_kind::named:
      if (is_sort(t.text)) return element_type(t.text);
      throw diagnostic(t.where, fmt::format("`{}` is not a sort of the vocabulary", t.text));
    case type_kind::option: {
      value_type inner = type_of(t.args[0]);
      if (inner.kind == value_kind::option || inner.kind == value_kind::set)
        throw diagnostic(t.where, fmt::format("option<{}> is not supported in events and properties", print(inner)));
      if (inner.kind == value_kind::integer && inner.low != 0)
        throw diagnostic(t.where, "the range inside option<...> must start at 0");
      return option_of(inner);
    }
    case type_kind::set: {
      value_type inner = type_of(t.args[0]);
      if (inner.kind != value_kind::element)
        throw diagnostic(t.where, "a set in an event must be a set of a sort's elements");
      return {value_kind::set, 0, 0, inner.sort, {}};
    }
    default:
      throw diagnostic(t.where, "events and properties know bool, ranges, sorts, option<...> and set<...> only");
  }
}

void compiler::declare_event(const std::string& name, std::vector<value_type> params, source_range where) {
  auto number = static_cast<std::uint32_t>(out_.events.size());
  if (!event_numbers_.emplace(name, number).second)
    throw diagnostic(where, fmt::format("event `{}` is declared twice", name));
  out_.events.push_back({name, std::move(params)});
}

void compiler::declare_events() {
  for (const auto& e : vocabulary_.events) {
    std::vector<value_type> params;
    for (const auto& p : e.params) params.push_back(type_of(p));
    declare_event(e.name, std::move(params), e.where);
  }
  for (const auto& s : vocabulary_.spans) {
    std::vector<value_type> params;
    for (const auto& p : s.params) params.push_back(type_of(p));
    auto number = static_cast<int>(out_.spans.size());
    if (is_sort(s.name)) throw diagnostic(s.where, fmt::format("`{}` is a sort already", s.name));
    if (!span_numbers_.emplace(s.name, number).second)
      throw diagnostic(s.where, fmt::format("span `{}` is declared twice", s.name));
    auto begin = static_cast<std::uint32_t>(out_.events.size());
    declare_event(s.name + "_begin", params, s.where);
    declare_event(s.name + "_end", {}, s.where);
    out_.spans.push_back({s.name, std::move(params), begin, begin + 1});
  }
}

}  // namespace quiesce::monitors::detail
