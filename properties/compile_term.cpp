// SPDX-License-Identifier: MIT
// Expressions to terms: names, ghosts, arithmetic, logic.

#include <fmt/format.h>

#include <algorithm>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors::detail {

namespace {

// Elements that models name. A trace tells the monitor which number each has; where it cannot, they equal nothing.
struct named_element {
  const char* name;
  const char* of;
  const char* sort;
};
constexpr named_element named_elements[] = {{"init_net", nullptr, "net"}, {"lo", "net", "dev"}};

const named_element* find_named(const std::string& name, bool constructor) {
  for (const auto& n : named_elements)
    if (n.name == name && (n.of != nullptr) == constructor) return &n;
  return nullptr;
}

std::int64_t bounded(__int128 v) {
  if (v > no_bound) return no_bound;
  return v < -no_bound ? -no_bound : static_cast<std::int64_t>(v);
}

typed simple(term code, source_range where) {
  typed made;
  made.type = code.type;
  made.where = where;
  if (code.type.kind == value_kind::integer) {
    made.rest_low = code.type.low;
    made.rest_high = code.type.high;
  }
  made.code = std::move(code);
  return made;
}

}  // namespace

scope_variable* scope::find(const std::string& name) {
  for (auto& v : variables)
    if (v.name == name) return &v;
  return nullptr;
}

std::uint32_t scope::mention(scope_variable& v, source_range where) {
  if (v.index == unassigned) {
    v.index = size++;
    v.where = where;
  }
  return v.index;
}

std::uint32_t scope::fresh() { return size++; }

term compiler::coerce(typed value, const value_type& wanted, const std::string& what) const {
  if (value.none) {
    if (wanted.kind == value_kind::option) return constant(0, wanted);
    throw diagnostic(value.where, fmt::format("{} must be of type {}, which is never `none`", what, print(wanted)));
  }
  if (value.type.kind == value_kind::integer && wanted.kind == value_kind::integer) return std::move(value.code);
  if (same(value.type, wanted)) return std::move(value.code);
  if (wanted.kind == value_kind::option && value.type.kind == wanted.inner[0].kind) {
    const value_type inner = wanted.inner[0];
    return apply(op::wrap, wanted, {coerce(std::move(value), inner, what)});
  }
  std::string hint;
  if (value.type.kind == value_kind::option && same(value.type.inner[0], wanted))
    hint = "value(...) takes the value out of an option";
  throw diagnostic(value.where,
                   fmt::format("{} must be of type {}, and this is of type {}", what, print(wanted), print(value.type)),
                   hint);
}

typed compiler::plain(scope& s, const ast::expr& e) {
  typed t = compile_expr(s, e);
  if (!t.counters.empty())
    throw diagnostic(e.where, "a count of events can only be compared with a bounded number, alone or in a sum of counts",
                     "write for example `count P == 1`");
  return t;
}

term compiler::condition(scope& s, const ast::expr& e) { return of_type(s, e, boolean_type(), "this"); }

term compiler::of_type(scope& s, const ast::expr& e, const value_type& wanted, const std::string& what) {
  return coerce(plain(s, e), wanted, what);
}

typed compiler::compile_expr(scope& s, const ast::expr& e) {
  using ast::expr_kind;
  switch (e.kind) {
    case expr_kind::boolean:
      return simple(constant(e.value), e.where);
    case expr_kind::integer:
      if (e.value >= no_bound) throw diagnostic(e.where, "this number is too large");
      return simple(constant(e.value, integer_type(e.value, e.value)), e.where);
    case expr_kind::none: {
      typed t = simple(constant(0), e.where);
      t.none = true;
      return t;
    }
    case expr_kind::name:
      return name(s, e);
    case expr_kind::apply:
      return call(s, e);
    case expr_kind::unary:
      return unary(s, e);
    case expr_kind::binary:
      return binary(s, e);
    case expr_kind::conditional:
      return conditional(s, e);
    case expr_kind::quantified:
      return quantified(s, e);
    case expr_kind::is_named:
      return is_named(s, e);
    case expr_kind::earlier:
    case expr_kind::since:
    case expr_kind::count_events:
      return atom(s, e);
    case expr_kind::wildcard:
      throw diagnostic(e.where, "`_` stands for an argument of an event only");
    case expr_kind::member:
      throw diagnostic(e.where, "a span's set can only be used as in `x in r.devs`");
    default:
      throw diagnostic(e.where, "this kind of expression reads a model's state and cannot be used in a property of events");
  }
}

