// SPDX-License-Identifier: MIT
#include <algorithm>

#include "model/system/system.hpp"

namespace quiesce {

bool put_step(successor_buffer& b, const step& x, std::uint32_t parent, std::uint32_t words) {
  ++b.transitions;
  b.marked |= x.marked;
  const bool plain = x.outcome == step_outcome::state;
  bool stop = false;
  if (!plain || (x.violated & b.violated_mask) || (x.marked & b.marked_mask)) {
    std::copy_n(x.state, words, b.special_words + std::size_t{b.special_count} * words);
    b.specials[b.special_count] = {parent, static_cast<std::uint8_t>(x.outcome), x.kind, x.violated, x.marked};
    if (++b.special_count == b.special_capacity) stop = b.flush(&b) != 0;
  }
  if (!plain) return stop;
  std::copy_n(x.state, words, b.words + std::size_t{b.count} * words);
  b.parents[b.count] = parent;
  if (++b.count == b.capacity) stop = b.flush(&b) != 0 || stop;
  return stop;
}

namespace {
struct stopped {};
}  // namespace

bool stepper::expand(const word* states, std::uint32_t first, std::uint32_t count, successor_buffer& b) {
  const std::uint32_t words = words_of_state();
  try {
    for (std::uint32_t i = 0; i < count; ++i) {
      const word* from = states + std::size_t{i} * words;
      bool any = false;
      successors(from, [&](const step& x) {
        any = true;
        if (put_step(b, x, first + i, words)) throw stopped{};
      });
      if (any) continue;
      std::copy_n(from, words, b.special_words + std::size_t{b.special_count} * words);
      b.specials[b.special_count] = {first + i, special_step::no_step, 0, 0, 0};
      if (++b.special_count == b.special_capacity && b.flush(&b) != 0) return true;
    }
  } catch (const stopped&) {
    return true;
  }
  return false;
}

}  // namespace quiesce
