// SPDX-License-Identifier: MIT
#include "model/explicit/huge_block.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace quiesce {

namespace {
constexpr std::size_t huge = std::size_t{2} << 20;
}

huge_block::huge_block(std::size_t bytes, bool wants_huge) : mapped_(bytes + huge) {
  void* p = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  base_ = p;
  data_ = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(p) + huge - 1) & ~(huge - 1));
  if (wants_huge && bytes >= huge) madvise(data_, bytes & ~(huge - 1), MADV_HUGEPAGE);  // a wish; without it all works
}

huge_block::~huge_block() { munmap(base_, mapped_); }

}  // namespace quiesce
