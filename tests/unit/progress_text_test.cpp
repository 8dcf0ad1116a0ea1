// SPDX-License-Identifier: MIT
#include "model/report/progress_text.hpp"

#include <gtest/gtest.h>

namespace quiesce::test {
namespace {

TEST(progress_text, says_how_much_how_fast_and_how_full) {
  search_progress p;
  p.states = 1234567;
  p.transitions = 7000000;
  p.frontier = 4321;
  p.depth = 55;
  p.memory_bytes = std::uint64_t{100} << 20;
  EXPECT_EQ(report::progress_text(p, 0), "1234567 states, 7000000 steps, frontier 4321, depth 55, 100 MiB");
  p.memory_limit = std::uint64_t{1000} << 20;
  EXPECT_EQ(report::progress_text(p, 2345678),
            "1234567 states, 7000000 steps, frontier 4321, depth 55, 2.35M states/s, 100 MiB, 10 % full");
  p.state_limit = 2469134;  // nearer than the memory
  EXPECT_EQ(report::progress_text(p, 45000),
            "1234567 states, 7000000 steps, frontier 4321, depth 55, 45k states/s, 100 MiB, 50 % full");
}

TEST(progress_text, engines_without_states_say_their_depth) {
  search_progress p;
  p.depth = 7;
  EXPECT_EQ(report::progress_text(p, 0), "depth 7");
}

}  // namespace
}  // namespace quiesce::test
