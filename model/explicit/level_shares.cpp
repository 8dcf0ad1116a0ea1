// SPDX-License-Identifier: MIT
#include "model/explicit/level_shares.hpp"

#include <algorithm>

namespace quiesce {

namespace {

constexpr std::uint64_t ends(std::uint64_t first, std::uint64_t last) { return first << 32 | last; }

// What a thread takes at a time stands in one page of the seen set.
void cut(seen_set::range r, seen_set::index most, std::vector<seen_set::range>& out) {
  while (r.count) {
    const seen_set::index to_page = seen_set::page_states - r.first % seen_set::page_states;
    const seen_set::index n = std::min({r.count, most, to_page});
    out.push_back({r.first, n});
    r = {r.first + n, r.count - n};
  }
}

}  // namespace

level_shares::level_shares(const std::vector<std::vector<range>>& built, unsigned n, seen_set::index grain) {
  for (unsigned t = 0; t < n; ++t) shares_.push_back(std::make_unique<share>());
  for (std::size_t k = 0; k < built.size(); ++k)
    for (range r : built[k]) cut(r, std::max<seen_set::index>(1, grain), shares_[k % n]->grains);
  for (const auto& s : shares_) grains_ += s->grains.size();
  even_out();
  for (const auto& s : shares_) s->left = ends(0, s->grains.size());
}

// What somebody has beyond the fair part goes to those who have less.
void level_shares::even_out() {
  const std::size_t fair = (grains_ + shares_.size() - 1) / shares_.size();
  std::vector<range> spare;
  for (const auto& s : shares_)
    if (s->grains.size() > fair) {
      spare.insert(spare.end(), s->grains.begin() + static_cast<std::ptrdiff_t>(fair), s->grains.end());
      s->grains.resize(fair);
    }
  std::size_t next = 0;
  for (const auto& s : shares_)
    while (s->grains.size() < fair && next < spare.size()) s->grains.push_back(spare[next++]);
}

std::optional<level_shares::range> level_shares::front(share& s) {
  std::uint64_t seen = s.left.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t first = seen >> 32, last = seen & 0xffffffffu;
    if (first >= last) return std::nullopt;
    if (s.left.compare_exchange_weak(seen, ends(first + 1, last), std::memory_order_relaxed)) return s.grains[first];
  }
}

std::optional<level_shares::range> level_shares::back(share& s) {
  std::uint64_t seen = s.left.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t first = seen >> 32, last = seen & 0xffffffffu;
    if (first >= last) return std::nullopt;
    if (s.left.compare_exchange_weak(seen, ends(first, last - 1), std::memory_order_relaxed)) return s.grains[last - 1];
  }
}

std::optional<level_shares::range> level_shares::take(unsigned t) {
  if (auto own = front(*shares_[t])) return own;
  for (std::size_t k = 1; k < shares_.size(); ++k)
    if (auto other = back(*shares_[(t + k) % shares_.size()])) return other;
  return std::nullopt;
}

void level_shares::drop() {
  for (const auto& s : shares_) s->left = 0;
}

}  // namespace quiesce
