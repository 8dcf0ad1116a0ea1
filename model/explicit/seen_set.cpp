// SPDX-License-Identifier: MIT
#include "model/explicit/seen_set.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "model/explicit/state_hash.hpp"

namespace quiesce {

namespace {
constexpr std::uint32_t batch = 256;
constexpr std::size_t remembered = 1u << 14;           // states that each thread met last: 256 KiB
constexpr seen_set::index ahead = 12;                  // of the state that is put into the index, another is fetched
constexpr seen_set::index later = seen_set::none - 1;  // no state's number
constexpr seen_set::index numbers_at_once = 1024;      // that one of several threads takes
constexpr seen_set::index last_number = seen_set::none - (1u << 20);  // so that no thread that fails comes round to 0
}  // namespace

seen_set::seen_set(std::uint32_t words) : words_(words), states_(words), parents_(1) {}
seen_set::~seen_set() = default;

bool seen_set::less(const word* a, const word* b) const { return less_state<0>(a, b, words_); }

std::uint64_t seen_set::memory_bytes() const {
  return size() * (words_ * sizeof(word) + sizeof(index)) + index_.memory_bytes();
}

// Five passes over a batch, so that what one needs from memory has been fetched during the one before: the place among the
// states met of late; the place in the index; the state that seems to be the same; its predecessor; the predecessor's state.
// A successor among the states that its thread met last needs no look into the index; those are many, as interleavings of
// two steps meet again soon (recent_states.hpp does the same for stores without predecessors).
template <std::uint32_t W>
class seen_set::batch_inserter final : public seen_set::inserter, hash_index::reader {
 public:
  explicit batch_inserter(seen_set& s) : seen_(s), words_(W ? W : s.words_) { fresh.reserve(batch); }

  void insert(const word* states, const index* parents, std::uint32_t count, index level, bool alone) override {
    if (!alone) seen_.inside_.fetch_add(1);
    insert_late(level, alone, false);
    insert_all(states, parents, count, level, alone, false);
    tell_size(alone);
    const std::uint64_t until = seen_.index_.retired();
    // Where nobody is inside, nobody holds what was retired before.
    if ((alone || seen_.inside_.fetch_sub(1) == 1) && until != reclaimed_) seen_.index_.reclaim(reclaimed_ = until);
  }

  void flush(index level, bool alone) override {
    if (late_parents_.empty()) return;
    if (!alone) seen_.inside_.fetch_add(1);
    insert_late(level, alone, true);
    tell_size(alone);
    if (!alone) seen_.inside_.fetch_sub(1);
  }

  void restore(range r) override {
    for (index i = r.first; i < r.first + r.count; ++i) {
      if (i + ahead < r.first + r.count) __builtin_prefetch(state(i + ahead));
      const std::uint64_t h = hash(i);
      segment* home = seen_.index_.find(h);
      std::uint32_t place = hash_index::place(h);
      while (home->at[place].load(std::memory_order_relaxed) != 0) place = (place + 1) & hash_index::segment_mask;
      home->at[place].store(hash_index::make(h, place, i), std::memory_order_relaxed);
      seen_.index_.count(home, h, true, *this);
      if (i % page_states == 0) seen_.index_.reclaim(seen_.index_.retired());
    }
    seen_.index_.reclaim(seen_.index_.retired());
  }

 private:
  using entry = hash_index::entry;
  using segment = hash_index::segment;
  struct pending {
    std::uint64_t hash;
    segment* home;
    const word* state;
    index parent;
    index guess;  // seems to be the same state
    std::uint32_t place;
  };

  struct recent {  // the state met last of those with the same place among the recent ones
    std::uint64_t hash = 0;
    index number = none;  // none: nothing is known; later: it waits in the present batch
    index parent = none;  // the least that was given for it, or its place in the batch
  };

  const word* state(index i) const { return seen_.states_.row(i); }
  bool same(index i, const word* s) const { return same_state<W>(state(i), s, words_); }

  void insert_all(const word* states, const index* parents, std::size_t count, index level, bool alone, bool waits) {
    for (std::size_t from = 0; from < count; from += batch) {
      const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(batch, count - from));
      some(states + from * words_, parents + from, n, level, alone, waits);
    }
  }

  void insert_late(index level, bool alone, bool waits) {
    if (late_parents_.empty()) return;
    std::vector<word> states;
    std::vector<index> parents;
    states.swap(late_states_);
    parents.swap(late_parents_);
    insert_all(states.data(), parents.data(), parents.size(), level, alone, waits);
  }

