// SPDX-License-Identifier: MIT
#pragma once
// Where a piece of text came from. Everything that a user wrote carries one, so that every diagnostic can point at it.

#include <cstdint>

namespace quiesce {

// Bytes [begin, end) of source file number `file` (a number handed out by language::source_set).
struct source_range {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

}  // namespace quiesce
