// SPDX-License-Identifier: MIT
#pragma once
// An array that grows in pages which never move: threads read and write elements while others make it grow.
//
// All pages but the first ask for huge pages of the processor, because access is random. An untouched page costs no memory.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "model/explicit/huge_block.hpp"

namespace quiesce {

// Rows of `width` elements each. At most 2^32 rows.
template <class T>
class paged_array {
 public:
  static constexpr std::uint32_t page_bits = 18;
  static constexpr std::uint32_t page_rows = std::uint32_t{1} << page_bits;

  explicit paged_array(std::uint32_t width)
      : width_(width),
        directory_(page_count * sizeof(std::atomic<T*>), false),
        pages_(static_cast<std::atomic<T*>*>(directory_.data())) {}

  // The row must have been reserved.
  T* row(std::uint32_t i) const {
    return pages_[i >> page_bits].load(std::memory_order_acquire) + std::size_t{i & (page_rows - 1)} * width_;
  }

  void reserve(std::uint32_t i) {
    const std::uint32_t p = i >> page_bits;
    if (pages_[p].load(std::memory_order_acquire)) return;
    std::lock_guard hold(growing_);
    if (pages_[p].load(std::memory_order_relaxed)) return;
    owned_.push_back(std::make_unique<huge_block>(std::size_t{page_rows} * width_ * sizeof(T), p > 0));
    pages_[p].store(static_cast<T*>(owned_.back()->data()), std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t page_count = std::uint32_t{1} << (32 - page_bits);
  const std::uint32_t width_;
  huge_block directory_;  // of which only what is used is ever touched
  std::atomic<T*>* pages_;
  std::vector<std::unique_ptr<huge_block>> owned_;
  std::mutex growing_;
};

}  // namespace quiesce