  void some(const word* states, const index* parents, std::uint32_t count, index level, bool alone, bool waits) {
    for (std::uint32_t k = 0; k < count; ++k) {
      hashes_[k] = hash_state<W>(states + std::size_t{k} * words_, words_);
      __builtin_prefetch(&recent_of(hashes_[k]), 1);
    }
    std::uint32_t waiting = again_count_ = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      const word* s = states + std::size_t{k} * words_;
      const std::uint64_t h = hashes_[k];
      recent& r = recent_of(h);
      if (r.hash == h && r.number != none && same_state<W>(state_of(r), s, words_)) {
        met_again(r, parents[k], level);
        continue;
      }
      r = {h, later, waiting};
      pending& p = pending_[waiting++];
      p = {h, seen_.index_.find(h), s, parents[k], none, hash_index::place(h)};
      __builtin_prefetch(&p.home->at[p.place], 0);
    }
    for (std::uint32_t k = 0; k < waiting; ++k) look(pending_[k]);
    for (std::uint32_t k = 0; k < waiting; ++k) put(k, level, alone, waits);
    for (std::uint32_t k = 0; k < again_count_; ++k) keep_least(again_[k].child, again_[k].parent);
  }

  void tell_size(bool alone) {
    if (alone)
      seen_.size_.store(seen_.size() + added_, std::memory_order_relaxed);
    else
      seen_.size_.fetch_add(added_, std::memory_order_relaxed);
    added_ = 0;
  }

  recent& recent_of(std::uint64_t hash) { return recent_[hash >> 20 & (remembered - 1)]; }

  const word* state_of(const recent& r) const { return r.number == later ? pending_[r.parent].state : state(r.number); }

  // A lesser predecessor is all that is of interest.
  void met_again(recent& r, index parent, index level) {
    index& least = r.number == later ? pending_[r.parent].parent : r.parent;
    if (r.number < level || least == parent || least == none || !less_state<W>(state(parent), state(least), words_)) return;
    least = parent;
    if (r.number != later) again_[again_count_++] = {r.number, parent};
  }

  // Into the index, what waited in the batch.
  void put(std::uint32_t k, index level, bool alone, bool waits) {
    const pending& p = pending_[k];
    const index i = settle(p, alone, waits);
    recent& r = recent_of(p.hash);
    if (r.number == later && r.parent == k) {
      r.number = i == later ? none : i == none ? next - 1 : i;
      r.parent = p.parent;
    }
    if (i == later) {
      late_states_.insert(late_states_.end(), p.state, p.state + words_);
      late_parents_.push_back(p.parent);
      return;
    }
    if (i == none || i < level || p.parent == none) return;
    const index kept = seen_.parent(i);
    if (kept == p.parent || kept == none) return;
    __builtin_prefetch(state(kept));
    again_[again_count_++] = {i, p.parent};
  }

  // The first entry with the same tag, or the free place.
  void look(pending& p) {
    const std::atomic<entry>* at = p.home->at;
    p.guess = none;
    std::uint32_t place = p.place;
    for (std::uint32_t n = 0; n <= hash_index::segment_mask; ++n, place = (place + 1) & hash_index::segment_mask) {
      const entry e = at[place].load(std::memory_order_acquire);
      if (e != 0 && e != hash_index::closed && !hash_index::same_tag(e, p.hash)) continue;
      p.place = place;
      if (e == 0 || e == hash_index::closed) {
        __builtin_prefetch(&at[place], 1);
        if (hash_index::counted(p.hash)) __builtin_prefetch(&p.home->used, 1);  // other threads count there too
        return;
      }
      p.guess = hash_index::number(e);
      __builtin_prefetch(state(p.guess));
      __builtin_prefetch(seen_.parents_.row(p.guess));
      return;
    }
  }

  // The number of the state if it was there, else none: it is now. `later`: that part of the index is being split.
  index settle(const pending& p, bool alone, bool waits) {
    const word* const s = p.state;
    if (p.guess != none && same(p.guess, s)) return p.guess;
    segment* home = p.home;
    std::uint32_t place = p.place, tries = 0;
    for (;;) {
      entry e = home->at[place].load(std::memory_order_acquire);
      if (e == 0) {
        if (next == limit) seen_.take_numbers(*this, alone);
        std::memcpy(seen_.states_.row(next), s, words_ * sizeof(word));
        std::atomic_ref<index>(*seen_.parents_.row(next)).store(p.parent, std::memory_order_relaxed);
        if (home->at[place].compare_exchange_strong(e, hash_index::make(p.hash, place, next), std::memory_order_acq_rel))
          break;
      }
      if (e == hash_index::closed || ++tries > hash_index::segment_mask) {
        if (e != hash_index::closed) seen_.index_.relieve(home, *this);
        if (!waits && seen_.index_.find(p.hash) == home) return later;
        home = wait_for(home, p.hash);
        place = hash_index::place(p.hash);
        tries = 0;
        continue;
      }
      if (hash_index::same_tag(e, p.hash) && same(hash_index::number(e), s)) return hash_index::number(e);
      place = (place + 1) & hash_index::segment_mask;
    }
    added(next++);
    seen_.index_.count(home, p.hash, alone, *this);
    return none;
  }

  segment* wait_for(segment* old, std::uint64_t hash) {
    for (;;) {
      segment* now = seen_.index_.find(hash);
      if (now != old) return now;
      std::this_thread::yield();
    }
  }

  void added(index i) {
    ++added_;
    fresh.push_back(i);
    if (!runs.empty() && runs.back().first + runs.back().count == i)
      ++runs.back().count;
    else
      runs.push_back({i, 1});
  }

  void keep_least(index child, index parent) {
    std::atomic_ref<index> place(*seen_.parents_.row(child));
    index kept = place.load(std::memory_order_relaxed);
    while (kept != parent && kept != none && less_state<W>(state(parent), state(kept), words_))
      if (place.compare_exchange_weak(kept, parent, std::memory_order_relaxed)) return;
  }

  std::uint64_t hash(std::uint32_t i) const override { return hash_state<W>(state(i), words_); }

  seen_set& seen_;
  const std::uint32_t words_;
  std::uint64_t reclaimed_ = 0;
  std::uint32_t added_ = 0;  // that size_ does not know of
  std::vector<word> late_states_;
  std::vector<index> late_parents_;
  std::uint64_t hashes_[batch];
  pending pending_[batch];
  std::vector<recent> recent_ = std::vector<recent>(remembered);
  std::uint32_t again_count_ = 0;
  struct {
    index child, parent;
  } again_[batch];
};

