// SPDX-License-Identifier: MIT
#include "model/system/core_merge.hpp"

#include <algorithm>

namespace quiesce::core {

namespace {

std::size_t common(const std::vector<term>& a, const std::vector<term>& b) {
  std::size_t k = 0;
  while (k < a.size() && k < b.size() && same(a[k], b[k])) ++k;
  return k;
}

term all_of(const std::vector<term>& terms, std::size_t from) {
  term out = truth(true);
  for (std::size_t k = from; k < terms.size(); ++k) out = both(out, terms[k]);
  return out;
}

// choice() of truths.
term truth_choice(const term& c, const term& a, const term& b) {
  if (c->constant) return c->low ? a : b;
  if (same(a, b)) return a;
  if (is(a, 1)) return either(c, b);
  if (is(a, 0)) return both(negation(c), b);
  if (is(b, 1)) return either(negation(c), a);
  if (is(b, 0)) return both(c, a);
  return choice(c, a, b);
}

bool negates(const term& a, const term& b) { return a->text == "(not " + b->text + ')'; }

// Of two paths a and b: is a the one that is taken?
class pair {
 public:
  pair(expressions& e, const path& a, const path& b) : e_(e), a_(a), b_(b) {}

  path run() {
    out_.pc = a_.pc;
    out_.executed = std::max(a_.executed, b_.executed);
    guard();
    for (const auto& [t, v] : a_.temps) out_.temps[t] = e_.named(choice(first_, v, temp(b_, t)));
    for (const auto& [t, v] : b_.temps)
      if (!a_.temps.count(t)) out_.temps[t] = e_.named(choice(first_, number(0), v));
    for (const auto& [v, all] : a_.writes) writes(v);
    for (const auto& [v, all] : b_.writes)
      if (!a_.writes.count(v)) writes(v);
    effects();
    for (const term& t : out_.assumed) out_.length += t->text.size();
    return std::move(out_);
  }

 private:
  static term temp(const path& x, temp_id t) {
    const auto at = x.temps.find(t);
    return at == x.temps.end() ? number(0) : at->second;
  }

  void guard() {
    const std::size_t k = common(a_.assumed, b_.assumed);
    out_.assumed.assign(a_.assumed.begin(), a_.assumed.begin() + static_cast<std::ptrdiff_t>(k));
    const bool parted = k < a_.assumed.size() && k < b_.assumed.size();
    term left, right;
    if (parted && (negates(a_.assumed[k], b_.assumed[k]) || negates(b_.assumed[k], a_.assumed[k]))) {
      first_ = a_.assumed[k];
      left = e_.named(all_of(a_.assumed, k + 1));
      right = e_.named(all_of(b_.assumed, k + 1));
    } else {
      first_ = e_.named(all_of(a_.assumed, k));
      left = truth(true);
      right = e_.named(all_of(b_.assumed, k));
    }
    out_.params = a_.params;
    zeros(a_.params, b_.params, first_);
    for (const std::string& p : zeros(b_.params, a_.params, negation(first_))) out_.params.push_back(p);
    const term rest = e_.named(truth_choice(first_, left, right));
    if (!is(rest, 1)) out_.assumed.push_back(rest);
  }

  // Parameters of `of` that the other path does not have are 0 where this one is not taken.
  std::vector<std::string> zeros(const std::vector<std::string>& of, const std::vector<std::string>& others,
                                 const term& taken) {
    std::vector<std::string> only;
    for (const std::string& p : of) {
      if (std::find(others.begin(), others.end(), p) != others.end()) continue;
      only.push_back(p);
      const term zero = opaque('(' + std::string("= ") + p.substr(1, p.find(' ') - 1) + " 0)", 0, 1);
      out_.assumed.push_back(e_.named(either(taken, zero)));
    }
    return only;
  }

  static const std::vector<write>& of(const path& x, variable_id v) {
    static const std::vector<write> none;
    const auto at = x.writes.find(v);
    return at == x.writes.end() ? none : at->second;
  }
  static const write* at_same_place(const std::vector<write>& all, const write& w) {
    for (const write& o : all)
      if (is(expressions::same_place(o.index, w.index), 1)) return &o;
    return nullptr;
  }
  static bool constant(const write& w) {
    return is(w.when, 1) && std::all_of(w.index.begin(), w.index.end(), [](const term& t) { return t->constant; });
  }

  // All writes of a path to one place agree, so their order makes no difference.
  void writes(variable_id v) {
    std::vector<write>& out = out_.writes[v];
    for (const write& w : of(a_, v)) {
      if (const write* o = at_same_place(of(b_, v), w)) {
        out.push_back(
            {w.index, e_.named(choice(first_, w.value, o->value)), {}, e_.named(truth_choice(first_, w.when, o->when))});
      } else if (constant(w)) {
        out.push_back({w.index, e_.named(choice(first_, w.value, e_.load(b_, v, w.index))), {}});
      } else {
        out.push_back({w.index, w.value, {}, e_.named(both(first_, w.when))});
      }
    }
    for (const write& w : of(b_, v)) {
      if (at_same_place(of(a_, v), w)) continue;
      if (constant(w))
        out.push_back({w.index, e_.named(choice(first_, e_.load(a_, v, w.index), w.value)), {}});
      else
        out.push_back({w.index, w.value, {}, e_.named(both(negation(first_), w.when))});
    }
  }

  void effects() {
    for (const auto& [word, when] : a_.effects)
      out_.effects.emplace_back(word, e_.named(truth_choice(first_, when, effect(b_, word))));
    for (const auto& [word, when] : b_.effects)
      if (is(effect(a_, word), 0)) out_.effects.emplace_back(word, e_.named(truth_choice(first_, truth(false), when)));
  }
  static term effect(const path& x, const std::string& word) {
    for (const auto& [w, when] : x.effects)
      if (w == word) return when;
    return truth(false);
  }

  expressions& e_;
  const path &a_, &b_;
  term first_;
  path out_;
};

bool before(const path& a, const path& b) {
  return std::lexicographical_compare(a.assumed.begin(), a.assumed.end(), b.assumed.begin(), b.assumed.end(),
                                      [](const term& x, const term& y) { return x->text < y->text; });
}

}  // namespace

path merged(expressions& e, const path& a, const path& b) { return pair(e, a, b).run(); }

path merged(expressions& e, std::vector<path> all) {
  std::sort(all.begin(), all.end(), before);
  std::vector<std::size_t> shared;  // [k]: what all[k] and all[k + 1] have in common
  for (std::size_t k = 0; k + 1 < all.size(); ++k) shared.push_back(common(all[k].assumed, all[k + 1].assumed));
  while (all.size() > 1) {
    const auto longest = std::max_element(shared.begin(), shared.end());
    const std::ptrdiff_t at = longest - shared.begin();
    const auto here = all.begin() + at;
    *here = merged(e, *here, *(here + 1));
    all.erase(here + 1);
    shared.erase(longest);
    const auto k = static_cast<std::size_t>(at);
    if (k > 0) shared[k - 1] = common(all[k - 1].assumed, all[k].assumed);
    if (k < shared.size()) shared[k] = common(all[k].assumed, all[k + 1].assumed);
  }
  return std::move(all[0]);
}

}  // namespace quiesce::core
