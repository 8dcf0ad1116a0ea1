// SPDX-License-Identifier: MIT
#pragma once
// Memory from the system that it may back with large pages.

#include <cstddef>

namespace quiesce {

// At least `bytes` of zeros, aligned for huge pages of the processor. What is not touched costs no memory.
// `huge`: ask for such pages. Throws std::bad_alloc.
class huge_block {
 public:
  explicit huge_block(std::size_t bytes, bool huge = true);
  ~huge_block();
  huge_block(const huge_block&) = delete;
  huge_block& operator=(const huge_block&) = delete;
  void* data() const { return data_; }

 private:
  void* base_ = nullptr;
  void* data_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace quiesce
