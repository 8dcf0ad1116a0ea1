// SPDX-License-Identifier: MIT
#include "model/inference/clauses.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace quiesce::inference {

namespace {

struct hash_of_row {
  std::size_t operator()(const row& r) const {
    std::uint64_t h = 0;
    for (const std::uint64_t w : r) h = (h ^ w) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return static_cast<std::size_t>(h);
  }
};

bool truth(const row& r, std::uint32_t a) { return (r[a / 64] >> (a % 64) & 1) != 0; }

// Sets of rows, by literal: those where it is false.
class finder {
 public:
  using rows = std::vector<std::uint64_t>;

  finder(const vocabulary& v, const std::vector<row>& all, std::size_t length, const std::function<bool()>& enough)
      : vocabulary_(v), length_(length), enough_(enough), words_((all.size() + 63) / 64) {
    false_.assign(2 * v.atoms.size(), rows(words_, 0));
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::uint32_t a = 0; a < v.atoms.size(); ++a)
        false_[2 * a + (truth(all[i], a) ? 1 : 0)][i / 64] |= std::uint64_t{1} << (i % 64);
  }

  std::vector<clause> run() {
    rows all(words_, 0);
    for (const rows& r : false_)
      for (std::size_t w = 0; w < words_; ++w) all[w] |= r[w];
    for (std::size_t n = 1; n <= length_ && !stopped_; ++n) {
      clause c;
      extend(c, all, n, 0);
    }
    const auto weight = [&](const clause& c) {
      unsigned out = 0;
      for (const std::uint32_t l : c) out += vocabulary_.atoms[l / 2].weight;
      return out;
    };
    std::stable_sort(out_.begin(), out_.end(), [&](const clause& a, const clause& b) {
      return a.size() != b.size() ? a.size() < b.size() : weight(a) < weight(b);
    });
    return std::move(out_);
  }

 private:
  static bool none(const rows& r) {
    return std::all_of(r.begin(), r.end(), [](std::uint64_t w) { return w == 0; });
  }

  // Clauses of exactly n literals; those that hold with fewer were found before.
  void extend(clause& c, const rows& left, std::size_t n, std::uint32_t from) {
    if ((++steps_ & 1023u) == 0 && enough_()) stopped_ = true;
    for (std::uint32_t l = from; l < false_.size() && !stopped_; ++l) {
      if (!c.empty() && c.back() / 2 == l / 2) continue;
      rows rest(words_);
      bool empty = true;
      for (std::size_t w = 0; w < words_; ++w) empty &= (rest[w] = left[w] & false_[l][w]) == 0;
      c.push_back(l);
      if (empty) {
        if (c.size() == n && minimal(c)) out_.push_back(c);
      } else if (c.size() < n) {
        extend(c, rest, n, l + 1);
      }
      c.pop_back();
    }
  }

  bool minimal(const clause& c) const {
    for (std::size_t without = 0; without < c.size() && c.size() > 1; ++without) {
      bool some = false;
      for (std::size_t w = 0; w < words_ && !some; ++w) {
        std::uint64_t both = ~std::uint64_t{0};
        for (std::size_t k = 0; k < c.size(); ++k)
          if (k != without) both &= false_[c[k]][w];
        some = both != 0;
      }
      if (!some) return false;
    }
    return true;
  }

  const vocabulary& vocabulary_;
  std::size_t length_;
  const std::function<bool()>& enough_;
  std::size_t words_;
  std::vector<rows> false_;
  std::vector<clause> out_;
  std::uint64_t steps_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::vector<row> rows_of(const vocabulary& v, const shape& s, const std::vector<state>& states, std::size_t most_choices) {
  std::vector<std::string> names;
  std::size_t choices = 1;
  for (const variable& x : v.variables) {
    names.push_back(x.name);
    choices *= s.size[x.sort];
  }
  if (choices == 0 || states.empty()) return {};
  std::vector<term> atoms;
  for (const atom& a : v.atoms) atoms.emplace_back(s, a.condition, names);
  const std::size_t stride = std::max<std::size_t>(1, states.size() * choices / std::max<std::size_t>(1, most_choices));
  std::unordered_set<row, hash_of_row> seen;
  std::vector<row> out;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < states.size(); i += stride)
    for (std::size_t c = 0; c < choices; ++c) {
      values.assign(names.size(), 0);
      std::size_t rest = c;
      for (std::size_t k = 0; k < names.size(); ++k) {
        values[k] = static_cast<std::int64_t>(rest % s.size[v.variables[k].sort]);
        rest /= s.size[v.variables[k].sort];
      }
      row r{};
      for (std::uint32_t a = 0; a < atoms.size(); ++a)
        if (atoms[a](states[i], values) != 0) r[a / 64] |= std::uint64_t{1} << (a % 64);
      if (seen.insert(r).second) out.push_back(r);
    }
  return out;
}

bool falsified(const clause& c, const std::vector<row>& all) {
  for (const row& r : all) {
    bool every = true;
    for (const std::uint32_t l : c) every &= truth(r, l / 2) == (l % 2 == 1);
    if (every) return true;
  }
  return false;
}

std::vector<clause> true_clauses(const vocabulary& v, const std::vector<row>& rows, std::size_t length,
                                 const std::function<bool()>& enough) {
  return finder(v, rows, length, enough).run();
}

namespace {

std::uint64_t variables_of(const vocabulary& v, const clause& c) {
  std::uint64_t used = 0;
  for (const std::uint32_t l : c) used |= v.atoms[l / 2].variables;
  return used;
}

node word(const char* text) {
  node n;
  n.atom = true;
  n.text = text;
  return n;
}

}  // namespace

node node_of(const core& c, const vocabulary& v, const clause& all) {
  node body;
  for (const std::uint32_t l : all) {
    node here = v.atoms[l / 2].condition;
    if (l % 2 == 1) {
      node negated;
      negated.kids = {word("not"), here};
      here = negated;
    }
    if (body.kids.empty()) {
      body = here;
      continue;
    }
    node both;
    both.kids = {word("or"), body, here};
    body = both;
  }
  return universally(c, v.variables, variables_of(v, all), body);
}

std::string text_of(const core& c, const vocabulary& v, const clause& all) {
  std::vector<std::string> if_all, then_some, bound;
  for (const std::uint32_t l : all) (l % 2 == 1 ? if_all : then_some).push_back(v.atoms[l / 2].text);
  const std::uint64_t used = variables_of(v, all);
  for (std::size_t k = 0; k < v.variables.size(); ++k)
    if ((used >> k & 1) != 0) bound.push_back(fmt::format("{}: {}", v.variables[k].name, c.sorts[v.variables[k].sort].name));
  std::string out = bound.empty() ? "" : fmt::format("for all {} :\n", fmt::join(bound, ", "));
  if (then_some.empty() && if_all.size() == 1) return out + fmt::format("invariant !({})", if_all[0]);
  if (then_some.empty()) {
    const std::string last = if_all.back();
    if_all.pop_back();
    return out + fmt::format("invariant ({}) => !({})", fmt::join(if_all, ") && ("), last);
  }
  const std::string then = fmt::format("({})", fmt::join(then_some, ") || ("));
  return out +
         (if_all.empty() ? "invariant " + then : fmt::format("invariant ({}) => {}", fmt::join(if_all, ") && ("), then));
}

}  // namespace quiesce::inference