typed compiler::name(scope& s, const ast::expr& e) {
  if (scope_variable* v = s.find(e.text)) return simple(variable(s.mention(*v, e.where), v->type), e.where);
  for (const auto& span : s.spans)
    if (span.name == e.text) throw diagnostic(e.where, fmt::format("`{}` is a span, not a value", e.text));
  std::uint32_t number = find_ghost(e.text);
  if (number != unassigned) return ghost_read(s, e, number);
  if (const auto* n = find_named(e.text, false); n && is_sort(n->sort)) {
    term t = apply(op::named, element_type(n->sort), {});
    t.text = e.text;
    return simple(std::move(t), e.where);
  }
  throw diagnostic(e.where,
                   fmt::format("`{}` is neither a bound variable, nor a ghost variable, nor a named element", e.text));
}

typed compiler::ghost_read(scope& s, const ast::expr& e, std::uint32_t number) {
  const ghost declared = out_.ghosts[number];
  if (e.args.size() != declared.index.size())
    throw diagnostic(e.where,
                     fmt::format("ghost `{}` has {} indices, not {}", e.text, declared.index.size(), e.args.size()));
  std::vector<term> kids;
  for (std::size_t i = 0; i < e.args.size(); ++i)
    kids.push_back(of_type(s, e.args[i], declared.index[i], fmt::format("index {} of ghost `{}`", i + 1, e.text)));
  term t = apply(op::ghost, declared.type, std::move(kids));
  t.index = number;
  return simple(std::move(t), e.where);
}

typed compiler::call(scope& s, const ast::expr& e) {
  auto arity = [&](std::size_t n) {
    if (e.args.size() != n)
      throw diagnostic(e.where,
                       fmt::format("`{}` takes {} argument{}, not {}", e.text, n, n == 1 ? "" : "s", e.args.size()));
  };
  std::uint32_t number = find_ghost(e.text);
  if (number != unassigned) return ghost_read(s, e, number);
  if (const auto* n = find_named(e.text, true); n && is_sort(n->sort) && is_sort(n->of)) {
    arity(1);
    term t = apply(op::named, element_type(n->sort), {of_type(s, e.args[0], element_type(n->of), "the argument")});
    t.text = e.text;
    return simple(std::move(t), e.where);
  }
  if (e.text == "value") {
    arity(1);
    typed o = plain(s, e.args[0]);
    if (o.none || o.type.kind != value_kind::option) throw diagnostic(e.args[0].where, "value(...) needs an option");
    return simple(apply(op::value_of, o.type.inner[0], {std::move(o.code)}), e.where);
  }
  if (e.text == "min" || e.text == "max") {
    arity(2);
    typed a = plain(s, e.args[0]), b = plain(s, e.args[1]);
    for (const typed* t : {&a, &b})
      if (t->type.kind != value_kind::integer) throw diagnostic(t->where, "this must be a number");
    bool least = e.text == "min";
    auto pick = [&](std::int64_t x, std::int64_t y) { return least ? std::min(x, y) : std::max(x, y); };
    value_type type = integer_type(pick(a.type.low, b.type.low), pick(a.type.high, b.type.high));
    term test = apply(op::less, boolean_type(), {a.code, b.code});
    return simple(apply(op::select, type, {test, least ? a.code : b.code, least ? b.code : a.code}), e.where);
  }
  if (e.text == "outermost" || e.text == "innermost") {
    arity(1);
    for (auto& span : s.spans) {
      if (e.args[0].kind != ast::expr_kind::name || span.name != e.args[0].text) continue;
      if (!span.bound)
        throw diagnostic(e.args[0].where,
                         fmt::format("span `{}` is not bound by the pattern: write `in` or `within` there", span.name));
      term t = apply(e.text == "outermost" ? op::outermost : op::innermost, boolean_type(), {});
      t.span = span.number;
      return simple(std::move(t), e.where);
    }
    throw diagnostic(e.args[0].where, fmt::format("{}(...) needs a span variable", e.text));
  }
  if (event_numbers_.count(e.text))
    throw diagnostic(e.where, fmt::format("`{}` is an event: write `earlier` behind it, or `count` before it", e.text));
  throw diagnostic(e.where, fmt::format("there is no ghost variable or function `{}`", e.text));
}

