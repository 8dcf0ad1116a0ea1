// SPDX-License-Identifier: MIT
#pragma once
// The states seen so far: full states in chunks that never move, found by open addressing, each with its predecessor.
//
// Threads insert concurrently. A state met again from another state of the level before keeps the least predecessor
// (lexicographic on words), so that the predecessor graph does not depend on the number or timing of threads.
// Cost: 8 bytes for each word, 4 for the predecessor, about 12 to 24 of hash table.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "model/system/layout.hpp"

namespace quiesce {

class seen_set {
 public:
  using index = std::uint32_t;
  static constexpr index none = 0xffffffffu;
  struct outcome {
    index at = none;
    bool fresh = false;
  };

  explicit seen_set(std::uint32_t words);
  ~seen_set();
  seen_set(const seen_set&) = delete;
  seen_set& operator=(const seen_set&) = delete;

  // `next_level`: states numbered from here on belong to the level being built; only their predecessor may change.
  // Throws std::length_error beyond 2^32 - 2 states.
  outcome insert(const word* state, index parent, index next_level);

  const word* state(index i) const {
    return chunks_[i >> chunk_bits].load(std::memory_order_acquire)->words.get() + std::size_t{i & chunk_mask} * words_;
  }
  index parent(index i) const { return chunks_[i >> chunk_bits].load(std::memory_order_acquire)->parents[i & chunk_mask]; }
  index size() const { return static_cast<index>(count_.load(std::memory_order_relaxed)); }
  std::uint64_t memory_bytes() const;
  std::uint32_t words() const { return words_; }

  // Lexicographic order on words.
  bool less(const word* a, const word* b) const;

 private:
  static constexpr std::uint32_t chunk_bits = 16;
  static constexpr index chunk_mask = (index{1} << chunk_bits) - 1;
  static constexpr std::size_t shard_bits = 6;
  struct chunk {
    std::unique_ptr<word[]> words;
    std::unique_ptr<index[]> parents;
  };
  // An entry is the low half of the hash and 1 + the number of the state; 0 is free.
  struct alignas(64) shard {
    std::mutex lock;
    std::vector<std::uint64_t> table;
    std::size_t used = 0;
  };

  std::uint64_t hash(const word* state) const;
  index append(const word* state, index parent);
  chunk& chunk_of(index i);
  void grow(shard&);
  bool same(index i, const word* state) const;
  void keep_least_parent(index i, index parent);

  const std::uint32_t words_;
  std::unique_ptr<std::atomic<chunk*>[]> chunks_;
  std::mutex chunk_lock_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> table_bytes_{0};
  std::unique_ptr<shard[]> shards_;
};

}  // namespace quiesce
