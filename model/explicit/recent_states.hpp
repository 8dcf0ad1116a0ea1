// SPDX-License-Identifier: MIT
#pragma once
// The states that were met last, in a quarter of a mebibyte: many successors are among them, as interleavings of two steps
// meet again soon, and need not be looked for among all. Exact: only what is the same in every bit is dropped.

#include <algorithm>
#include <bit>
#include <vector>

#include "model/explicit/state_hash.hpp"

namespace quiesce {

class recent_states {
 public:
  explicit recent_states(std::uint32_t words)
      : words_(words),
        mask_(std::bit_floor(std::max<std::size_t>(16, bytes / sizeof(word) / words)) - 1),
        met_(mask_ + 1),
        states_((mask_ + 1) * words) {}

  // Moves those that were not met of late to the front, in their order; how many they are. They count as met now.
  std::uint32_t keep_others(word* states, std::uint32_t count) {
    return with_width(words_, [&](auto w) { return keep<w()>(states, count); });
  }

 private:
  static constexpr std::size_t bytes = std::size_t{256} << 10;
  static constexpr std::uint32_t batch = 128;  // looked up at once, so that one waits for memory once

  template <std::uint32_t W>
  std::uint32_t keep(word* states, std::uint32_t count) {
    std::uint32_t kept = 0;
    for (std::uint32_t from = 0; from < count; from += batch) {
      const std::uint32_t n = std::min(batch, count - from);
      for (std::uint32_t k = 0; k < n; ++k) {
        at_[k] = hash_state<W>(states + std::size_t{from + k} * words_, words_) >> 20 & mask_;
        __builtin_prefetch(&states_[at_[k] * words_], 1);
      }
      for (std::uint32_t k = 0; k < n; ++k) {
        const word* const s = states + std::size_t{from + k} * words_;
        word* const recent = &states_[at_[k] * words_];
        if (met_[at_[k]] && same_state<W>(recent, s, words_)) continue;
        met_[at_[k]] = true;
        std::copy_n(s, W ? W : words_, recent);
        std::copy_n(s, W ? W : words_, states + std::size_t{kept++} * words_);
      }
    }
    return kept;
  }

  const std::uint32_t words_;
  const std::size_t mask_;
  std::vector<std::uint8_t> met_;
  std::vector<word> states_;
  std::size_t at_[batch];
};

}  // namespace quiesce