std::unique_ptr<seen_set::inserter> seen_set::make_inserter() {
  return with_width(words_,
                    [&](auto w) -> std::unique_ptr<inserter> { return std::make_unique<batch_inserter<w()>>(*this); });
}

void seen_set::take_numbers(inserter& to, bool alone) {
  const index n = alone ? 1 : numbers_at_once;
  const index first = alone ? next_.load(std::memory_order_relaxed) : next_.fetch_add(n, std::memory_order_relaxed);
  if (first >= last_number) throw std::length_error("more than 2^32 states");
  if (alone) next_.store(first + n, std::memory_order_relaxed);
  for (index i : {first, first + n - 1}) {
    states_.reserve(i);
    parents_.reserve(i);
  }
  to.next = first;
  to.limit = first + n;
}

void seen_set::fill(index end, const std::function<void(index, word*, index*)>& page) {
  for (index first = 0; first < end;) {
    const index n = std::min(page_states, end - first);
    states_.reserve(first);
    parents_.reserve(first);
    page(n, states_.row(first), parents_.row(first));
    first += n;
  }
  next_.store(end);
}

void seen_set::restore(const std::vector<range>& all) {
  const auto way = make_inserter();
  std::uint64_t states = 0;
  for (range r : all) {
    way->restore(r);
    states += r.count;
  }
  size_ = states;
}

std::vector<seen_set::range> seen_set::close_level(const std::vector<inserter*>& all) {
  std::vector<range> level;
  for (inserter* x : all) {
    level.insert(level.end(), x->runs.begin(), x->runs.end());
    x->runs.clear();
    if (x->next != x->limit && x->limit == next_.load(std::memory_order_relaxed))
      next_.store(x->next, std::memory_order_relaxed);
    x->next = x->limit = 0;
  }
  index_.reclaim(index_.retired());
  std::sort(level.begin(), level.end(), [](range a, range b) { return a.first < b.first; });
  std::vector<range> joined;
  for (range r : level) {
    if (!joined.empty() && joined.back().first + joined.back().count == r.first)
      joined.back().count += r.count;
    else
      joined.push_back(r);
  }
  return joined;
}

}  // namespace quiesce
