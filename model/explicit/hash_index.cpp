// SPDX-License-Identifier: MIT
#include "model/explicit/hash_index.hpp"

#include <algorithm>
#include <new>

namespace quiesce {

namespace {
constexpr std::size_t segments_in_a_block = 31;  // of 2 MiB
constexpr std::size_t ahead = 12;                // states are fetched so long before they are hashed
}  // namespace

// The directory begins with depth 1 and two segments.
hash_index::hash_index() {
  directories_.push_back(std::make_unique<directory>());
  directory* d = directories_.back().get();
  d->at.reset(new std::atomic<segment*>[2]());
  for (std::size_t i = 0; i < 2; ++i) d->at[i] = fresh(1);
  directory_ = d;
}

hash_index::~hash_index() = default;  // segments are plain data in blocks_

hash_index::segment* hash_index::fresh(std::uint32_t depth) {
  if (pool_.empty()) {
    const bool first = blocks_.empty();
    const std::size_t n = first ? 4 : segments_in_a_block;
    blocks_.push_back(std::make_unique<huge_block>(first ? n * sizeof(segment) : std::size_t{2} << 20, !first));
    static_assert(segments_in_a_block * sizeof(segment) <= std::size_t{2} << 20);
    auto* raw = static_cast<std::byte*>(blocks_.back()->data());
    for (std::size_t i = n; i-- > 0;) pool_.push_back(reinterpret_cast<segment*>(raw + i * sizeof(segment)));
  }
  void* raw = pool_.back();
  pool_.pop_back();
  segments_.fetch_add(1, std::memory_order_relaxed);
  // Pages are zero when mapped; reclaim() clears what it gives back. Clearing here would touch each twice.
  auto* s = static_cast<segment*>(raw);
  s->depth = depth;
  return s;
}

void hash_index::reclaim(std::uint64_t until) {
  std::lock_guard hold(lock_);
  for (; reclaimed_ < until; ++reclaimed_) {
    segment* s = retired_.front();
    retired_.pop_front();
    for (auto& e : s->at) e.store(0, std::memory_order_relaxed);
    s->used = 0;
    s->splitting = false;
    pool_.push_back(s);
    segments_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void hash_index::split(segment* s, const reader& states) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(segment_mask + 1);
  for (auto& e : s->at) {
    entry seen = e.load(std::memory_order_acquire);
    if (seen == 0 && e.compare_exchange_strong(seen, closed)) continue;
    numbers.push_back(number(seen));
  }
  segment* half[2];
  {
    std::lock_guard hold(lock_);
    for (segment*& h : half) h = fresh(s->depth + 1);
  }
  std::uint64_t any = 0;
  std::uint32_t counts[2] = {0, 0};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i + ahead < numbers.size()) states.prefetch(numbers[i + ahead]);
    const std::uint64_t h = states.hash(numbers[i]);
    const std::size_t side = h >> (63 - s->depth) & 1;
    std::uint32_t p = place(h);
    while (half[side]->at[p].load(std::memory_order_relaxed) != 0) p = (p + 1) & segment_mask;
    half[side]->at[p].store(make(h, numbers[i]), std::memory_order_relaxed);
    counts[side] += counted(h);
    any = h;
  }
  for (int i = 0; i < 2; ++i) half[i]->used.store(counts[i], std::memory_order_relaxed);
  std::lock_guard hold(lock_);
  publish(s, half[0], half[1], any);
  retired_.push_back(s);
  retired_count_.fetch_add(1, std::memory_order_release);
}

void hash_index::double_directory() {
  const directory* old = directory_.load();
  auto bigger = std::make_unique<directory>();
  bigger->size = old->size * 2;
  bigger->shift = old->shift - 1;
  bigger->at.reset(new std::atomic<segment*>[bigger->size]());
  for (std::size_t i = 0; i < bigger->size; ++i) bigger->at[i].store(old->at[i / 2].load(), std::memory_order_relaxed);
  directory_.store(bigger.get(), std::memory_order_release);
  directories_.push_back(std::move(bigger));  // the old one may be in use; all together are no more than twice the last
}

void hash_index::publish(segment* old, segment* low, segment* high, std::uint64_t hash) {
  if (63 - directory_.load()->shift == old->depth) double_directory();
  directory* d = directory_.load();
  const std::uint32_t depth = 63 - d->shift;
  const std::size_t span = std::size_t{1} << (depth - old->depth);
  const std::size_t first = (hash >> 1 >> d->shift) / span * span;
  for (std::size_t i = 0; i < span; ++i) d->at[first + i].store(i < span / 2 ? low : high, std::memory_order_release);
}

}  // namespace quiesce
