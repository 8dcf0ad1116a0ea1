// SPDX-License-Identifier: MIT
#include "model/explicit/hash_index.hpp"

#include <algorithm>
#include <new>

namespace quiesce {

namespace {
constexpr std::size_t segments_in_a_block = 31;  // of 2 MiB
}  // namespace

// The directory begins with depth 1 and two segments.
hash_index::hash_index() {
  directories_.push_back(std::make_unique<directory>());
  directory* d = directories_.back().get();
  d->at.reset(new std::atomic<segment*>[2]());
  for (std::uint64_t i = 0; i < 2; ++i) d->at[i] = fresh(1, i << 63);
  directory_ = d;
}

hash_index::~hash_index() = default;  // segments are plain data in blocks_

void hash_index::add_block() {
  const bool first = blocks_.empty();
  const std::size_t n = first ? 4 : segments_in_a_block;
  blocks_.push_back(std::make_unique<huge_block>(first ? n * sizeof(segment) : std::size_t{2} << 20, !first));
  static_assert(segments_in_a_block * sizeof(segment) <= std::size_t{2} << 20);
  auto* raw = static_cast<std::byte*>(blocks_.back()->data());
  for (std::size_t i = n; i-- > 0;) {
    auto* s = reinterpret_cast<segment*>(raw + i * sizeof(segment));
    s->next = pool_;
    pool_ = s;
  }
}

hash_index::segment* hash_index::fresh(std::uint32_t depth, std::uint64_t prefix) {
  if (!pool_) add_block();
  segment* s = pool_;
  pool_ = s->next;
  segments_.fetch_add(1, std::memory_order_relaxed);
  // Pages are zero when mapped; reclaim() clears what it gives back. Clearing here would touch each twice.
  s->depth = depth;
  s->prefix = prefix;
  return s;
}

void hash_index::reclaim(std::uint64_t until) {
  std::lock_guard hold(lock_);
  for (; reclaimed_ < until; ++reclaimed_) {
    segment* s = first_retired_;
    first_retired_ = s->next;
    for (auto& e : s->at) e.store(0, std::memory_order_relaxed);
    s->used = 0;
    s->splitting = false;
    s->next = pool_;
    pool_ = s;
    segments_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void hash_index::split(segment* s, const reader& states) {
  half halves[2];
  prepare(s, halves);
  for (std::uint32_t at = 0; at <= segment_mask; ++at) {
    entry e = s->at[at].load(std::memory_order_acquire);
    if (e == 0 && s->at[at].compare_exchange_strong(e, closed)) continue;
    deal(e, at, s->depth, halves, states);
  }
  for (const half& h : halves) h.to->used.store(h.used, std::memory_order_relaxed);
  std::lock_guard hold(lock_);
  publish(s, halves[0].to, halves[1].to);
  s->next = nullptr;
  (retired_count_ == reclaimed_ ? first_retired_ : last_retired_->next) = s;
  last_retired_ = s;
  retired_count_.fetch_add(1, std::memory_order_release);
}

// All that may fail for want of memory, before the first entry is closed: other threads wait for the end of what has begun.
void hash_index::prepare(segment* s, half (&halves)[2]) try {
  std::lock_guard hold(lock_);
  if (63 - directory_.load()->shift == s->depth) double_directory();
  for (std::uint64_t side : {0, 1}) halves[side] = {fresh(s->depth + 1, s->prefix | side << (63 - s->depth)), 0};
} catch (...) {
  s->splitting = false;
  throw;
}

// Into its half, the entry that stands at `at` of a segment.
void hash_index::deal(entry e, std::uint32_t at, std::uint32_t depth, half (&halves)[2], const reader& states) {
  const std::uint32_t distance = static_cast<std::uint32_t>(e >> 32) & far;
  if (distance < far && depth < leading) return move(e, (at - distance) & segment_mask, halves[e >> (63 - depth) & 1]);
  const std::uint64_t h = states.hash(number(e));
  move(e, place(h), halves[h >> (63 - depth) & 1]);
}

// Into this half, an entry the hash of which has the place `home`.
void hash_index::move(entry e, std::uint32_t home, half& h) {
  std::uint32_t distance = 0;
  while (h.to->at[(home + distance) & segment_mask].load(std::memory_order_relaxed) != 0) ++distance;
  e = (e & ~(entry{far} << 32)) | entry{std::min(distance, far)} << 32;
  h.to->at[(home + distance) & segment_mask].store(e, std::memory_order_relaxed);
  h.used += counted(e >> tag_shift);
}

void hash_index::double_directory() {
  const directory* old = directory_.load();
  directories_.push_back(std::make_unique<directory>());  // old ones may be in use; all are no more than twice the last
  directory* bigger = directories_.back().get();
  bigger->size = old->size * 2;
  bigger->shift = old->shift - 1;
  bigger->at.reset(new std::atomic<segment*>[bigger->size]());
  for (std::size_t i = 0; i < bigger->size; ++i) bigger->at[i].store(old->at[i / 2].load(), std::memory_order_relaxed);
  directory_.store(bigger, std::memory_order_release);
}

void hash_index::publish(const segment* old, segment* low, segment* high) {
  const directory* d = directory_.load();
  const std::uint32_t depth = 63 - d->shift;
  const std::size_t span = std::size_t{1} << (depth - old->depth);
  const std::size_t first = old->prefix >> 1 >> d->shift;
  for (std::size_t i = 0; i < span; ++i) d->at[first + i].store(i < span / 2 ? low : high, std::memory_order_release);
}

}  // namespace quiesce
