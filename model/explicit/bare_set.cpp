// SPDX-License-Identifier: MIT
#include "model/explicit/bare_set.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "model/explicit/state_hash.hpp"

namespace quiesce {

namespace {
constexpr std::uint32_t batch = 128;
constexpr std::uint64_t fewest_slots = 256, few_slots = 1u << 16;  // of a part
constexpr int most_expected_bits = 44;                             // more is not addressed

std::uint64_t enough_of(std::uint64_t capacity) { return capacity / 10 * 9; }

template <std::uint32_t W>
bool free_slot(const word* s, std::uint32_t words) {
  const std::uint32_t n = W ? W : words;
  word any = 0;
  for (std::uint32_t w = 0; w < n; ++w) any |= s[w];
  return any == 0;
}
}  // namespace

bare_set::bare_set(std::uint32_t words, std::uint64_t expected) : words_(words) {
  if (expected >> most_expected_bits) throw std::bad_alloc();
  const std::uint64_t each = std::max(fewest_slots, expected / parts_.size() * 8 / 5);
  slots_ = each * parts_.size();
  whole_ = std::make_unique<huge_block>(slots_ * words_ * sizeof(word));
  word* at = static_cast<word*>(whole_->data());
  for (part& p : parts_) {
    p = {at, each, 0, enough_of(each), nullptr};
    at += each * words_;
  }
}

void bare_set::insert_many(const word* states, std::uint32_t count, bool* fresh) {
  with_width(words_, [&](auto w) { insert_all<w()>(states, count, fresh); });
}

// Two passes over a batch: what the second needs from memory is fetched during the first.
template <std::uint32_t W>
void bare_set::insert_all(const word* states, std::uint32_t count, bool* fresh) {
  std::uint64_t hashes[batch];
  for (std::uint32_t from = 0; from < count; from += batch) {
    const std::uint32_t n = std::min(batch, count - from);
    const word* first = states + std::size_t{from} * words_;
    for (std::uint32_t k = 0; k < n; ++k) {
      hashes[k] = hash_state<W>(first + std::size_t{k} * words_, words_);
      const part& p = parts_[hashes[k] >> (64 - part_bits)];
      __builtin_prefetch(p.at + place(p, hashes[k]) * words_, 1);
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const word* s = first + std::size_t{k} * words_;
      if (free_slot<W>(s, words_)) {
        fresh[from + k] = !zero_seen_;
        zero_seen_ = true;
      } else {
        fresh[from + k] = put<W>(parts_[hashes[k] >> (64 - part_bits)], hashes[k], s);
      }
      size_ += fresh[from + k];
    }
  }
}

template <std::uint32_t W>
bool bare_set::put(part& p, std::uint64_t hash, const word* state) {
  const std::uint32_t n = W ? W : words_;
  std::uint64_t i = place(p, hash);
  word* slot = p.at + i * n;
  while (!free_slot<W>(slot, n)) {
    if (same_state<W>(slot, state, n)) return false;
    i = i + 1 == p.capacity ? 0 : i + 1;
    slot = p.at + i * n;
  }
  std::memcpy(slot, state, n * sizeof(word));
  if (++p.used > p.enough) grow<W>(p);
  return true;
}

template <std::uint32_t W>
void bare_set::grow(part& p) {
  part bigger;
  bigger.capacity = p.capacity < few_slots ? 2 * p.capacity : p.capacity + p.capacity / 3;
  bigger.enough = enough_of(bigger.capacity);
  bigger.own = std::make_unique<huge_block>(bigger.capacity * words_ * sizeof(word));
  bigger.at = static_cast<word*>(bigger.own->data());
  for (std::uint64_t i = 0; i < p.capacity; ++i) {
    const word* s = p.at + i * words_;
    if (!free_slot<W>(s, words_)) put<W>(bigger, hash_state<W>(s, words_), s);
  }
  slots_ += bigger.capacity - p.capacity;
  p = std::move(bigger);
}

std::uint64_t bare_set::memory_bytes() const { return slots_ * words_ * sizeof(word); }

}  // namespace quiesce
