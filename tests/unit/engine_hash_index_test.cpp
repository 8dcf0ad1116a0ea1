// SPDX-License-Identifier: MIT
// The index of the seen set alone, on hashes that states seldom have: many splits of one segment, long rows of entries of
// one place. What was put is found, whatever was split meanwhile.
#include "model/explicit/hash_index.hpp"

#include <gtest/gtest.h>

namespace quiesce::test {
namespace {

// States are numbers into a list of hashes.
class known_hashes final : public hash_index::reader {
 public:
  std::vector<std::uint64_t> all;
  mutable std::size_t asked = 0;
  std::uint64_t hash(std::uint32_t number) const override { return ++asked, all[number]; }

  void put(hash_index& index, std::uint64_t h) {
    const auto number = static_cast<std::uint32_t>(all.size());
    all.push_back(h);
    for (;;) {
      hash_index::segment* s = index.find(h);
      std::uint32_t at = hash_index::place(h), tries = 0;
      while (s->at[at] != 0 && ++tries <= hash_index::segment_mask) at = (at + 1) & hash_index::segment_mask;
      if (tries > hash_index::segment_mask) {
        index.relieve(s, *this);
        continue;
      }
      s->at[at] = hash_index::make(h, at, number);
      index.count(s, h, true, *this);
      index.reclaim(index.retired());
      return;
    }
  }

  // Along the entries from the place of the hash to the first free one, as a search goes.
  bool finds(const hash_index& index, std::uint32_t number) const {
    const hash_index::segment* s = index.find(all[number]);
    for (std::uint32_t at = hash_index::place(all[number]); s->at[at] != 0; at = (at + 1) & hash_index::segment_mask)
      if (hash_index::same_tag(s->at[at], all[number]) && hash_index::number(s->at[at]) == number) return true;
    return false;
  }

  std::size_t lost(const hash_index& index) const {
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < all.size(); ++i) n += !finds(index, i);
    return n;
  }
};

std::uint64_t scattered(std::uint64_t n) {
  n = (n + 1) * 0x9e3779b97f4a7c15u;
  n = (n ^ n >> 29) * 0xd6e8feb86659fd93u;
  return n ^ n >> 32;
}

TEST(hash_index, grows_without_a_look_at_the_states) {
  hash_index index;
  known_hashes states;
  for (std::uint64_t n = 0; n < 200000; ++n) states.put(index, scattered(n));
  EXPECT_EQ(states.lost(index), 0u);
  EXPECT_LT(states.asked, 4000u) << "entries far from their places are few";
}

TEST(hash_index, keeps_rows_of_entries_that_stand_far_from_their_place) {
  hash_index index;
  known_hashes states;
  const std::uint64_t one_place = std::uint64_t{8190} << 32, places = std::uint64_t{hash_index::segment_mask} << 32;
  for (std::uint64_t n = 0; n < 3000; ++n) states.put(index, (scattered(n) & ~places) | one_place);
  for (std::uint64_t n = 3000; n < 40000; ++n) states.put(index, scattered(n));
  EXPECT_EQ(states.lost(index), 0u);
  EXPECT_GT(states.asked, 2000u);
}

// More leading bits are the same than an entry says.
TEST(hash_index, splits_deeper_than_the_leading_bits_of_an_entry) {
  hash_index index;
  known_hashes states;
  const std::uint64_t leading = std::uint64_t{0xabcde} << 44;  // of 20 bits
  for (std::uint64_t n = 0; n < 30000; ++n) states.put(index, scattered(n) >> 20 | leading);
  EXPECT_EQ(states.lost(index), 0u);
  EXPECT_GT(states.asked, 30000u);
}

}  // namespace
}  // namespace quiesce::test
