// SPDX-License-Identifier: MIT
#pragma once
// C++ that takes the steps of one lowered system on its packed states: fields are constants, words are updated in place.
//
// The text defines
//   extern "C" const char quiesce_key[];
//   extern "C" unsigned quiesce_expand(const u64* states, u32* first, u32 count, successor_buffer*);
//     0: done, 1: the buffer wants no more, 2: `*first` is the number of a state that only the interpreter can do (an index
//     out of range, an overflow, more nested choices than there is room for); its steps so far are not counted.
//   extern "C" unsigned quiesce_invariants(const u64* state, u64* failing);   0: done, 2: as above

#include <optional>
#include <string>

#include "model/system/system.hpp"

namespace quiesce {

// Nothing where the text would be too long to be worth it. Linear in the instructions of all instances.
std::optional<std::string> native_text(const ir::program&, const layout&, const std::string& key);

// The greatest number of backward jumps in a path of a step: beyond, the interpreter reports an endless loop.
inline constexpr std::uint32_t native_backward_jumps = 1u << 20;

}  // namespace quiesce
