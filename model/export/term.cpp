// SPDX-License-Identifier: MIT
#include "model/export/term.hpp"

#include <algorithm>
#include <optional>

namespace quiesce::exporting {

using ir::op;

namespace {

constexpr std::int64_t far = std::int64_t{1} << 40;  // beyond: unknown

std::int64_t clamp(std::int64_t v) { return std::clamp(v, -far, far); }

std::optional<std::int64_t> small(__int128 v) {
  return -far < v && v < far ? std::optional(static_cast<std::int64_t>(v)) : std::nullopt;
}

// The value of an operation on constants, where it is not beyond what is known of numbers.
std::optional<std::int64_t> value_of(op code, std::int64_t x, std::int64_t y) {
  switch (code) {
    case op::negate:
      return -x;
    case op::less:
      return x < y;
    case op::less_equal:
      return x <= y;
    case op::add:
      return small(static_cast<__int128>(x) + y);
    case op::subtract:
      return small(static_cast<__int128>(x) - y);
    case op::multiply:
      return small(static_cast<__int128>(x) * y);
    case op::divide:
      return y > 0 ? x / y : 0;
    case op::minimum:
      return std::min(x, y);
    case op::maximum:
      return std::max(x, y);
    case op::contains:
      return y < 0 || y > 62 ? 0 : x >> y & 1;
    case op::singleton:
      return x < 0 || x > 62 ? 0 : std::int64_t{1} << x;
    case op::unite:
      return x | y;
    case op::intersect:
      return x & y;
    case op::subtract_set:
      return x & ~y;
    case op::cardinality:
      return __builtin_popcountll(static_cast<std::uint64_t>(x));
    default:
      return std::nullopt;
  }
}

// Bounds of the value of an operation.
void bound(node& n) {
  const node &a = *n.kids[0], &b = *n.kids[n.kids.size() > 1 ? 1 : 0];
  n.low = -far;
  n.high = far;
  switch (n.code) {
    case op::negate:
      n.low = -a.high, n.high = -a.low;
      return;
    case op::add:
      n.low = clamp(a.low + b.low), n.high = clamp(a.high + b.high);
      return;
    case op::subtract:
      n.low = clamp(a.low - b.high), n.high = clamp(a.high - b.low);
      return;
    case op::minimum:
      n.low = std::min(a.low, b.low), n.high = std::min(a.high, b.high);
      return;
    case op::maximum:
      n.low = std::max(a.low, b.low), n.high = std::max(a.high, b.high);
      return;
    case op::less:
    case op::less_equal:
    case op::contains:
      n.low = 0, n.high = 1;
      return;
    case op::cardinality:
      n.low = 0, n.high = 64;
      return;
    default:
      return;
  }
}

}  // namespace

term term_builder::make(node n) const { return std::make_shared<const node>(std::move(n)); }

term term_builder::constant(std::int64_t v, ir::type_id t) const {
  node n;
  n.type = t;
  n.low = n.high = v;
  return make(std::move(n));
}

term term_builder::temp(ir::temp_id t, ir::type_id type, std::int64_t low, std::int64_t high) const {
  node n;
  n.code = op::temp;
  n.type = type;
  n.temp = t;
  n.low = low;
  n.high = std::max(low, high);
  if (n.low == n.high) return constant(low, type);
  return make(std::move(n));
}

std::int64_t term_builder::least(ir::type_id t) const { return ir::low(p_, t); }
std::int64_t term_builder::greatest(ir::type_id t) const {
  const std::uint64_t m = ir::max_code(p_, t);
  return m > static_cast<std::uint64_t>(far) ? far : least(t) + static_cast<std::int64_t>(m);
}

term term_builder::negation(const term& a) const {
  if (a->constant()) return truth(a->low == 0);
  if (a->code == op::not_) return a->kids[0];
  node n;
  n.code = op::not_;
  n.high = 1;
  n.kids = {a};
  return make(std::move(n));
}

term term_builder::both(const term& a, const term& b) const {
  if (a->constant()) return a->low ? b : a;
  if (b->constant() && b->low) return a;
  node n;
  n.code = op::and_;
  n.high = 1;
  n.kids = {a, b};
  return make(std::move(n));
}

term term_builder::either(const term& a, const term& b) const {
  if (a->constant()) return a->low ? a : b;
  if (b->constant() && !b->low) return a;
  node n;
  n.code = op::or_;
  n.high = 1;
  n.kids = {a, b};
  return make(std::move(n));
}

term term_builder::choice(const term& condition, const term& yes, const term& no) const {
  if (condition->constant()) return condition->low ? yes : no;
  if (yes->constant() && no->constant() && yes->low == no->low) return yes;
  node n;
  n.code = op::select;
  n.type = yes->constant() ? no->type : yes->type;
  n.low = std::min(yes->low, no->low);
  n.high = std::max(yes->high, no->high);
  n.kids = {condition, yes, no};
  return make(std::move(n));
}

term term_builder::equality(const term& a, const term& b) const {
  if (a == b || (a->constant() && b->constant())) return truth(a == b || a->low == b->low);
  if (a->high < b->low || b->high < a->low) return truth(false);
  node n;
  n.code = op::equal;
  n.high = 1;
  n.kids = {a, b};
  return make(std::move(n));
}

term term_builder::fits(const term& v, ir::type_id t) const {
  if (p_.types[t].kind == ir::type_kind::set) return truth(true);  // sets are built from elements of their sort only
  const std::int64_t low = least(t), high = greatest(t);
  if (v->low >= low && v->high <= high) return truth(true);
  if (v->high < low || v->low > high) return truth(false);
  const auto ordered = [&](const term& a, const term& b) {
    node n;
    n.code = op::less_equal;
    n.high = 1;
    n.kids = {a, b};
    return make(std::move(n));
  };
  term out = truth(true);
  if (v->low < low) out = ordered(constant(low), v);
  if (v->high > high) out = both(out, ordered(v, constant(high)));
  return out;
}

term term_builder::load(ir::variable_id var, std::vector<term> index, ir::type_id type, const knowledge& k) const {
  node n;
  n.code = op::load;
  n.type = type;
  n.var = var;
  n.low = least(type);
  n.high = greatest(type);
  n.kids = index;
  term out = n.low == n.high ? constant(n.low, type) : make(std::move(n));
  const auto writes = k.writes.find(var);
  if (writes == k.writes.end()) return out;
  for (const pending& w : writes->second) {
    term here = truth(true);
    for (std::size_t i = 0; i < index.size(); ++i) here = both(here, equality(w.index[i], index[i]));
    out = choice(here, w.value, out);
  }
  return out;
}

term term_builder::quantified(const ir::expr& e, const knowledge& k) const {
  const auto n = static_cast<std::int64_t>(elements(e.sort));
  if (n == 0) return constant(e.code == op::all ? 1 : 0, e.type);
  knowledge inner = k;
  inner.temps.erase(e.temp);
  if (n == 1) {
    inner.temps[e.temp] = constant(0);
  } else {
    node bound;
    bound.code = op::temp;
    bound.temp = e.temp;
    bound.sort = e.sort;
    bound.high = n - 1;
    inner.temps[e.temp] = make(std::move(bound));
  }
  term body = build(e.kids[0], inner);
  if (body->constant() && e.code == op::all) return truth(body->low != 0);
  if (body->constant() && e.code == op::some) return truth(body->low != 0);
  if (n == 1 && e.code != op::collect) return body;
  node out;
  out.code = e.code;
  out.type = e.type;
  out.temp = e.temp;
  out.sort = e.sort;
  out.high = e.code == op::count ? n : e.code == op::collect ? (n > 39 ? far : (std::int64_t{1} << n) - 1) : 1;
  out.kids = {std::move(body)};
  return make(std::move(out));
}

term term_builder::computed(const ir::expr& e, std::vector<term> kids) const {
  const bool known = kids[0]->constant() && (kids.size() < 2 || kids[1]->constant());
  if (known)
    if (const auto v = value_of(e.code, kids[0]->low, kids.size() > 1 ? kids[1]->low : 0)) return constant(*v, e.type);
  node n;
  n.code = e.code;
  n.type = e.type;
  n.kids = std::move(kids);
  bound(n);
  return n.low == n.high ? constant(n.low, e.type) : make(std::move(n));
}

term term_builder::build(ir::expr_id id, const knowledge& k) const {
  const ir::expr& e = p_.exprs[id];
  const auto kid = [&](std::size_t i) { return build(e.kids[i], k); };
  std::vector<term> kids;
  switch (e.code) {
    case op::constant:
      return constant(e.value, e.type);
    case op::temp: {
      const auto it = k.temps.find(e.temp);
      return it == k.temps.end() ? temp(e.temp, e.type, -far, far) : it->second;
    }
    case op::load:
      for (std::size_t i = 0; i < e.kids.size(); ++i) kids.push_back(kid(i));
      return load(e.var, std::move(kids), p_.variables[e.var].type, k);
    case op::not_:
      return negation(kid(0));
    case op::and_: {
      const term a = kid(0);
      return a->constant() && !a->low ? a : both(a, kid(1));
    }
    case op::or_: {
      const term a = kid(0);
      return a->constant() && a->low ? a : either(a, kid(1));
    }
    case op::implies: {
      const term a = negation(kid(0));
      return a->constant() && a->low ? a : either(a, kid(1));
    }
    case op::equal:
      return equality(kid(0), kid(1));
    case op::not_equal:
      return negation(equality(kid(0), kid(1)));
    case op::select: {
      const term c = kid(0);
      if (c->constant()) return kid(c->low ? 1 : 2);
      return choice(c, kid(1), kid(2));
    }
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
      return quantified(e, k);
    case op::wrap: {
      const ir::type_id inner = p_.types[e.type].inner;
      const term v = kid(0), fit = fits(v, inner);
      if (v->constant()) return constant(fit->low ? 1 + v->low - least(inner) : -1, e.type);
      node n;
      n.code = op::wrap;
      n.type = e.type;
      n.low = fit->constant() ? std::max<std::int64_t>(1, 1 + v->low - least(inner)) : -1;
      n.high = std::min(greatest(e.type), 1 + v->high - least(inner));
      n.kids = {v};
      return make(std::move(n));
    }
    case op::unwrap: {
      const term o = kid(0);
      if (o->constant()) return constant(o->low - 1 + least(e.type), e.type);
      node n;
      n.code = op::unwrap;
      n.type = e.type;
      n.low = o->low - 1 + least(e.type);
      n.high = o->high - 1 + least(e.type);
      n.kids = {o};
      return make(std::move(n));
    }
    default:
      for (std::size_t i = 0; i < e.kids.size(); ++i) kids.push_back(kid(i));
      return computed(e, std::move(kids));
  }
}

std::size_t size(const term& t, std::size_t most) {
  std::size_t n = 1;
  for (const term& k : t->kids) {
    if (n >= most) return n;
    n += size(k, most - n);
  }
  return n;
}

void reads(const term& t, std::vector<ir::variable_id>& out) {
  if (t->code == op::load && std::find(out.begin(), out.end(), t->var) == out.end()) out.push_back(t->var);
  for (const term& k : t->kids) reads(k, out);
}

}  // namespace quiesce::exporting
