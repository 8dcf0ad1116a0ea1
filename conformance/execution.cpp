// SPDX-License-Identifier: MIT
#include "conformance/execution.hpp"

namespace quiesce::conformance {

namespace {
// Knuth's MMIX generator: small, and the same everywhere.
std::uint64_t advance(std::uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }
}  // namespace

void in_turn::run(std::vector<task_body>& bodies) {
  std::vector<std::size_t> next(bodies.size(), 0), waiting;
  for (std::size_t turn = 0;; ++turn) {
    waiting.clear();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (next[i] < bodies[i].steps.size()) waiting.push_back(i);
    if (waiting.empty()) return;
    std::size_t chosen = waiting.front();
    if (order_ != 0) {
      order_ = advance(order_);
      chosen = waiting[(order_ >> 33) % waiting.size()];
    } else {
      for (std::size_t i : waiting)
        if (next[i] < next[chosen]) chosen = i;
    }
    bodies[chosen].steps[next[chosen]++]();
  }
}

}  // namespace quiesce::conformance
