// SPDX-License-Identifier: MIT
// How a level is dealt to threads: every state to exactly one of them.
#include "model/explicit/level_shares.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace quiesce::test {
namespace {

using range = seen_set::range;
using ranges = std::vector<range>;

ranges all_of(level_shares& shares, unsigned thread) {
  ranges out;
  while (const auto r = shares.take(thread)) out.push_back(*r);
  return out;
}

// The states of all, each once; every grain within a page and no larger than allowed.
std::set<seen_set::index> states_of(const std::vector<ranges>& taken, seen_set::index grain) {
  std::set<seen_set::index> out;
  for (const ranges& some : taken)
    for (range r : some) {
      EXPECT_LE(r.count, grain);
      EXPECT_EQ(r.first / seen_set::page_states, (r.first + r.count - 1) / seen_set::page_states);
      for (seen_set::index i = r.first; i < r.first + r.count; ++i) EXPECT_TRUE(out.insert(i).second) << i;
    }
  return out;
}

TEST(engine_level_shares, a_thread_gets_what_it_built_where_that_is_a_fair_part) {
  level_shares shares({{{0, 40}}, {{100, 40}}}, 2, 10);
  EXPECT_EQ(shares.take(1)->first, 100u);
  EXPECT_EQ(shares.take(0)->first, 0u);
  EXPECT_EQ(shares.take(1)->first, 110u);
}

TEST(engine_level_shares, who_built_nothing_gets_as_much_as_the_others) {
  level_shares shares({{{0, 90}}}, 3, 10);
  for (unsigned t = 0; t < 3; ++t) EXPECT_EQ(shares.take(t)->first, 30 * t);
}

TEST(engine_level_shares, who_is_done_takes_what_others_have_left) {
  level_shares shares({{{7, 25}}, {{1000, 25}}}, 2, 4);
  const ranges all = all_of(shares, 1);
  EXPECT_EQ(states_of({all}, 4).size(), 50u);
  EXPECT_FALSE(shares.take(0));
}

TEST(engine_level_shares, nothing_is_left_behind_drop) {
  level_shares shares({{{0, 90}}}, 2, 10);
  shares.drop();
  EXPECT_FALSE(shares.take(0));
  EXPECT_FALSE(shares.take(1));
}

TEST(engine_level_shares, threads_at_once_take_each_state_once_across_pages) {
  const seen_set::index page = seen_set::page_states;
  level_shares shares({{{page - 3000, 5000}, {page + 9000, 1}}, {}, {{5, 20000}}}, 4, 16);
  std::vector<ranges> taken(4);
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < 4; ++t) running.emplace_back([&, t] { taken[t] = all_of(shares, t); });
  }
  EXPECT_EQ(states_of(taken, 16).size(), 25001u);
}

}  // namespace
}  // namespace quiesce::test
