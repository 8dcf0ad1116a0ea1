// SPDX-License-Identifier: MIT
// States met last: what is dropped was met, what was not met is kept, whatever falls into the same place.

#include "model/explicit/recent_states.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace quiesce {
namespace {

using states = std::vector<word>;

class engine_recent_states : public testing::TestWithParam<std::uint32_t> {
 protected:
  states random_states(std::size_t count, word values) {
    states out(count * GetParam());
    for (word& w : out) w = random_() % values;
    return out;
  }
  std::vector<states> apart(const states& all, std::size_t count) const {
    std::vector<states> out;
    for (std::size_t k = 0; k < count; ++k)
      out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(k * GetParam()),
                       all.begin() + static_cast<std::ptrdiff_t>((k + 1) * GetParam()));
    return out;
  }
  std::mt19937_64 random_{1};
};

TEST_P(engine_recent_states, a_state_that_was_not_met_is_kept) {
  recent_states recent(GetParam());
  std::set<states> met;
  for (int k = 0; k < 200; ++k) {
    states some = random_states(300, 40);
    const std::vector<states> given = apart(some, 300);
    const std::uint32_t kept = recent.keep_others(some.data(), 300);
    const std::vector<states> left = apart(some, kept);
    std::size_t next = 0;
    for (const states& s : given) {  // those left are some of those given, in their order, and all new ones are among them
      const bool is_left = next < left.size() && left[next] == s;
      if (met.insert(s).second) {
        ASSERT_TRUE(is_left);
      }
      next += is_left;
    }
    ASSERT_EQ(next, left.size());
  }
}

TEST_P(engine_recent_states, what_was_just_met_is_dropped) {
  recent_states recent(GetParam());
  states one = random_states(1, ~word{0});
  EXPECT_EQ(recent.keep_others(one.data(), 1), 1u);
  EXPECT_EQ(recent.keep_others(one.data(), 1), 0u);
}

TEST_P(engine_recent_states, the_state_of_zeros_is_kept_once) {
  recent_states recent(GetParam());
  states zeros(std::size_t{2} * GetParam());
  EXPECT_EQ(recent.keep_others(zeros.data(), 2), 1u);
}

INSTANTIATE_TEST_SUITE_P(of_words, engine_recent_states, testing::Values(1u, 2u, 3u, 5u, 70u));

}  // namespace
}  // namespace quiesce
