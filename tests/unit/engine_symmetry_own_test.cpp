// SPDX-License-Identifier: MIT
// Bits of elements as numbers: the same with and without the processor's instructions for it, and what is put where it was
// taken from is what it was.
#include "model/explicit/symmetry_own.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quiesce::test {
namespace {

using symmetries::own_bits;
using symmetries::put_bits;

// Disjoint bits of `elements` in some words, each element's as one or two numbers.
struct random_bits {
  std::mt19937_64 random{7};
  std::vector<word> state = std::vector<word>(5);
  std::vector<own_bits> taken;
  std::vector<std::vector<put_bits>> put = std::vector<std::vector<put_bits>>(5);  // by word
  std::uint32_t numbers = 0;

  explicit random_bits(std::uint32_t elements) {
    for (word& w : state) w = random();
    for (std::uint32_t e = 0; e < elements; ++e) add(e, ~word{0} / ((word{1} << elements) - 1) << e);
  }
  void add(std::uint32_t e, word bits) {
    const std::uint32_t first = numbers;
    std::uint32_t left = 64;
    for (std::uint32_t w = 0; w < state.size(); ++w) {
      const word mask = bits & random();
      const auto n = static_cast<std::uint32_t>(__builtin_popcountll(mask));
      if (n == 0) continue;
      if (left + n > 64) {
        if (numbers > first) taken.back().last = true;
        ++numbers, left = 0;
      }
      taken.push_back({e, w, mask, left, false, numbers - 1});
      put[w].push_back({mask, w, static_cast<std::uint16_t>(numbers - 1 - first), static_cast<std::uint8_t>(e),
                        static_cast<std::uint8_t>(left)});
      left += n;
    }
    starts.push_back(first);
    if (!taken.empty()) taken.back().last = true;
  }
  std::vector<std::uint32_t> starts;
};

TEST(symmetry_own, is_the_same_with_and_without_instructions_for_it) {
  for (const std::uint32_t elements : {1u, 2u, 3u, 7u}) {
    const random_bits x(elements);
    std::vector<word> a(x.numbers), b(x.numbers);
    std::vector<std::uint64_t> sum_a(elements), sum_b(elements);
    symmetries::sign_own_anywhere(x.taken, x.state.data(), sum_a.data(), a.data());
    symmetries::sign_own_fields(x.taken, x.state.data(), sum_b.data(), b.data());
    EXPECT_EQ(a, b);
    EXPECT_EQ(sum_a, sum_b);
    std::vector<const word*> numbers;
    for (const std::uint32_t s : x.starts) numbers.push_back(a.data() + s);
    for (std::size_t w = 0; w < x.state.size(); ++w) {
      word all = 0;
      for (const put_bits& p : x.put[w]) all |= p.mask;
      const put_bits *from = x.put[w].data(), *to = from + x.put[w].size();
      EXPECT_EQ(symmetries::put_own_anywhere(from, to, numbers.data()), x.state[w] & all);
      EXPECT_EQ(symmetries::put_own_fields(from, to, numbers.data()), x.state[w] & all);
    }
  }
}

}  // namespace
}  // namespace quiesce::test
