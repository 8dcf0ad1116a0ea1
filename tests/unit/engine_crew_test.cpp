// SPDX-License-Identifier: MIT
// Threads that stay between levels: each call is done by as many as are asked for, and all of it is seen behind it.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>
#include <thread>

#include "model/explicit/crew.hpp"

namespace quiesce {
namespace {

TEST(engine_crew, each_member_works_once_at_each_call) {
  for (int again = 0; again < 20; ++again) {
    crew all;
    std::array<long, 4> done{}, expected{};  // not atomic: run() is what orders them
    for (unsigned k = 0; k < 300; ++k) {
      const unsigned n = 1 + (k * 7 + 3) % 4;
      all.run(n, [&](unsigned t) { done[t] += k; });
      for (unsigned t = 0; t < n; ++t) expected[t] += k;
      ASSERT_EQ(done, expected) << "call " << k;
    }
  }
}

TEST(engine_crew, a_member_is_the_same_thread_at_every_call) {
  crew all;
  std::array<std::set<std::thread::id>, 3> ids;
  for (const unsigned n : {3u, 1u, 2u, 3u}) all.run(n, [&](unsigned t) { ids[t].insert(std::this_thread::get_id()); });
  for (const auto& of_one : ids) EXPECT_EQ(of_one.size(), 1u);
  EXPECT_TRUE(ids[0].count(std::this_thread::get_id()));
}

TEST(engine_crew, sleeping_members_are_woken) {
  crew all;
  int calls = 0;
  for (int k = 0; k < 5; ++k) {
    all.run(2, [&](unsigned t) {
      if (t == 1) ++calls;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // long behind its last look
  }
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace quiesce
