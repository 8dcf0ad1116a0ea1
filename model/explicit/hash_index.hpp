// SPDX-License-Identifier: MIT
#pragma once
// From hashes to numbers of states: extendible hashing over segments of fixed size, each open addressing with linear
// probing.
//
// A full segment is split in two while all others stay in use, so growing has no pause and no peak. Nothing is locked:
// an entry is put by compare-and-swap; a segment that is being split has its free entries closed first, and whoever
// meets a closed one looks the segment up again. 8 bytes an entry, segments are between 0.42 and 0.85 full.
// Fagin et al., "Extendible hashing", 1979.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "model/explicit/huge_block.hpp"

namespace quiesce {

class hash_index {
 public:
  // From the top: 16 leading bits of the hash, its 11 last ones, how far from its place the entry stands (31: as far or
  // farther); then 1 + the number of the state. 0: free. So a segment is split without a look at the states, but for entries
  // that stand far, and for segments deeper than the leading bits: beyond some 2^28 states.
  using entry = std::uint64_t;
  static constexpr entry closed = ~entry{0};
  static constexpr std::uint32_t segment_bits = 13;
  static constexpr std::uint32_t segment_mask = (1u << segment_bits) - 1;
  static constexpr std::uint32_t most_used = (segment_mask + 1) / 20 * 17;

  struct segment {
    std::atomic<std::uint32_t> used{0};  // of its entries, those that are counted
    std::atomic<bool> splitting{false};
    std::uint32_t depth = 0;   // so many leading bits of the hash are the same in it,
    std::uint64_t prefix = 0;  // these
    segment* next = nullptr;   // among those that are free, or retired
    alignas(64) std::atomic<entry> at[segment_mask + 1];
  };

  hash_index();
  ~hash_index();
  hash_index(const hash_index&) = delete;
  hash_index& operator=(const hash_index&) = delete;

  static std::uint32_t place(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32) & segment_mask; }
  // `at`: where in its segment the entry is to stand.
  static entry make(std::uint64_t hash, std::uint32_t at, std::uint32_t number) {
    const std::uint32_t distance = (at - place(hash)) & segment_mask;
    return tag(hash) | std::uint64_t{std::min(distance, far)} << 32 | (std::uint64_t{number} + 1);
  }
  static std::uint32_t number(entry e) { return static_cast<std::uint32_t>(e) - 1; }
  static bool same_tag(entry e, std::uint64_t hash) { return (e ^ tag(hash)) >> tag_shift == 0; }

  segment* find(std::uint64_t hash) const {
    const directory* d = directory_.load(std::memory_order_acquire);
    return d->at[hash >> 1 >> d->shift].load(std::memory_order_acquire);
  }

  // For the few entries that say too little for a split: the hash by the number of the state.
  struct reader {
    virtual ~reader() = default;
    virtual std::uint64_t hash(std::uint32_t number) const = 0;
  };

  static bool counted(std::uint64_t hash) { return (hash & 3) == 0; }  // bits that neither segment nor place depend on
  // Counts an entry that was put; splits the segment where it is full. `alone`: no other thread uses the index. Every fourth
  // hash is counted, so that threads seldom meet at the counter; how full a segment is, is known to about 2 %.
  // Throws std::bad_alloc, and then all is as before.
  void count(segment* s, std::uint64_t hash, bool alone, const reader& states) {
    if (!counted(hash)) return;
    std::uint32_t used;
    if (alone) {
      used = s->used.load(std::memory_order_relaxed) + 1;
      s->used.store(used, std::memory_order_relaxed);
    } else {
      used = s->used.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    if (used >= most_used / 4) relieve(s, states);
  }

  // For a segment that is full, whatever was counted: splits it where no other thread does. Throws likewise.
  void relieve(segment* s, const reader& states) {
    if (!s->splitting.exchange(true, std::memory_order_relaxed)) split(s, states);
  }

  // Split segments are retired: so many until now. reclaim(n) gives the first n back for use; only when no thread holds one
  // of them from find().
  std::uint64_t retired() const { return retired_count_.load(std::memory_order_acquire); }
  void reclaim(std::uint64_t until);

  std::uint64_t memory_bytes() const { return segments_.load(std::memory_order_relaxed) * sizeof(segment); }

 private:
  static constexpr std::uint32_t far = 31, leading = 16, last = 11, tag_shift = 64 - leading - last;
  static entry tag(std::uint64_t hash) {
    return hash >> (64 - leading) << (64 - leading) | (hash & ((1u << last) - 1)) << tag_shift;
  }
  struct directory {
    std::uint32_t shift = 62;  // of (hash >> 1): 63 - depth
    std::unique_ptr<std::atomic<segment*>[]> at;
    std::size_t size = 2;
  };
  struct half {
    segment* to;
    std::uint32_t used;  // entries that are counted
  };
  void split(segment*, const reader&);
  void prepare(segment*, half (&)[2]);
  segment* fresh(std::uint32_t depth, std::uint64_t prefix);
  void add_block();
  static void deal(entry, std::uint32_t at, std::uint32_t depth, half (&)[2], const reader&);
  static void move(entry, std::uint32_t home, half&);
  void publish(const segment* old, segment* low, segment* high);
  void double_directory();

  std::atomic<directory*> directory_;
  std::mutex lock_;  // of the directory's shape, the pool and the retired
  std::vector<std::unique_ptr<directory>> directories_;
  std::vector<std::unique_ptr<huge_block>> blocks_;
  segment* pool_ = nullptr;  // linked, as those that are retired, so that only blocks and directories are allocated
  segment *first_retired_ = nullptr, *last_retired_ = nullptr;
  std::atomic<std::uint64_t> retired_count_{0};
  std::uint64_t reclaimed_ = 0;
  std::atomic<std::uint64_t> segments_{0};
};

}  // namespace quiesce
