// SPDX-License-Identifier: MIT
#include "model/system/lower_builder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/system/fold.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::lowering {

builder::builder() { program.types.push_back({ir::type_kind::boolean}); }

namespace {

bool same(const ir::type& a, const ir::type& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ir::type_kind::boolean:
      return true;
    case ir::type_kind::integer:
      return a.low == b.low && a.high == b.high;
    case ir::type_kind::enumeration:
      return a.labels == b.labels;
    case ir::type_kind::element:
    case ir::type_kind::set:
      return a.sort == b.sort;
    case ir::type_kind::option:
      return a.inner == b.inner;
  }
  return false;
}

bool foldable_binary(op code) {
  return (code >= op::and_ && code <= op::maximum) || code == op::contains ||
         (code >= op::unite && code <= op::subtract_set);
}

bool arithmetic(op code) { return code >= op::add && code <= op::maximum; }

}  // namespace

type_id builder::intern(ir::type t) {
  for (type_id i = 0; i < program.types.size(); ++i)
    if (same(program.types[i], t)) return i;
  program.types.push_back(std::move(t));
  return static_cast<type_id>(program.types.size() - 1);
}

type_id builder::integer(std::int64_t low, std::int64_t high) {
  ir::type t{ir::type_kind::integer};
  t.low = low;
  t.high = high;
  return intern(t);
}

type_id builder::enumeration(std::vector<std::string> labels) {
  ir::type t{ir::type_kind::enumeration};
  t.labels = std::move(labels);
  return intern(t);
}

type_id builder::element(sort_id s) {
  ir::type t{ir::type_kind::element};
  t.sort = s;
  return intern(t);
}

type_id builder::option(type_id inner) {
  ir::type t{ir::type_kind::option};
  t.inner = inner;
  return intern(t);
}

type_id builder::set(sort_id s) {
  ir::type t{ir::type_kind::set};
  t.sort = s;
  return intern(t);
}

std::int64_t builder::low(type_id t) const { return type(t).kind == ir::type_kind::integer ? type(t).low : 0; }

std::uint32_t builder::size(sort_id s) const {
  if (program.sorts[s].unbounded)
    throw diagnostic(fmt::format("this depends on how many '{}' there are, which has no reading for any number of them",
                                 program.sorts[s].name),
                     "give the scope a number, or write it without the size");
  return static_cast<std::uint32_t>(program.sorts[s].element.size());
}

std::optional<std::uint64_t> builder::cardinality(type_id id) const {
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  const ir::type& t = type(id);
  if ((t.kind == ir::type_kind::element || t.kind == ir::type_kind::set) && program.sorts[t.sort].unbounded)
    return std::nullopt;
  switch (t.kind) {
    case ir::type_kind::boolean:
      return 2;
    case ir::type_kind::integer: {
      const auto n = static_cast<std::uint64_t>(t.high - t.low) + 1;
      return n <= most ? std::optional(n) : std::nullopt;
    }
    case ir::type_kind::enumeration:
      return t.labels.size();
    case ir::type_kind::element:
      return size(t.sort);
    case ir::type_kind::option: {
      const auto inner = cardinality(t.inner);
      return inner ? std::optional(*inner + 1) : std::nullopt;
    }
    case ir::type_kind::set:
      return size(t.sort) <= 20 ? std::optional(std::uint64_t{1} << size(t.sort)) : std::nullopt;
  }
  return std::nullopt;
}

expr_id builder::add(ir::expr e) {
  program.exprs.push_back(std::move(e));
  return static_cast<expr_id>(program.exprs.size() - 1);
}

expr_id builder::constant(std::int64_t v, type_id t) {
  ir::expr e;
  e.value = v;
  e.type = t;
  return add(e);
}

expr_id builder::load(variable_id v, std::vector<expr_id> index) {
  ir::expr e;
  e.code = op::load;
  e.type = program.variables[v].type;
  e.var = v;
  e.kids = std::move(index);
  return add(e);
}

expr_id builder::temp(temp_id t, type_id type) {
  ir::expr e;
  e.code = op::temp;
  e.type = type;
  e.temp = t;
  return add(e);
}

expr_id builder::reserve(type_id t) {
  ir::expr e;
  e.code = op::select;  // select(true, x, x) once patched; not a constant before
  e.type = t;
  return add(e);
}

void builder::patch(expr_id e, expr_id with) {
  if (at(with).code == op::constant) {
    const ir::expr constant = at(with);
    program.exprs[e] = constant;
    return;
  }
  const expr_id yes = truth(true);
  program.exprs[e].kids = {yes, with, with};
}

std::optional<std::int64_t> builder::constant_of(expr_id e) const {
  if (at(e).code == op::constant) return at(e).value;
  return std::nullopt;
}

