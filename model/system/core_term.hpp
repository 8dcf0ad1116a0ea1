// SPDX-License-Identifier: MIT
#pragma once
// Terms of the core: texts with what folding needs to know. Internal to core.cpp.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace quiesce::core {

// Value bounds of the term; a constant has low == high. Immutable and shared.
struct node {
  std::string text;
  bool constant = false;
  std::int64_t low = 0, high = 0;
  int fewest = 0, most = 64;  // members, of a set
  std::string within;         // text of a set that has all members of this one; empty: not known
};
using term = std::shared_ptr<const node>;

inline constexpr std::int64_t far = std::int64_t{1} << 40;  // beyond: unknown

inline term number(std::int64_t v) { return std::make_shared<node>(node{std::to_string(v), true, v, v}); }
inline term truth(bool b) { return number(b); }
inline term opaque(std::string text, std::int64_t low, std::int64_t high) {
  return std::make_shared<node>(node{std::move(text), false, std::max(low, -far), std::min(high, far)});
}
inline int fewest(const term& t) {
  return t->constant ? __builtin_popcountll(static_cast<std::uint64_t>(t->low)) : t->fewest;
}
inline int most(const term& t) { return t->constant ? __builtin_popcountll(static_cast<std::uint64_t>(t->low)) : t->most; }
// The same set, of which it is known how many members it has.
inline term counted(const term& t, int fewest, int most) {
  if (t->constant || (t->fewest >= fewest && t->most <= most)) return t;
  node n = *t;
  n.fewest = fewest;
  n.most = most;
  return std::make_shared<node>(std::move(n));
}
inline term within(const term& t, std::string whole) {
  if (t->constant || whole.empty()) return t;
  node n = *t;
  n.within = std::move(whole);
  return std::make_shared<node>(std::move(n));
}
inline bool is(const term& t, std::int64_t v) { return t->constant && t->low == v; }
inline bool same(const term& a, const term& b) { return a == b || a->text == b->text; }
inline std::string call(const char* f, const term& a) { return std::string("(") + f + ' ' + a->text + ')'; }
inline std::string call(const char* f, const term& a, const term& b) {
  return std::string("(") + f + ' ' + a->text + ' ' + b->text + ')';
}

inline term negation(const term& a) {
  if (a->constant) return truth(a->low == 0);
  if (a->text.starts_with("(not ")) return opaque(a->text.substr(5, a->text.size() - 6), 0, 1);
  return opaque(call("not", a), 0, 1);
}
inline term both(const term& a, const term& b) {
  if (is(a, 0) || is(b, 1)) return a;
  if (a->constant) return b;
  return opaque(call("and", a, b), 0, 1);
}
inline term either(const term& a, const term& b) {
  if (a->constant) return a->low ? a : b;
  if (is(b, 0)) return a;
  return opaque(call("or", a, b), 0, 1);
}
inline term choice(const term& c, const term& a, const term& b) {
  if (c->constant) return c->low ? a : b;
  if (same(a, b)) return a;
  return counted(
      opaque("(if " + c->text + ' ' + a->text + ' ' + b->text + ')', std::min(a->low, b->low), std::max(a->high, b->high)),
      std::min(fewest(a), fewest(b)), std::max(most(a), most(b)));
}
inline term equality(const term& a, const term& b) {
  if (same(a, b)) return truth(true);
  if (a->high < b->low || b->high < a->low) return truth(false);
  return opaque(call("=", a, b), 0, 1);
}
inline term less(const term& a, const term& b) {
  if (a->high < b->low) return truth(true);
  if (a->low >= b->high) return truth(false);
  return opaque(call("<", a, b), 0, 1);
}
inline term less_equal(const term& a, const term& b) {
  if (a->high <= b->low) return truth(true);
  if (a->low > b->high) return truth(false);
  return opaque(call("<=", a, b), 0, 1);
}

}  // namespace quiesce::core
