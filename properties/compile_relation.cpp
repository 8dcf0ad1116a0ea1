// SPDX-License-Identifier: MIT
// Comparisons (which limit counters), membership in a span's set, quantifiers.

#include <fmt/format.h>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors::detail {

namespace {

typed truth(term code, source_range where) {
  typed made;
  made.type = boolean_type();
  made.code = std::move(code);
  made.where = where;
  return made;
}

}  // namespace

// Let the counts of one side add up, with the rest of that side at least `rest_low`, and the other side be at most `high`. A
// counter at high - rest_low + 1 already makes its side larger than anything on the other side, so it may stop there.
void compiler::limit_counters(const ast::expr& e, typed& a, typed& b) {
  if (a.counters.empty() && b.counters.empty()) return;
  if (!a.counters.empty() && !b.counters.empty())
    throw diagnostic(e.where, "counts of events on both sides of a comparison have no limit",
                     "compare each with a bounded number");
  typed& counts = a.counters.empty() ? b : a;
  const typed& other = a.counters.empty() ? a : b;
  if (other.type.high >= no_bound)
    throw diagnostic(other.where,
                     "a count of events can only be compared with a number whose maximum is known from its type");
  if (counts.rest_low <= -no_bound) throw diagnostic(counts.where, "the numbers added to this count have no known minimum");
  std::int64_t cap = std::max<std::int64_t>(other.type.high - counts.rest_low + 1, 1);
  if (cap > largest_cap)
    throw diagnostic(other.where,
                     fmt::format("a count of events cannot be compared with numbers above {}", largest_cap - 1));
  for (std::uint32_t c : counts.counters) out_.cells[c].cap = std::max(out_.cells[c].cap, cap);
}

typed compiler::comparison(scope& s, const ast::expr& e) {
  typed a = compile_expr(s, e.args[0]);
  typed b = compile_expr(s, e.args[1]);
  limit_counters(e, a, b);
  if (e.text == "==" || e.text == "!=") return equality(e, std::move(a), std::move(b));
  for (const typed* t : {&a, &b})
    if (t->none || t->type.kind != value_kind::integer)
      throw diagnostic(t->where, fmt::format("`{}` compares numbers, and this is {}", e.text,
                                             t->none ? "`none`" : "of type " + print(t->type)));
  bool swap = e.text == ">" || e.text == ">=";
  op code = e.text == "<" || e.text == ">" ? op::less : op::less_equal;
  if (swap) std::swap(a, b);
  return truth(apply(code, boolean_type(), {std::move(a.code), std::move(b.code)}), e.where);
}

typed compiler::equality(const ast::expr& e, typed a, typed b) {
  term code;
  if (a.none && b.none) {
    code = constant(1);
  } else if (a.none || b.none) {
    typed& o = a.none ? b : a;
    if (o.type.kind != value_kind::option)
      throw diagnostic(o.where, fmt::format("this is of type {}, which is never `none`", print(o.type)));
    code = apply(op::is_none, boolean_type(), {std::move(o.code)});
  } else {
    for (const typed* t : {&a, &b})
      if (t->type.kind == value_kind::set) throw diagnostic(t->where, "sets cannot be compared");
    value_type type = b.type.kind == value_kind::option ? b.type : a.type;
    term x = coerce(std::move(a), type, "the left side"), y = coerce(std::move(b), type, "the right side");
    code = apply(op::equal, boolean_type(), {std::move(x), std::move(y)});
  }
  if (e.text == "!=") code = negation(std::move(code));
  return truth(std::move(code), e.where);
}

// r.devs: the span variable, and the sort of the members of its first argument.
scope_span& compiler::member_span(scope& s, const ast::expr& e, std::string& sort) {
  if (e.kind != ast::expr_kind::member || e.args[0].kind != ast::expr_kind::name)
    throw diagnostic(e.where, "the only set that can be used here is a span's, as in `x in r.devs`");
  const std::string& name = e.args[0].text;
  for (auto& span : s.spans) {
    if (span.name != name) continue;
    if (!span.bound)
      throw diagnostic(
          e.args[0].where,
          fmt::format("span `{}` is not bound by the pattern: write `in {}` or `within {}` there", name, name, name));
    const auto& kind = out_.spans[static_cast<std::size_t>(span.kind)];
    if (kind.params.empty() || kind.params[0].kind != value_kind::set)
      throw diagnostic(e.where, fmt::format("the first argument of span `{}` is not a set", kind.name));
    sort = kind.params[0].sort;
    if (e.text != sort + "s")
      throw diagnostic(e.where, fmt::format("span `{}` has no `{}`", kind.name, e.text),
                       fmt::format("its set is `{}.{}s`", name, sort));
    return span;
  }
  throw diagnostic(e.args[0].where, fmt::format("`{}` is not a span variable", name));
}

