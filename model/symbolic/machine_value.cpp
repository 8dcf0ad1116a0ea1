// SPDX-License-Identifier: MIT
// Values of expressions as circuits. Conditions have no effects, so both sides of `and` and `?:` are evaluated: what has no
// meaning on the side that does not count is an arbitrary number.
#include "model/symbolic/machine.hpp"

namespace quiesce::symbolic {

using namespace ir;

number machine::stored(const machine_state& x, variable_id v, std::uint32_t slot) {
  const field& f = fields_[slot];
  const std::int64_t least = low(p_, p_.variables[v].type);
  const auto from = x.bits.begin() + f.first;
  if (p_.types[p_.variables[v].type].kind == type_kind::set) return of_bits({from, from + f.width});
  number code;
  for (std::uint32_t l = 0; f.one_hot && l < f.width; ++l)
    if (*(from + l) != always_false) code.cases.emplace_back(l, *(from + l));
  if (!f.one_hot) code = of_code(g_, {from, from + f.width}, max_code(p_, p_.variables[v].type) + 1);
  if (code.cases.empty() && code.bits.empty()) code = constant(0);  // on a path that does not exist
  return least == 0 ? code : add(g_, code, constant(least));
}

number machine::load(const machine_state& x, variable_id v, const std::vector<number>& index) {
  const std::uint32_t first = p_.variables[v].first_slot;
  const std::vector<literal> chosen = selectors(v, index);
  number out = constant(0);
  for (std::size_t e = 0; e < chosen.size(); ++e) {
    if (chosen[e] == always_false) continue;
    out = choice(g_, chosen[e], stored(x, v, first + static_cast<std::uint32_t>(e)), out);
  }
  return out;
}

number machine::wrapped(type_id inner, const number& a) {
  const number code = add(g_, subtract(g_, a, constant(low(p_, inner))), constant(1));
  return choice(g_, fits(inner, a), code, constant(-1));
}

number machine::quantified(const machine_state& x, const expr& e) {
  machine_state inside = x;
  if (inside.temps.size() <= e.temp) inside.temps.resize(e.temp + 1u, constant(0));
  std::vector<literal> holds;
  for (std::size_t n = 0; n < p_.sorts[e.sort].element.size(); ++n) {
    inside.temps[e.temp] = constant(static_cast<std::int64_t>(n));
    holds.push_back(as_condition(g_, value(inside, e.kids[0])));
  }
  switch (e.code) {
    case op::all: {
      literal out = always_true;
      for (literal h : holds) out = g_.both(out, h);
      return of_condition(out);
    }
    case op::some:
      return of_condition(any_of(g_, holds));
    case op::count:
      return count(g_, holds);
    default:
      return of_bits(std::move(holds));
  }
}

number machine::computed(const expr& e, const number& a, const number& b) {
  const auto truth = [](literal c) { return of_condition(c); };
  switch (e.code) {
    case op::not_:
      return truth(as_condition(g_, a) ^ 1u);
    case op::negate:
      return negate(g_, a);
    case op::and_:
      return truth(g_.both(as_condition(g_, a), as_condition(g_, b)));
    case op::or_:
      return truth(g_.either(as_condition(g_, a), as_condition(g_, b)));
    case op::implies:
      return truth(g_.either(as_condition(g_, a) ^ 1u, as_condition(g_, b)));
    case op::equal:
      return truth(equal(g_, a, b));
    case op::not_equal:
      return truth(equal(g_, a, b) ^ 1u);
    case op::less:
      return truth(less(g_, a, b));
    case op::less_equal:
      return truth(less(g_, b, a) ^ 1u);
    case op::add:
      return add(g_, a, b);
    case op::subtract:
      return subtract(g_, a, b);
    case op::multiply:
      return multiply(g_, a, b);
    case op::divide:
      return divide(g_, a, static_cast<std::uint64_t>(p_.exprs[e.kids[1]].value));
    case op::minimum:
      return choice(g_, less(g_, a, b), a, b);
    case op::maximum:
      return choice(g_, less(g_, a, b), b, a);
    case op::contains:
      return truth(contains(g_, a, b));
    case op::singleton:
      return singleton(g_, a);
    case op::unite:
      return unite(g_, a, b);
    case op::intersect:
      return intersect(g_, a, b);
    case op::subtract_set:
      return intersect(g_, a, complement(g_, b));
    default: {  // cardinality: the sign bit is no member
      std::vector<literal> members = bits_of(g_, a);
      members.pop_back();
      return count(g_, members);
    }
  }
}

number machine::value(const machine_state& x, expr_id id) {
  const expr& e = p_.exprs[id];
  switch (e.code) {
    case op::constant:
      return p_.types[e.type].kind == type_kind::set ? of_mask(static_cast<std::uint64_t>(e.value)) : constant(e.value);
    case op::temp:
      return e.temp < x.temps.size() ? x.temps[e.temp] : constant(0);
    case op::load: {
      std::vector<number> index;
      for (expr_id k : e.kids) index.push_back(value(x, k));
      return load(x, e.var, index);
    }
    case op::select:
      return choice(g_, as_condition(g_, value(x, e.kids[0])), value(x, e.kids[1]), value(x, e.kids[2]));
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
      return quantified(x, e);
    case op::wrap:
      return wrapped(p_.types[e.type].inner, value(x, e.kids[0]));
    case op::unwrap:
      return add(g_, value(x, e.kids[0]), constant(low(p_, e.type) - 1));
    default:
      return computed(e, value(x, e.kids[0]), e.kids.size() > 1 ? value(x, e.kids[1]) : constant(0));
  }
}

}  // namespace quiesce::symbolic
