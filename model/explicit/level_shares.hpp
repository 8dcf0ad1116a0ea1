// SPDX-License-Identifier: MIT
#pragma once
// The states of a level, dealt to the threads that expand it.
//
// A thread gets the states that it has built itself as long as that is a fair part: they and their neighbours in the state
// graph are in its processor's cache, and what two such states both lead to is found by one thread instead of two. Who is
// done takes from the far end of another's share. The dealing changes speed only: what a search finds does not depend on it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/explicit/seen_set.hpp"

namespace quiesce {

class level_shares {
 public:
  using range = seen_set::range;

  // `built`: the states of each thread's own, together the level. Grains are of at most `grain` states of one page.
  // n > 0 threads. O(grains).
  level_shares(const std::vector<std::vector<range>>& built, unsigned n, seen_set::index grain);

  // A grain for thread `t`, nobody else's; nothing: there are none left. Any thread may ask.
  std::optional<range> take(unsigned t);
  // No thread gets another one.
  void drop();

  std::size_t size() const { return grains_; }

 private:
  struct share {
    std::vector<range> grains;
    alignas(64) std::atomic<std::uint64_t> left{0};  // first grain that is left, then one behind the last: 32 bits each
  };
  std::optional<range> front(share&);
  std::optional<range> back(share&);
  void even_out();

  std::vector<std::unique_ptr<share>> shares_;
  std::size_t grains_ = 0;
};

}  // namespace quiesce