typed compiler::membership(scope& s, const ast::expr& e) {
  const ast::expr& set = e.args[1];
  if (set.kind == ast::expr_kind::set_literal) {
    term any = constant(0);
    for (const ast::expr& member : set.args) {
      ast::expr same_as = e;
      same_as.text = "==";
      typed one = equality(same_as, plain(s, e.args[0]), plain(s, member));
      any = apply(op::or_, boolean_type(), {std::move(any), std::move(one.code)});
    }
    return truth(std::move(any), e.where);
  }
  std::string sort;
  const scope_span& span = member_span(s, set, sort);
  int number = span.number;
  term t = apply(op::in_span, boolean_type(), {of_type(s, e.args[0], element_type(sort), "the left side")});
  t.span = number;
  return truth(std::move(t), e.where);
}

// d is lo: some n: d == lo(n)
typed compiler::is_named(scope& s, const ast::expr& e) {
  ast::expr bound_name, call, equal;
  bound_name.kind = ast::expr_kind::name;
  bound_name.text = " n";  // no name of a user
  bound_name.where = call.where = equal.where = e.where;
  call.kind = ast::expr_kind::apply;
  call.text = e.text;
  call.args = {bound_name};
  equal.kind = ast::expr_kind::binary;
  equal.text = "==";
  equal.args = {e.args[0], call};
  if (e.text != "lo" || !is_sort("net"))
    throw diagnostic(e.where, fmt::format("`{}` is not a constructor of elements", e.text));
  value_type net = element_type("net");
  std::uint32_t index = s.fresh();
  s.variables.push_back({bound_name.text, net, e.where, index, false, true});
  typed body = compile_expr(s, equal);
  s.variables.pop_back();
  term t = apply(op::some, net, {std::move(body.code)});
  t.index = index;
  return truth(std::move(t), e.where);
}

// The type of a bound variable, and the condition that its domain sets.
std::pair<value_type, std::vector<term>> compiler::binder_type(scope& s, const ast::binder& b, std::uint32_t index) {
  if (!b.type.empty()) {
    value_type type = type_of(b.type[0]);
    if (type.kind == value_kind::set) throw diagnostic(b.where, "a variable cannot range over sets");
    return {type, {}};
  }
  std::string sort;
  const scope_span& span = member_span(s, b.domain[0], sort);
  value_type type = element_type(sort);
  term t = apply(op::in_span, boolean_type(), {variable(index, type)});
  t.span = span.number;
  return {type, {t}};
}

typed compiler::quantified(scope& s, const ast::expr& e) {
  if (e.text == "count" && e.binders.size() != 1) throw diagnostic(e.where, "`count` counts the values of one variable");
  return quantify(s, e, 0);
}

typed compiler::quantify(scope& s, const ast::expr& e, std::size_t from) {
  const ast::binder& b = e.binders[from];
  if (s.find(b.name) || find_ghost(b.name) != unassigned)
    throw diagnostic(b.where, fmt::format("`{}` is a name already", b.name));
  std::uint32_t index = s.fresh();
  auto [type, guards] = binder_type(s, b, index);
  s.variables.push_back({b.name, type, b.where, index, false, true});
  term body;
  if (from + 1 < e.binders.size()) {
    body = quantify(s, e, from + 1).code;
  } else {
    body = condition(s, e.args[0]);
    if (e.args.size() > 1) guards.push_back(condition(s, e.args[1]));
  }
  s.variables.pop_back();
  if (!guards.empty())
    body =
        apply(e.text == "all" ? op::implies : op::and_, boolean_type(), {conjunction(std::move(guards)), std::move(body)});
  term t = apply(e.text == "all" ? op::all : e.text == "some" ? op::some : op::count, type, {std::move(body)});
  t.index = index;
  typed made = truth(std::move(t), e.where);
  if (e.text != "count") return made;
  std::int64_t most = no_bound;
  if (type.kind == value_kind::integer) most = type.high - type.low + 1;
  if (type.kind == value_kind::boolean) most = 2;
  made.type = integer_type(0, most);
  made.rest_high = most;
  return made;
}

}  // namespace quiesce::monitors::detail
