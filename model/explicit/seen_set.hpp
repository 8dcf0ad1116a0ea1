// SPDX-License-Identifier: MIT
#pragma once
// The states seen so far: full states, numbered, found by a hash index, each with its predecessor.
//
// Threads insert concurrently, without locks, each through an `inserter` of its own. A state met again from another state of
// the level before keeps the least predecessor (lexicographic on words), so that the predecessor graph does not depend on
// the number or timing of threads. Numbers ascend from level to level; where several threads built a level it has holes.
// Cost: 8 bytes for each word, 4 for the predecessor, 9.5 to 19 of index.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/explicit/hash_index.hpp"
#include "model/explicit/paged_array.hpp"
#include "model/system/layout.hpp"

namespace quiesce {

class seen_set {
 public:
  using index = std::uint32_t;
  static constexpr index none = 0xffffffffu;
  static constexpr index page_states = paged_array<word>::page_rows;  // states of one page stand one after the other
  struct range {
    index first = 0, count = 0;
  };

  explicit seen_set(std::uint32_t words);
  ~seen_set();
  seen_set(const seen_set&) = delete;
  seen_set& operator=(const seen_set&) = delete;

  const word* state(index i) const { return states_.row(i); }
  index parent(index i) const { return std::atomic_ref<index>(*parents_.row(i)).load(std::memory_order_relaxed); }
  const index* parents(index i) const { return parents_.row(i); }  // of one page: i and those behind it
  // Of all levels that are closed, and of this one what is not in insert() just now.
  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  bool full() const { return end() >= none - (1u << 21); }  // the numbers are used up, but for what threads have at hand
  index end() const { return next_.load(std::memory_order_relaxed); }  // numbers are below
  std::uint64_t memory_bytes() const;
  std::uint32_t words() const { return words_; }
  bool less(const word* a, const word* b) const;

  // One thread's way in. insert() keeps states back whose part of the index is being changed by another thread; flush()
  // waits for it and has them all inserted.
  class inserter {
   public:
    virtual ~inserter() = default;
    // States and the numbers of their predecessors (none: initial). States numbered from `level` on belong to the level
    // being built; only their predecessor may change. `alone`: no other thread inserts meanwhile. Throws std::length_error
    // where numbers are used up; behind an exception nothing more may be inserted.
    virtual void insert(const word* states, const index* parents, std::uint32_t count, index level, bool alone) = 0;
    virtual void flush(index level, bool alone) = 0;
    std::vector<index> fresh;   // those that insert() added; the caller clears it
    std::vector<range> runs;    // all that were added since close_level
    index next = 0, limit = 0;  // numbers this thread may give
    // Puts states that have their numbers into the index. No other thread inserts.
    virtual void restore(range) = 0;
  };
  std::unique_ptr<inserter> make_inserter();

  // For a set without states, from a file: rows for all numbers below `end`, a page at a time; then those of `all` are its
  // states.
  void fill(index end, const std::function<void(index count, word* states, index* parents)>& page);
  void restore(const std::vector<range>& all);

  // Ends a level: the numbers that nobody took become holes. The states of the level, ascending by number. No thread
  // inserts.
  std::vector<range> close_level(const std::vector<inserter*>&);

 private:
  template <std::uint32_t W>
  class batch_inserter;
  void take_numbers(inserter&, bool alone);

  const std::uint32_t words_;
  paged_array<word> states_;
  paged_array<index> parents_;
  hash_index index_;
  std::atomic<index> next_{0};
  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint32_t> inside_{0};  // threads that may hold a segment
};

}  // namespace quiesce
