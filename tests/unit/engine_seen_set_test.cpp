// SPDX-License-Identifier: MIT
// The seen set alone: what several threads insert at once, over many splits of its index.
#include "model/explicit/seen_set.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace quiesce::test {
namespace {

constexpr std::uint32_t predecessors = 32;

// State number k: words of no structure, the last tells it from all others.
void write_state(word* to, std::uint32_t words, std::uint64_t k) {
  for (std::uint32_t w = 0; w < words; ++w) to[w] = (k * 0x9e3779b97f4a7c15u) >> (w % 40);
  to[words - 1] = k;
}

// Every thread inserts every state once, each with another predecessor.
void insert_all(seen_set& seen, seen_set::inserter& in, std::uint64_t states, unsigned thread, seen_set::index level,
                bool alone) {
  constexpr std::uint32_t at_once = 300;
  std::vector<word> words(std::size_t{at_once} * seen.words());
  std::vector<seen_set::index> parents(at_once);
  for (std::uint64_t from = 0; from < states; from += at_once) {
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(at_once, states - from));
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t k = (from + i + thread * 977) % states;
      write_state(&words[std::size_t{i} * seen.words()], seen.words(), predecessors + k);
      parents[i] = static_cast<seen_set::index>((k * 7 + thread * 5) % predecessors);
    }
    in.insert(words.data(), parents.data(), n, level, alone);
  }
  in.flush(level, alone);
}

void expect_all(const seen_set& seen, const std::vector<seen_set::range>& level, std::uint64_t states, unsigned threads) {
  std::map<std::vector<word>, seen_set::index> found;
  for (seen_set::range r : level)
    for (seen_set::index i = r.first; i < r.first + r.count; ++i)
      ASSERT_TRUE(found.emplace(std::vector<word>(seen.state(i), seen.state(i) + seen.words()), i).second) << "twice";
  ASSERT_EQ(found.size(), states);
  std::vector<word> s(seen.words());
  for (std::uint64_t k = 0; k < states; ++k) {
    write_state(s.data(), seen.words(), predecessors + k);
    ASSERT_TRUE(found.count(s));
    seen_set::index least = seen_set::none;
    for (unsigned t = 0; t < threads; ++t) {
      const auto p = static_cast<seen_set::index>((k * 7 + t * 5) % predecessors);
      if (least == seen_set::none || seen.less(seen.state(p), seen.state(least))) least = p;
    }
    ASSERT_EQ(seen.parent(found[s]), least);
  }
}

void fill(std::uint32_t words, std::uint64_t states, unsigned threads) {
  seen_set seen(words);
  std::vector<std::unique_ptr<seen_set::inserter>> in;
  std::vector<seen_set::inserter*> all;
  for (unsigned t = 0; t < threads; ++t) all.push_back(in.emplace_back(seen.make_inserter()).get());
  std::vector<word> s(words);
  for (std::uint32_t k = 0; k < predecessors; ++k) {
    write_state(s.data(), words, predecessors - 1 - k);
    in[0]->insert(s.data(), &seen_set::none, 1, 0, true);
  }
  ASSERT_EQ(seen.close_level(all).at(0).count, predecessors);
  const seen_set::index level = seen.end();
  {
    std::vector<std::jthread> running;
    for (unsigned t = 1; t < threads; ++t)
      running.emplace_back([&, t] { insert_all(seen, *in[t], states, t, level, false); });
    insert_all(seen, *in[0], states, 0, level, threads == 1);
  }
  const auto built = seen.close_level(all);
  EXPECT_EQ(seen.size(), states + predecessors);
  expect_all(seen, built, states, threads);
}

TEST(engine_seen_set, one_thread_keeps_each_state_once) { fill(1, 30000, 1); }
TEST(engine_seen_set, two_threads_keep_each_state_once_with_its_least_predecessor) { fill(2, 60000, 2); }
TEST(engine_seen_set, many_threads_and_wide_states) { fill(5, 40000, 5); }

}  // namespace
}  // namespace quiesce::test
