// SPDX-License-Identifier: MIT
#pragma once
// Steps of many states at once, without a call for each. Plain data: generated code fills it too
// (model/explicit/native.hpp), so its layout is part of the interface between them; abi_of_batches changes with it.

#include <cstdint>

#include "model/system/layout.hpp"

namespace quiesce {

inline constexpr std::uint32_t abi_of_batches = 1;

// A step that is more than a new state, or a state without steps. Its state words are in successor_buffer::special_words.
struct special_step {
  static constexpr std::uint8_t no_step = 255;
  std::uint32_t parent = 0;
  std::uint8_t outcome = 0;  // step_outcome, or no_step: the parent has none
  std::uint8_t kind = 0;
  std::uint64_t violated = 0, marked = 0;
};

struct successor_buffer {
  word* words;             // of steps with outcome `state`, one after the other
  std::uint32_t* parents;  // the number of the state that each is a step of
  std::uint32_t count, capacity;
  word* special_words;
  special_step* specials;
  std::uint32_t special_count, special_capacity;
  word violated_mask,
      marked_mask;   // steps that violate or mark one of these are special; with outcome `state` they are in both lists
  word marked;       // what any step has marked
  word transitions;  // steps so far
  // Empties the lists; called when one is full. Nonzero: no further steps are wanted.
  std::uint32_t (*flush)(successor_buffer*);
  void* owner;
};

}  // namespace quiesce
