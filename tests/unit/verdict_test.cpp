// SPDX-License-Identifier: MIT
#include "model/verdict/verdict.hpp"

#include <gtest/gtest.h>

#include "model/verdict/hash.hpp"

namespace quiesce {
namespace {

TEST(verdict, the_status_of_several_results_is_the_gravest) {
  const int order[] = {70, 65, 64, 10, 12, 11, 13, 14, 2, 0};
  for (std::size_t i = 0; i < std::size(order); ++i)
    for (std::size_t j = i; j < std::size(order); ++j) {
      EXPECT_EQ(combine(order[i], order[j]), order[i]);
      EXPECT_EQ(combine(order[j], order[i]), order[i]);
    }
}

TEST(verdict, only_holds_has_status_0) {
  EXPECT_EQ(status_of(verdict_kind::holds), 0);
  EXPECT_EQ(status_of(verdict_kind::unknown), 2);
  EXPECT_EQ(status_of(verdict_kind::deadlock), 11);
  EXPECT_EQ(status_of(verdict_kind::violated), 12);
  EXPECT_EQ(status_of(verdict_kind::vacuous), 14);
}

TEST(verdict, an_expectation_is_met_by_its_own_kind_only) {
  using e = ast::expectation;
  using k = verdict_kind;
  const std::pair<e, k> pairs[] = {
      {e::holds, k::holds}, {e::violated, k::violated}, {e::unknown, k::unknown}, {e::vacuous, k::vacuous}, {e::deadlock, k::deadlock}};
  for (const auto& [expected, unused1] : pairs)
    for (const auto& [same, kind] : pairs) EXPECT_EQ(meets(expected, kind), expected == same);
}

// FIPS 180-2 gives the digest of "abc"; a part adds its label and length in front.
TEST(hash, is_sha_256_of_labelled_parts) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(sha256({{"a", "bc"}}), sha256({{"a", "b"}, {"a", "c"}}));
  EXPECT_NE(sha256({{"a", "bc"}}), sha256({{"ab", "c"}}));
  EXPECT_NE(sha256({{"a", ""}}), sha256({}));
}

}  // namespace
}  // namespace quiesce
