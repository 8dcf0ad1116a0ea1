// SPDX-License-Identifier: MIT
#pragma once
// How many different hashes there were: exact up to `most`, beyond an estimate with a standard error of about 1 / sqrt(most
// / 2). Wegman's adaptive sampling: Flajolet, "On adaptive sampling", Computing 34, 1990.

#include <cstdint>
#include <iterator>
#include <unordered_set>

namespace quiesce {

class distinct_counter {
 public:
  explicit distinct_counter(std::size_t most) : most_(most) {}

  // `hash`: of 64 good bits.
  void add(std::uint64_t hash) {
    if (hash & mask_) return;
    kept_.insert(hash);
    while (kept_.size() > most_) {
      mask_ = mask_ << 1 | 1;
      for (auto i = kept_.begin(); i != kept_.end();) i = *i & mask_ ? kept_.erase(i) : std::next(i);
    }
  }
  std::uint64_t count() const { return kept_.size() * (mask_ + 1); }
  bool exact() const { return mask_ == 0; }

 private:
  std::size_t most_;
  std::uint64_t mask_ = 0;
  std::unordered_set<std::uint64_t> kept_;
};

}  // namespace quiesce
