// SPDX-License-Identifier: MIT
#include "model/symbolic/number.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "model/symbolic/binary.hpp"

namespace quiesce::symbolic {

namespace {

constexpr std::int64_t most_factor = std::int64_t{1} << 30;

number in_binary(binary b) { return {{}, std::move(b)}; }

number from_map(const std::map<std::int64_t, literal>& values) {
  number out;
  for (const auto& [v, c] : values)
    if (c != always_false) out.cases.emplace_back(v, c);
  if (out.cases.empty()) out.cases.emplace_back(0, always_true);  // on a path that does not exist
  return out;
}

// f(a, b) case by case, or nothing where that would be too many.
template <class F>
std::optional<number> by_cases(circuit& g, const number& a, const number& b, F f) {
  if (a.cases.empty() || b.cases.empty() || a.cases.size() * b.cases.size() > 4 * most_cases) return std::nullopt;
  std::map<std::int64_t, literal> values;
  for (const auto& [x, cx] : a.cases)
    for (const auto& [y, cy] : b.cases) {
      literal& c = values.try_emplace(f(x, y), always_false).first->second;
      c = g.either(c, g.both(cx, cy));
    }
  if (values.size() > most_cases) return std::nullopt;
  return from_map(values);
}

}  // namespace

number constant(std::int64_t v) { return {{{v, always_true}}, {}}; }

number of_condition(literal c) {
  if (c <= always_true) return constant(c);
  return {{{0, c ^ 1u}, {1, c}}, {}};
}

literal as_condition(circuit& g, const number& a) {
  if (a.cases.empty()) return any_of(g, a.bits);
  literal out = always_false;
  for (const auto& [v, c] : a.cases)
    if (v != 0) out = g.either(out, c);
  return out;
}

number of_bits(std::vector<literal> bits) {
  bits.push_back(always_false);
  return in_binary(narrowed(std::move(bits)));
}

number of_mask(std::uint64_t v) {
  std::vector<literal> bits;
  for (int i = 0; i < 64; ++i) bits.push_back((v >> i & 1) != 0 ? always_true : always_false);
  return of_bits(std::move(bits));
}

number of_code(circuit& g, const std::vector<literal>& bits, std::uint64_t codes) {
  if (codes > most_cases) return of_bits(bits);
  std::map<std::int64_t, literal> values;
  for (std::uint64_t v = 0; v < codes; ++v) {
    literal c = always_true;
    for (std::size_t b = 0; b < bits.size(); ++b) c = g.both(c, (v >> b & 1) != 0 ? bits[b] : bits[b] ^ 1u);
    values[static_cast<std::int64_t>(v)] = c;
  }
  return from_map(values);
}

std::vector<literal> bits_of(circuit& g, const number& a) {
  if (a.cases.empty()) return a.bits;
  std::vector<literal> out(64, always_false);
  for (const auto& [v, c] : a.cases)
    for (int i = 0; i < 64; ++i)
      if ((v >> i & 1) != 0) out[static_cast<std::size_t>(i)] = g.either(out[static_cast<std::size_t>(i)], c);
  return narrowed(std::move(out));
}

number add(circuit& g, const number& a, const number& b) {
  if (auto out = by_cases(g, a, b, [](std::int64_t x, std::int64_t y) { return x + y; })) return *out;
  return in_binary(add(g, bits_of(g, a), bits_of(g, b), always_false));
}

number negate(circuit& g, const number& a) { return subtract(g, constant(0), a); }

number subtract(circuit& g, const number& a, const number& b) {
  if (auto out = by_cases(g, a, b, [](std::int64_t x, std::int64_t y) { return x - y; })) return *out;
  return in_binary(subtract(g, bits_of(g, a), bits_of(g, b)));
}

number multiply(circuit& g, const number& a, const number& b) {
  const auto small = [](const number& n) {
    return std::all_of(n.cases.begin(), n.cases.end(), [](const auto& c) {
      const std::int64_t v = c.first;
      return -most_factor < v && v < most_factor;
    });
  };
  if (small(a) && small(b))
    if (auto out = by_cases(g, a, b, [](std::int64_t x, std::int64_t y) { return x * y; })) return *out;
  return in_binary(multiply(g, bits_of(g, a), bits_of(g, b)));
}

number divide(circuit& g, const number& a, std::uint64_t by) {
  const auto quotient = [&](std::int64_t x, std::int64_t) { return x / static_cast<std::int64_t>(by); };
  if (auto out = by_cases(g, a, constant(0), quotient)) return *out;
  return in_binary(divide(g, bits_of(g, a), by));
}

number choice(circuit& g, literal c, const number& a, const number& b) {
  if (c == always_true || a == b) return a;
  if (c == always_false) return b;
  if (!a.cases.empty() && !b.cases.empty()) {
    std::map<std::int64_t, literal> values;
    for (const auto& [v, cv] : a.cases) values[v] = g.both(c, cv);
    for (const auto& [v, cv] : b.cases) {
      const auto at = std::find_if(a.cases.begin(), a.cases.end(), [v = v](const auto& x) { return x.first == v; });
      values[v] = g.choice(c, at == a.cases.end() ? always_false : at->second, cv);
    }
    if (values.size() <= most_cases) return from_map(values);
  }
  return in_binary(choice(g, c, bits_of(g, a), bits_of(g, b)));
}

literal is(circuit& g, const number& a, std::int64_t v) {
  if (a.cases.empty()) return equal(g, a.bits, bits_of(g, constant(v)));
  for (const auto& [x, c] : a.cases)
    if (x == v) return c;
  return always_false;
}

literal equal(circuit& g, const number& a, const number& b) {
  if (a.cases.empty() || b.cases.empty()) return equal(g, bits_of(g, a), bits_of(g, b));
  literal out = always_false;
  for (const auto& [v, c] : a.cases) out = g.either(out, g.both(c, is(g, b, v)));
  return out;
}

literal less(circuit& g, const number& a, const number& b) {
  if (a.cases.empty() || b.cases.empty() || a.cases.size() * b.cases.size() > 4 * most_cases)
    return subtract(g, bits_of(g, a), bits_of(g, b)).back();
  literal out = always_false;
  for (const auto& [y, cy] : b.cases) {
    literal below = always_false;
    for (const auto& [x, cx] : a.cases)
      if (x < y) below = g.either(below, cx);
    out = g.either(out, g.both(cy, below));
  }
  return out;
}

number count(circuit& g, const std::vector<literal>& all) {
  number out = constant(0);
  for (literal a : all) out = add(g, out, of_condition(a));
  return out;
}

number unite(circuit& g, const number& a, const number& b) {
  return in_binary(inverted(both(g, inverted(bits_of(g, a)), inverted(bits_of(g, b)))));
}
number intersect(circuit& g, const number& a, const number& b) { return in_binary(both(g, bits_of(g, a), bits_of(g, b))); }
number complement(circuit& g, const number& a) { return in_binary(inverted(bits_of(g, a))); }

literal contains(circuit& g, const number& set, const number& element) {
  const std::vector<literal> bits = bits_of(g, set);
  literal out = always_false;
  for (std::size_t i = 0; i + 1 < bits.size(); ++i)
    out = g.either(out, g.both(bits[i], is(g, element, static_cast<std::int64_t>(i))));
  return out;
}

number singleton(circuit& g, const number& element) {
  std::vector<literal> bits;
  for (std::int64_t i = 0; i < 64; ++i) bits.push_back(is(g, element, i));
  return of_bits(std::move(bits));
}

}  // namespace quiesce::symbolic
