// SPDX-License-Identifier: MIT
#include "model/symbolic/binary.hpp"

#include <algorithm>

#include "model/symbolic/number.hpp"

namespace quiesce::symbolic {

namespace {

literal bit(const binary& a, std::size_t i) { return i < a.size() ? a[i] : a.back(); }

}  // namespace

binary narrowed(binary a) {
  while (a.size() > 1 && a[a.size() - 1] == a[a.size() - 2]) a.pop_back();
  if (a.size() > widest) throw too_wide();
  return a;
}

binary inverted(binary a) {
  for (literal& x : a) x ^= 1u;
  return a;
}

binary add(circuit& g, const binary& a, const binary& b, literal carry) {
  binary out;
  const std::size_t n = std::max(a.size(), b.size()) + 1;
  for (std::size_t i = 0; i < n; ++i) {
    const literal x = bit(a, i), y = bit(b, i);
    const literal differ = g.same(x, y) ^ 1u;
    out.push_back(g.same(differ, carry) ^ 1u);
    carry = g.choice(differ, carry, x);
  }
  return narrowed(std::move(out));
}

binary subtract(circuit& g, const binary& a, const binary& b) { return add(g, a, inverted(b), always_true); }

binary multiply(circuit& g, const binary& a, const binary& b) {
  binary out{always_false};
  for (std::size_t i = 0; i < b.size(); ++i) {
    binary part(i, always_false);
    for (literal x : a) part.push_back(g.both(x, b[i]));
    out = i + 1 == b.size() ? subtract(g, out, part) : add(g, out, part, always_false);
  }
  return out;
}

// Long division from the top; the remainder stays below `by`.
binary divide(circuit& g, const binary& a, std::uint64_t by) {
  binary divisor;
  for (int i = 0; i < 64; ++i) divisor.push_back((by >> i & 1) != 0 ? always_true : always_false);
  divisor.push_back(always_false);
  divisor = narrowed(std::move(divisor));
  binary rest{always_false}, out(a.size(), always_false);
  for (std::size_t i = a.size() - 1; i-- > 0;) {
    rest.insert(rest.begin(), a[i]);
    const binary left = subtract(g, rest, divisor);
    out[i] = left.back() ^ 1u;
    rest = choice(g, out[i], left, rest);
  }
  return narrowed(std::move(out));
}

binary choice(circuit& g, literal c, const binary& a, const binary& b) {
  binary out;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) out.push_back(g.choice(c, bit(a, i), bit(b, i)));
  return narrowed(std::move(out));
}

binary both(circuit& g, const binary& a, const binary& b) {
  binary out;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) out.push_back(g.both(bit(a, i), bit(b, i)));
  return narrowed(std::move(out));
}

literal equal(circuit& g, const binary& a, const binary& b) {
  literal out = always_true;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) out = g.both(out, g.same(bit(a, i), bit(b, i)));
  return out;
}

}  // namespace quiesce::symbolic
