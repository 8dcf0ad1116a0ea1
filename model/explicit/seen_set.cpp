// SPDX-License-Identifier: MIT
#include "model/explicit/seen_set.hpp"

#include <cstring>
#include <stdexcept>

namespace quiesce {

namespace {
constexpr std::size_t first_capacity = 64;
constexpr std::size_t chunk_count = std::size_t{1} << 16;

// Folded 128-bit multiplication, as in wyhash.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(p) ^ static_cast<std::uint64_t>(p >> 64);
}
}  // namespace

seen_set::seen_set(std::uint32_t words)
    : words_(words), chunks_(new std::atomic<chunk*>[chunk_count]()), shards_(new shard[std::size_t{1} << shard_bits]) {
  for (std::size_t s = 0; s < std::size_t{1} << shard_bits; ++s) shards_[s].table.resize(first_capacity);
  table_bytes_ = (first_capacity << shard_bits) * sizeof(std::uint64_t);
}

seen_set::~seen_set() {
  for (std::size_t c = 0; c < chunk_count; ++c) delete chunks_[c].load();
}

std::uint64_t seen_set::hash(const word* state) const {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (std::uint32_t w = 0; w < words_; ++w) h = mix(h ^ state[w], 0xa0761d6478bd642fu) + 0xe7037ed1a0b428dbu;
  return mix(h, 0x8ebc6af09c88c6e3u ^ words_);
}

bool seen_set::same(index i, const word* other) const { return std::memcmp(state(i), other, words_ * sizeof(word)) == 0; }

bool seen_set::less(const word* a, const word* b) const {
  for (std::uint32_t w = 0; w < words_; ++w)
    if (a[w] != b[w]) return a[w] < b[w];
  return false;
}

seen_set::outcome seen_set::insert(const word* s, index parent, index next_level) {
  std::uint64_t h = hash(s);
  shard& home = shards_[h >> (64 - shard_bits)];
  std::uint64_t tag = h & 0xffffffffu;
  std::lock_guard hold(home.lock);
  std::size_t mask = home.table.size() - 1;
  std::size_t at = tag & mask;
  for (; home.table[at] != 0; at = (at + 1) & mask) {
    if (home.table[at] >> 32 != tag) continue;
    index i = static_cast<index>(home.table[at]) - 1;
    if (!same(i, s)) continue;
    if (i >= next_level && parent != none) keep_least_parent(i, parent);
    return {i, false};
  }
  index i = append(s, parent);
  home.table[at] = tag << 32 | (std::uint64_t{i} + 1);
  if (++home.used * 3 > home.table.size() * 2) grow(home);
  return {i, true};
}

void seen_set::keep_least_parent(index i, index parent) {
  index& kept = chunk_of(i).parents[i & chunk_mask];
  if (kept != parent && kept != none && less(state(parent), state(kept))) kept = parent;
}

seen_set::index seen_set::append(const word* s, index parent) {
  std::uint64_t n = count_.fetch_add(1, std::memory_order_relaxed);
  if (n >= none - 1) throw std::length_error("more than 2^32 states");
  index i = static_cast<index>(n);
  chunk& c = chunk_of(i);
  std::memcpy(c.words.get() + std::size_t{i & chunk_mask} * words_, s, words_ * sizeof(word));
  c.parents[i & chunk_mask] = parent;
  return i;
}

seen_set::chunk& seen_set::chunk_of(index i) {
  std::atomic<chunk*>& place = chunks_[i >> chunk_bits];
  if (chunk* c = place.load(std::memory_order_acquire)) return *c;
  std::lock_guard hold(chunk_lock_);
  if (chunk* c = place.load(std::memory_order_acquire)) return *c;
  auto* c = new chunk{std::unique_ptr<word[]>(new word[(std::size_t{chunk_mask} + 1) * words_]),
                      std::unique_ptr<index[]>(new index[std::size_t{chunk_mask} + 1])};
  place.store(c, std::memory_order_release);
  return *c;
}

void seen_set::grow(shard& s) {
  std::vector<std::uint64_t> bigger(s.table.size() * 2);
  std::size_t mask = bigger.size() - 1;
  for (std::uint64_t entry : s.table) {
    if (entry == 0) continue;
    std::size_t at = (entry >> 32) & mask;
    while (bigger[at] != 0) at = (at + 1) & mask;
    bigger[at] = entry;
  }
  table_bytes_.fetch_add((bigger.size() - s.table.size()) * sizeof(std::uint64_t), std::memory_order_relaxed);
  s.table.swap(bigger);
}

std::uint64_t seen_set::memory_bytes() const {
  std::uint64_t each = words_ * sizeof(word) + sizeof(index);
  return std::uint64_t{size()} * each + table_bytes_.load(std::memory_order_relaxed);
}

}  // namespace quiesce
