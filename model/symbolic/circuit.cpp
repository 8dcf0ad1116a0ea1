// SPDX-License-Identifier: MIT
#include "model/symbolic/circuit.hpp"

#include <utility>

namespace quiesce::symbolic {

literal circuit::input() {
  nodes_.push_back({0, 0, true});
  return (size() - 1) << 1;
}

literal circuit::both(literal a, literal b) {
  if (a > b) std::swap(a, b);
  if (a == always_false || a == (b ^ 1u)) return always_false;
  if (a == always_true || a == b) return b;
  // a & (a & c) is a & c; a & !(!a & c) is a: one level of look-through catches most of what merging branches repeats.
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    const gate& g = nodes_[node_of(y)];
    if (g.is_input || node_of(y) == 0) continue;
    if (!negated(y)) {
      if (g.a == x || g.b == x) return y;
      if (g.a == (x ^ 1u) || g.b == (x ^ 1u)) return always_false;
    } else {
      if (g.a == (x ^ 1u) || g.b == (x ^ 1u)) return x;
      if (g.a == x) return both(x, g.b ^ 1u);
      if (g.b == x) return both(x, g.a ^ 1u);
    }
  }
  const auto [it, fresh] = gates_.try_emplace(std::uint64_t{a} << 32 | b, size() << 1);
  if (fresh) nodes_.push_back({a, b, false});
  return it->second;
}

literal circuit::choice(literal c, literal yes, literal no) {
  if (yes == no || c == always_true) return yes;
  if (c == always_false) return no;
  if (yes == always_true || yes == c) return either(c, no);
  if (yes == always_false || yes == (c ^ 1u)) return both(c ^ 1u, no);
  if (no == always_false || no == c) return both(c, yes);
  if (no == always_true || no == (c ^ 1u)) return either(c ^ 1u, yes);
  return either(both(c, yes), both(c ^ 1u, no));
}

literal any_of(circuit& c, const std::vector<literal>& all) {
  literal out = always_false;
  for (literal a : all) out = c.either(out, a);
  return out;
}

literal exactly_one(circuit& c, const std::vector<literal>& all) {
  literal one = always_false, more = always_false;
  for (literal a : all) {
    more = c.either(more, c.both(one, a));
    one = c.either(one, a);
  }
  return c.both(one, more ^ 1u);
}

literal substitution::of(literal wanted) {
  std::vector<std::uint32_t> todo{node_of(wanted)};
  while (!todo.empty()) {
    const std::uint32_t n = todo.back();
    if (image_[n] != unknown) {
      todo.pop_back();
      continue;
    }
    const circuit::gate& g = from_.at(n);
    if (g.is_input) {
      image_[n] = to_.input();
      continue;
    }
    const literal a = image_[node_of(g.a)], b = image_[node_of(g.b)];
    if (a == unknown) todo.push_back(node_of(g.a));
    if (b == unknown) todo.push_back(node_of(g.b));
    if (a == unknown || b == unknown) continue;
    image_[n] = to_.both(a ^ (g.a & 1u), b ^ (g.b & 1u));
  }
  return image_[node_of(wanted)] ^ (wanted & 1u);
}

}  // namespace quiesce::symbolic
