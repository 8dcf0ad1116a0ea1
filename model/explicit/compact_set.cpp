// SPDX-License-Identifier: MIT
#include "model/explicit/compact_set.hpp"

#include <algorithm>
#include <cmath>

#include "model/explicit/state_hash.hpp"

namespace quiesce {

hash_set::hash_set(std::uint32_t words) : words_(words), shards_(1024) {
  for (shard& s : shards_) s.at.assign(16, 0);
}

void hash_set::insert_many(const word* states, std::uint32_t count, bool* fresh) {
  constexpr std::uint32_t batch = 128;
  std::uint64_t hashes[batch];
  for (std::uint32_t from = 0; from < count; from += batch) {
    const std::uint32_t n = std::min(batch, count - from);
    for (std::uint32_t k = 0; k < n; ++k) {
      hashes[k] = std::max<std::uint64_t>(1, hash_state<0>(states + std::size_t{from + k} * words_, words_));
      const shard& s = shards_[hashes[k] >> 54];
      __builtin_prefetch(&s.at[place(s, hashes[k])], 1);
    }
    for (std::uint32_t k = 0; k < n; ++k) fresh[from + k] = insert_hash(hashes[k]);
  }
}

bool hash_set::insert_hash(std::uint64_t h) {
  shard& s = shards_[h >> 54];
  std::size_t i = place(s, h);
  for (; s.at[i] != 0; i = i + 1 == s.at.size() ? 0 : i + 1)
    if (s.at[i] == h) return false;
  s.at[i] = h;
  ++size_;
  if (++s.used * 100 > s.at.size() * 85) grow(s);
  return true;
}

void hash_set::grow(shard& s) {
  std::vector<std::uint64_t> old(s.at.size() + s.at.size() / 3 + 1, 0);
  old.swap(s.at);
  for (std::uint64_t h : old) {
    if (h == 0) continue;
    std::size_t i = place(s, h);
    while (s.at[i] != 0) i = i + 1 == s.at.size() ? 0 : i + 1;
    s.at[i] = h;
  }
}

std::uint64_t hash_set::memory_bytes() const {
  std::uint64_t out = 0;
  for (const shard& s : shards_) out += s.at.capacity() * sizeof(std::uint64_t);
  return out;
}

double hash_set::omission_probability() const {
  return std::min(1.0, std::ldexp(static_cast<double>(size_) * static_cast<double>(size_), -65));
}

}  // namespace quiesce
