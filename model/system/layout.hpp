// SPDX-License-Identifier: MIT
#pragma once
// Bit-packed states: every table element of every variable is one slot, a field of at most 64 bits that never straddles a word.

#include <cstdint>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce {

using word = std::uint64_t;

struct slot {
  std::uint32_t index = 0;   // of the word in the state
  std::uint8_t shift = 0;
  std::uint8_t bits = 0;      // 0: a type with one value
  word mask = 0;              // not shifted
};

class layout {
 public:
  // Assigns every variable its slots (writes variable.first_slot). O(slots).
  explicit layout(ir::program&);
  std::uint32_t words() const { return words_; }
  std::uint32_t bits() const { return bits_; }
  const std::vector<slot>& slots() const { return slots_; }

 private:
  std::vector<slot> slots_;
  std::uint32_t words_ = 0;
  std::uint32_t bits_ = 0;
};

inline word get(const word* state, const slot& s) { return (state[s.index] >> s.shift) & s.mask; }
inline void put(word* state, const slot& s, word code) {
  state[s.index] = (state[s.index] & ~(s.mask << s.shift)) | (code << s.shift);
}

}  // namespace quiesce