// Operands that decide or drop out: x && false, x => true, c ? a : a ...
std::optional<expr_id> builder::simplify(op code, const std::vector<expr_id>& k) {
  const auto c = k.empty() ? std::nullopt : constant_of(k[0]);
  switch (code) {
    case op::and_:
      if (c) return *c ? k[1] : k[0];
      if (is_true(k[1])) return k[0];
      break;
    case op::or_:
      if (c) return *c ? k[0] : k[1];
      if (is_false(k[1])) return k[0];
      break;
    case op::implies:
      if (c) return *c ? k[1] : truth(true);
      if (is_true(k[1])) return k[1];
      break;
    case op::select:
      if (c) return *c ? k[1] : k[2];
      break;
    default:
      break;
  }
  return std::nullopt;
}

std::optional<expr_id> builder::fold(op code, const std::vector<expr_id>& k) {
  const auto a = constant_of(k[0]);
  if (!a) return std::nullopt;
  if (code == op::not_) return truth(!*a);
  if (code == op::negate) return number(-*a);
  if (k.size() != 2 || !foldable_binary(code)) return std::nullopt;
  const auto b = constant_of(k[1]);
  if (!b) return std::nullopt;
  const std::optional<std::int64_t> exact = ir::folded(code, *a, *b);
  if (!exact) return std::nullopt;  // refused where it is computed, at its place
  const std::int64_t v = *exact;
  if (arithmetic(code)) return number(v);
  if (code >= op::unite && code <= op::subtract_set) return constant(v, type_of(k[0]));
  return truth(v != 0);
}

namespace {
type_id clamped(builder& b, std::int64_t low, std::int64_t high) {
  return b.integer(std::max(low, -unlimited), std::min(high, unlimited));
}
}  // namespace

type_id builder::interval(op code, const std::vector<expr_id>& k) {
  const ir::type& a = type(type_of(k[0]));
  if (code == op::negate) return integer(-a.high, -a.low);
  const ir::type& b = type(type_of(k[1]));
  switch (code) {
    case op::add:
      return clamped(*this, a.low + b.low, a.high + b.high);
    case op::subtract:
      return clamped(*this, a.low - b.high, a.high - b.low);
    case op::divide:
      return integer(0, std::max<std::int64_t>(a.high, 0));
    case op::minimum:
      return integer(std::min(a.low, b.low), std::min(a.high, b.high));
    case op::maximum:
      return integer(std::max(a.low, b.low), std::max(a.high, b.high));
    default: {
      if (is_unlimited(a.high) || is_unlimited(b.high)) return integer(-unlimited, unlimited);
      using wide = __int128;
      const wide p[] = {wide{a.low} * b.low, wide{a.low} * b.high, wide{a.high} * b.low, wide{a.high} * b.high};
      const wide low = *std::min_element(p, p + 4), high = *std::max_element(p, p + 4);
      return integer(static_cast<std::int64_t>(std::max<wide>(low, -unlimited)),
                     static_cast<std::int64_t>(std::min<wide>(high, unlimited)));
    }
  }
}

expr_id builder::make(op code, type_id t, std::vector<expr_id> kids) {
  if (auto e = simplify(code, kids)) return *e;
  if (auto e = fold(code, kids)) return *e;
  ir::expr e;
  e.code = code;
  const bool integers = arithmetic(code) || code == op::negate;
  e.type = integers && type(t).kind == ir::type_kind::integer ? interval(code, kids) : t;
  e.kids = std::move(kids);
  return add(e);
}

expr_id builder::plus(expr_id a, expr_id b) {
  if (constant_of(b) == 0) return a;
  return make(op::add, integer(0, 0), {a, b});
}

expr_id builder::over(op code, type_id t, sort_id s, temp_id temp, expr_id body) {
  if (code == op::all && is_true(body)) return body;
  if (code == op::some && is_false(body)) return body;
  ir::expr e;
  e.code = code;
  e.type = t;
  e.sort = s;
  e.temp = temp;
  e.kids = {body};
  return add(e);
}

expr_id builder::construct(sort_id s, std::uint32_t c, expr_id of) {
  ir::expr e;
  e.code = op::construct;
  e.type = element(s);
  e.sort = s;
  e.value = c;
  e.kids = {of};
  return add(e);
}

expr_id builder::constructed(sort_id s, std::uint32_t c, expr_id of) {
  ir::expr e;
  e.code = op::constructed;
  e.type = boolean();
  e.sort = s;
  e.value = c;
  e.kids = {of};
  return add(e);
}

expr_id builder::whole(sort_id s, temp_id t) { return over(op::collect, set(s), s, t, truth(true)); }

variable_id builder::variable(std::string name, type_id t, std::vector<sort_id> index, ir::variable_kind kind,
                              std::uint32_t owner) {
  ir::variable v;
  v.name = std::move(name);
  v.type = t;
  v.index = std::move(index);
  v.kind = kind;
  v.owner = owner;
  program.variables.push_back(std::move(v));
  return static_cast<variable_id>(program.variables.size() - 1);
}

std::uint32_t builder::string(const std::string& s) {
  auto& all = program.strings;
  const auto it = std::find(all.begin(), all.end(), s);
  if (it != all.end()) return static_cast<std::uint32_t>(it - all.begin());
  all.push_back(s);
  return static_cast<std::uint32_t>(all.size() - 1);
}

}  // namespace quiesce::lowering
