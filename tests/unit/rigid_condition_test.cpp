// SPDX-License-Identifier: MIT
// Values of `rigid` tables are refused early, element by element; what is left is what the whole condition allows. Behind
// a part about no single element, nothing is asked early: the same tables must come out.

#include <gtest/gtest.h>

#include "model/explicit/search.hpp"
#include "tests/support/model_text.hpp"

namespace quiesce::test {
namespace {

std::vector<std::vector<word>> initial_states(const std::string& condition) {
  const auto system = from_text(
      "sort dev;\nrigid odd: dev -> bool;\nrigid up_of: dev -> option<dev> where " + condition + ";\nprocess p { idle; }\n",
      {{"dev", 3}});
  search_options o;
  o.threads = 1;
  return reachable_states(*system, o);
}

struct rigid_condition : testing::TestWithParam<const char*> {};

TEST_P(rigid_condition, asked_early_or_at_the_end_allows_the_same_tables) {
  const std::string c = GetParam();
  const auto early = initial_states(c);
  EXPECT_EQ(early, initial_states("(some x: dev : odd(x) || !odd(x)) && (" + c + ")"));
  EXPECT_FALSE(early.empty());
}

INSTANTIATE_TEST_SUITE_P(of, rigid_condition,
                         testing::Values("all u: dev : up_of(u) != u",
                                         "all u: dev, d: dev where up_of(u) == d : u != d && up_of(d) == none",
                                         "all u: dev, d: dev where up_of(u) == d : up_of(d) == none && odd(u)",
                                         "all d: dev, u: dev where up_of(u) == d : u != d && odd(d)",
                                         "(all u: dev : odd(u) => up_of(u) == none) && (all u: dev : up_of(u) != u)",
                                         "(all u: dev : up_of(u) == none || odd(u)) && (some u: dev : up_of(u) == none)",
                                         "all u: dev : (some d: dev : up_of(u) == d) => odd(u)",
                                         "all u: dev : false => up_of(u) == none"));

}  // namespace
}  // namespace quiesce::test
