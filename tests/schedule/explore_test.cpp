// SPDX-License-Identifier: MIT
// The reduced exploration against all interleavings, on random small programs; the normal form against the definition.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "conformance/schedule_explore.hpp"
#include "conformance/schedule_relation.hpp"

namespace quiesce::test {
namespace {

using namespace conformance;

// Actors that read, count on, write and lock a few objects, one access in each move.
struct toy_program {
  std::vector<std::vector<access>> actors;
};

constexpr std::uint64_t lock_object = 100;

toy_program arbitrary_program(std::mt19937& source) {
  toy_program p;
  const auto pick = [&](int n) { return static_cast<int>(source() % static_cast<unsigned>(n)); };
  p.actors.resize(static_cast<std::size_t>(2 + pick(2)));
  for (auto& moves : p.actors) {
    const int n = 1 + pick(p.actors.size() == 2 ? 5 : 3);
    bool held = false;
    for (int i = 0; i < n; ++i) {
      constexpr access_kind kinds[] = {access_kind::reads, access_kind::counts, access_kind::writes};
      const bool lock = pick(3) == 0;
      if (lock) moves.push_back({held ? access_kind::releases : access_kind::acquires, lock_object});
      if (lock)
        held = !held;
      else
        moves.push_back({kinds[pick(3)], static_cast<std::uint64_t>(pick(3))});
    }
    if (held) moves.push_back({access_kind::releases, lock_object});
  }
  return p;
}

letter letter_of(std::uint32_t actor, std::size_t index, const access& a) {
  const touch_mode mode = a.kind == access_kind::reads    ? touch_mode::reads
                          : a.kind == access_kind::counts ? touch_mode::counts
                                                          : touch_mode::writes;
  return {std::to_string(actor) + ":" + std::to_string(index), actor, {{a.object, mode}}};
}

struct toy_run {
  explicit toy_run(const toy_program& of) : p(of), next(of.actors.size(), 0) {}
  std::vector<std::uint32_t> enabled() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t a = 0; a < p.actors.size(); ++a)
      if (next[a] < p.actors[a].size() && !(locked && p.actors[a][next[a]].kind == access_kind::acquires)) out.push_back(a);
    return out;
  }
  access step(std::uint32_t actor) {
    const access a = p.actors[actor][next[actor]];
    form.add(letter_of(actor, next[actor]++, a));
    if (a.kind == access_kind::acquires) locked = true;
    if (a.kind == access_kind::releases) locked = false;
    return a;
  }
  const toy_program& p;
  std::vector<std::size_t> next;
  bool locked = false;
  normal_form form;
};

void all_interleavings(const toy_run& at, std::set<class_id>& classes, std::size_t& runs) {
  const auto enabled = at.enabled();
  if (enabled.empty()) ++runs, classes.insert(at.form.id());
  for (const std::uint32_t a : enabled) {
    toy_run next = at;
    next.step(a);
    all_interleavings(next, classes, runs);
  }
}

TEST(explore, shows_each_class_once_and_all_of_them) {
  std::size_t reduced = 0, naive = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 source(seed);
    const toy_program p = arbitrary_program(source);
    std::set<class_id> expected, found;
    std::size_t runs = 0;
    all_interleavings(toy_run(p), expected, runs);
    class_id last;
    const auto r = explore_all(
        [&](chooser& c) {
          toy_run run(p);
          for (auto enabled = run.enabled(); !enabled.empty(); enabled = run.enabled()) {
            const std::uint32_t actor = c.choose(enabled);
            c.moved({actor, {run.step(actor)}});
          }
          last = run.form.id();
        },
        {}, [&](const auto&) { return found.insert(last), true; });
    EXPECT_TRUE(r.exhausted) << r.nondeterminism;
    EXPECT_EQ(found, expected) << "seed " << seed;
    EXPECT_EQ(r.executions, expected.size()) << "seed " << seed;
    reduced += r.executions + r.redundant;
    naive += runs;
  }
  EXPECT_LT(reduced * 4, naive);
}

TEST(explore, hidden_nondeterminism_is_reported) {
  int turn = 0;
  const auto r = explore_all(
      [&](chooser& c) {
        ++turn;
        std::vector<std::uint32_t> left = {0, 1,
                                           2};  // 1 and 2 are in conflict; 0 goes first, and the second time does otherwise
        while (!left.empty()) {
          const std::uint32_t actor = c.choose(left);
          c.moved({actor, {{access_kind::writes, actor != 0 ? 1u : turn == 2 ? 7u : 5u}}});
          std::erase(left, actor);
        }
      },
      {}, [](const auto&) { return true; });
  EXPECT_FALSE(r.exhausted);
  EXPECT_FALSE(r.nondeterminism.empty());
}

std::vector<letter> letters(const std::string& trace) {
  std::vector<letter> out;  // a, b: task 0; c, d: task 1; a, c write x; b, d count on y
  for (const char ch : trace) {
    const bool writes = ch == 'a' || ch == 'c';
    out.push_back(
        {std::string(1, ch), ch >= 'c' ? 1u : 0u, {{writes ? 1u : 2u, writes ? touch_mode::writes : touch_mode::counts}}});
  }
  return out;
}

TEST(normal_form, is_the_same_for_neighbours_exchanged_that_are_independent_and_for_no_others) {
  EXPECT_EQ(class_of_trace(letters("abcd")), class_of_trace(letters("acbd")));
  EXPECT_EQ(class_of_trace(letters("acbd")), class_of_trace(letters("acdb")));
  EXPECT_NE(class_of_trace(letters("abcd")), class_of_trace(letters("cadb")));
  EXPECT_NE(class_of_trace(letters("ab")), class_of_trace(letters("ba")));
}

TEST(relation, holds_and_puts_of_a_device_commute_and_a_poll_does_not) {
  const auto on = [](const char* name, std::int64_t dev) { return touches_of(class_of(name), dev, 0); };
  EXPECT_FALSE(dependent(on("dev_hold", 1), on("dev_put", 1)));
  EXPECT_TRUE(dependent(on("netdev_refcnt_poll", 1), on("dev_put", 1)));
  EXPECT_FALSE(dependent(on("netdev_refcnt_poll", 1), on("dev_put", 2)));
  EXPECT_TRUE(dependent(on("NETDEV_DOWN", 1), on("rtnl_lock", -1)));
  EXPECT_FALSE(dependent(on("free_netdev", 1), on("NETDEV_DOWN", 2)));
  EXPECT_TRUE(dependent(on("an event without a class", 1), on("another", 2)));
}

}  // namespace
}  // namespace quiesce::test
