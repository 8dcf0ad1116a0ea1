// SPDX-License-Identifier: MIT
#include "model/symbolic/number.hpp"

#include <algorithm>
#include <stdexcept>

namespace quiesce::symbolic {

namespace {

// Drops copies of the sign.
number narrowed(number a) {
  while (a.size() > 1 && a[a.size() - 1] == a[a.size() - 2]) a.pop_back();
  if (a.size() > widest) throw std::length_error("a number of more than 80 bits");
  return a;
}

}  // namespace

number constant(std::int64_t v) {
  number out;
  for (int i = 0; i < 64; ++i) out.push_back((v >> i & 1) != 0 ? always_true : always_false);
  return narrowed(std::move(out));
}

number of_condition(literal c) { return narrowed({c, always_false}); }

literal as_condition(circuit& g, const number& a) { return any_of(g, a); }

number unsigned_number(std::vector<literal> bits) {
  bits.push_back(always_false);
  return narrowed(std::move(bits));
}

number unsigned_constant(std::uint64_t v) {
  std::vector<literal> bits;
  for (int i = 0; i < 64; ++i) bits.push_back((v >> i & 1) != 0 ? always_true : always_false);
  return unsigned_number(std::move(bits));
}

number add(circuit& g, const number& a, const number& b, literal carry) {
  number out;
  const std::size_t n = std::max(a.size(), b.size()) + 1;
  for (std::size_t i = 0; i < n; ++i) {
    const literal x = bit(a, i), y = bit(b, i);
    const literal differ = g.same(x, y) ^ 1u;
    out.push_back(g.same(differ, carry) ^ 1u);
    carry = g.choice(differ, carry, x);
  }
  return narrowed(std::move(out));
}

number bitwise_not(const number& a) {
  number out;
  for (literal x : a) out.push_back(x ^ 1u);
  return out;
}

number negate(circuit& g, const number& a) { return add(g, bitwise_not(a), constant(0), always_true); }
number subtract(circuit& g, const number& a, const number& b) { return add(g, a, bitwise_not(b), always_true); }

number multiply(circuit& g, const number& a, const number& b) {
  number out = constant(0);
  for (std::size_t i = 0; i < b.size(); ++i) {
    number part(i, always_false);
    for (literal x : a) part.push_back(g.both(x, b[i]));
    out = i + 1 == b.size() ? subtract(g, out, part) : add(g, out, part);
  }
  return out;
}

number divide(circuit& g, const number& a, std::uint64_t by) {
  // Long division from the top; the remainder stays below `by`.
  const number divisor = unsigned_constant(by);
  number rest = constant(0);
  number out(a.size(), always_false);
  for (std::size_t i = a.size() - 1; i-- > 0;) {
    rest.insert(rest.begin(), a[i]);
    const literal fits = less(g, rest, divisor) ^ 1u;
    out[i] = fits;
    rest = choice(g, fits, subtract(g, rest, divisor), rest);
  }
  return narrowed(std::move(out));
}

number choice(circuit& g, literal c, const number& a, const number& b) {
  number out;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) out.push_back(g.choice(c, bit(a, i), bit(b, i)));
  return narrowed(std::move(out));
}

literal equal(circuit& g, const number& a, const number& b) {
  literal out = always_true;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) out = g.both(out, g.same(bit(a, i), bit(b, i)));
  return out;
}

literal less(circuit& g, const number& a, const number& b) { return subtract(g, a, b).back(); }

number bitwise_and(circuit& g, const number& a, const number& b) {
  number out;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) out.push_back(g.both(bit(a, i), bit(b, i)));
  return narrowed(std::move(out));
}

number bitwise_or(circuit& g, const number& a, const number& b) {
  return narrowed(bitwise_not(bitwise_and(g, bitwise_not(a), bitwise_not(b))));
}

number count(circuit& g, const std::vector<literal>& all) {
  number out = constant(0);
  for (literal a : all) out = add(g, out, of_condition(a));
  return out;
}

}  // namespace quiesce::symbolic
