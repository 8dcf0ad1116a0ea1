// SPDX-License-Identifier: MIT
#pragma once
// The states of a level, in order, in blocks that are given back as soon as they were taken.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

#include "model/system/layout.hpp"

namespace quiesce {

class state_blocks {
 public:
  explicit state_blocks(std::uint32_t words) : words_(words) {}

  void push(const word* state) {
    if (last_ == block_states || blocks_.empty()) {
      blocks_.push_back(std::make_unique_for_overwrite<word[]>(std::size_t{block_states} * words_));
      last_ = 0;
    }
    std::copy_n(state, words_, blocks_.back().get() + std::size_t{last_++} * words_);
    ++size_;
  }

  // The first states, at most `most` of them; they stay where they are until taken().
  const word* front(std::uint32_t most, std::uint32_t& count) const {
    const std::uint32_t end = blocks_.size() == 1 ? last_ : block_states;
    count = std::min(most, end - first_);
    return blocks_.front().get() + std::size_t{first_} * words_;
  }
  void taken(std::uint32_t count) {
    first_ += count;
    size_ -= count;
    if (first_ != block_states && size_ != 0) return;
    blocks_.pop_front();
    first_ = 0;
  }

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  std::uint64_t memory_bytes() const { return blocks_.size() * block_states * words_ * sizeof(word); }

 private:
  static constexpr std::uint32_t block_states = 2048;
  std::uint32_t words_, first_ = 0, last_ = 0;
  std::uint64_t size_ = 0;
  std::deque<std::unique_ptr<word[]>> blocks_;
};

}  // namespace quiesce
