// SPDX-License-Identifier: MIT
// Sets without numbers against a set of the standard library.
#include "model/explicit/quotient_set.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

#include "model/explicit/bare_set.hpp"

namespace quiesce::test {
namespace {

// Random states and near copies of earlier ones; `used`: bits of each word.
void compare(compact_set& set, const std::vector<std::uint32_t>& used, std::size_t count) {
  std::mt19937_64 random(used[0] * 1000 + used.size());
  std::set<std::vector<word>> known;
  std::vector<std::vector<word>> recent;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<word> x(used.size());
    for (std::size_t w = 0; w < used.size(); ++w) x[w] = random() >> (64 - used[w]);
    if (recent.size() > 8 && random() % 3 != 0) {
      x = recent[random() % recent.size()];
      const std::size_t w = random() % used.size();
      if (random() % 2) x[w] ^= word{1} << (random() % used[w]);
    }
    recent.push_back(x);
    ASSERT_EQ(set.insert(x.data()), known.insert(x).second) << k;
  }
  EXPECT_EQ(set.size(), known.size());
}

TEST(engine_compact_set, quotients_are_exact_for_states_of_any_width) {
  for (const std::vector<std::uint32_t>& used : std::vector<std::vector<std::uint32_t>>{
           {1}, {5}, {9}, {20}, {63}, {64}, {64, 1}, {64, 30}, {17, 60}, {64, 64, 3}, {64, 63, 62, 61, 60}}) {
    quotient_set set(used);
    compare(set, used, 20000);
  }
}

TEST(engine_compact_set, a_state_of_94_bits_costs_12_bytes_at_most) {
  quotient_set set({64, 30});
  std::mt19937_64 random(1);
  for (int k = 0; k < 1000000; ++k) {
    const word x[] = {random(), random() >> 34};
    set.insert(x);
  }
  EXPECT_EQ(set.size(), 1000000u);
  EXPECT_LE(set.memory_bytes(), 12u * 1000000u);
}

TEST(engine_compact_set, many_at_once_are_as_one_by_one) {
  std::mt19937_64 random(5);
  quotient_set many({64, 30}), single({64, 30});
  std::vector<std::uint64_t> known;
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::uint32_t>(1 + random() % 500);
    std::vector<word> states;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (known.empty() || random() % 2) known.push_back(random());
      const word x = known[random() % known.size()];
      states.insert(states.end(), {x, x >> 40});
    }
    const std::unique_ptr<bool[]> fresh(new bool[n]);
    many.insert_many(states.data(), n, fresh.get());
    for (std::uint32_t k = 0; k < n; ++k) ASSERT_EQ(fresh[k], single.insert(&states[2 * k])) << round << " " << k;
  }
  EXPECT_EQ(many.size(), single.size());
}

TEST(engine_compact_set, bare_states_are_exact_whether_room_was_made_or_not) {
  for (const std::vector<std::uint32_t>& used :
       std::vector<std::vector<std::uint32_t>>{{1}, {5}, {64}, {64, 30}, {17, 60, 3}, {64, 63, 62, 61, 60}})
    for (const std::uint64_t expected : {0u, 1u, 1000u, 20000u}) {
      bare_set set(static_cast<std::uint32_t>(used.size()), expected);
      compare(set, used, 20000);
    }
}

TEST(engine_compact_set, a_bare_table_that_was_large_enough_does_not_grow) {
  bare_set set(2, 1000000);
  const std::uint64_t before = set.memory_bytes();
  std::mt19937_64 random(1);
  for (int k = 0; k < 1000000; ++k) {
    const word x[] = {random(), random() >> 34};
    set.insert(x);
  }
  EXPECT_EQ(set.memory_bytes(), before);
}

TEST(engine_compact_set, hashes_differ_where_states_do) {
  hash_set set(2);
  compare(set, {64, 30}, 20000);
  EXPECT_GT(set.omission_probability(), 0.0);
  EXPECT_LT(set.omission_probability(), 1e-9);
}

}  // namespace
}  // namespace quiesce::test