typed compiler::unary(scope& s, const ast::expr& e) {
  if (e.text == "!") return simple(negation(condition(s, e.args[0])), e.where);
  typed a = plain(s, e.args[0]);
  if (a.type.kind != value_kind::integer) throw diagnostic(a.where, "this must be a number");
  value_type type = integer_type(-a.type.high, -a.type.low);
  return simple(apply(op::subtract, type, {constant(0, integer_type(0, 0)), std::move(a.code)}), e.where);
}

typed compiler::binary(scope& s, const ast::expr& e) {
  const std::string& o = e.text;
  if (o == "&&" || o == "||" || o == "=>" || o == "<=>") {
    op code = o == "&&" ? op::and_ : o == "||" ? op::or_ : o == "=>" ? op::implies : op::equal;
    term a = condition(s, e.args[0]);
    return simple(apply(code, boolean_type(), {std::move(a), condition(s, e.args[1])}), e.where);
  }
  if (o == "in") return membership(s, e);
  if (o == "+" || o == "-" || o == "*") {
    typed a = compile_expr(s, e.args[0]);
    return arithmetic(s, e, std::move(a), compile_expr(s, e.args[1]));
  }
  return comparison(s, e);
}

// Sums keep their counts apart, so that a comparison can tell where the counters may stop.
typed compiler::arithmetic(scope&, const ast::expr& e, typed a, typed b) const {
  for (const typed* t : {&a, &b})
    if (t->none || t->type.kind != value_kind::integer) throw diagnostic(t->where, "this must be a number");
  bool counts = !a.counters.empty() || !b.counters.empty();
  if (e.text == "*" && counts) throw diagnostic(e.where, "a count of events cannot be multiplied");
  if (e.text == "-" && !b.counters.empty())
    throw diagnostic(b.where, "a count of events cannot be subtracted", "move it to the other side of the comparison");
  auto range = [&](std::int64_t al, std::int64_t ah, std::int64_t bl,
                   std::int64_t bh) -> std::pair<std::int64_t, std::int64_t> {
    __int128 x = al, y = ah, z = bl, w = bh;
    if (e.text == "+") return {bounded(x + z), bounded(y + w)};
    if (e.text == "-") return {bounded(x - w), bounded(y - z)};
    return {bounded(std::min({x * z, x * w, y * z, y * w})), bounded(std::max({x * z, x * w, y * z, y * w}))};
  };
  auto [low, high] = range(a.type.low, a.type.high, b.type.low, b.type.high);
  op code = e.text == "+" ? op::add : e.text == "-" ? op::subtract : op::multiply;
  typed made = simple(apply(code, integer_type(low, high), {std::move(a.code), std::move(b.code)}), e.where);
  std::tie(made.rest_low, made.rest_high) = range(a.rest_low, a.rest_high, b.rest_low, b.rest_high);
  made.counters = std::move(a.counters);
  made.counters.insert(made.counters.end(), b.counters.begin(), b.counters.end());
  return made;
}

typed compiler::conditional(scope& s, const ast::expr& e) {
  term test = condition(s, e.args[0]);
  typed a = plain(s, e.args[1]), b = plain(s, e.args[2]);
  value_type type = a.none ? b.type : a.type;
  if (a.none && b.none) throw diagnostic(e.where, "both sides are `none`, which tells no type");
  if (!a.none && !b.none && a.type.kind == value_kind::integer && b.type.kind == value_kind::integer)
    type = integer_type(std::min(a.type.low, b.type.low), std::max(a.type.high, b.type.high));
  else if (a.none != b.none && type.kind != value_kind::option)
    type = option_of(type);
  else if (!b.none && b.type.kind == value_kind::option)
    type = b.type;
  term x = coerce(std::move(a), type, "this"), y = coerce(std::move(b), type, "this");
  return simple(apply(op::select, type, {std::move(test), std::move(x), std::move(y)}), e.where);
}

}  // namespace quiesce::monitors::detail
