// SPDX-License-Identifier: MIT
// What an engine found counts only if it is true at first, kept by every step, and excludes what is bad.

#include <gtest/gtest.h>

#include "model/symbolic/invariant.hpp"
#include "tests/support/model_text.hpp"

namespace quiesce::symbolic {
namespace {

// n counts from 0 to 3.
struct counter {
  std::unique_ptr<transition_system> system =
      test::from_text("var n: 0..5 = 0;\nprocess p { while true { atomic { wait until n < 3; n := n + 1; } } }\n", {});
  finite_system encoded = encode(*system);
  circuit graph = encoded.graph;

  literal is(std::uint64_t value, const std::vector<literal>& state) {
    const ir::program& p = system->program();
    for (const ir::variable& v : p.variables)
      if (v.name == "n") {
        const field& f = encoded.fields[v.first_slot];
        EXPECT_TRUE(f.one_hot);
        return state[f.first + value];
      }
    return always_false;
  }
  literal one_of(const std::vector<std::uint64_t>& values, const std::vector<literal>& state) {
    std::vector<literal> all;
    for (const std::uint64_t v : values) all.push_back(is(v, state));
    return any_of(graph, all);
  }
  // That n is one of these is an invariant, and excludes that it is `bad`.
  bool confirmed(const std::vector<std::uint64_t>& values, std::uint64_t bad = 5) {
    const state_condition c{one_of(values, encoded.state), one_of(values, encoded.step.next),
                            one_of(values, encoded.initial.next)};
    return is_invariant(graph, encoded, c, is(bad, encoded.state), {});
  }
};

TEST(finite_invariant, what_is_kept_is_confirmed) { EXPECT_TRUE(counter().confirmed({0, 1, 2, 3})); }
TEST(finite_invariant, what_a_step_breaks_is_not) { EXPECT_FALSE(counter().confirmed({0, 1, 2})); }
TEST(finite_invariant, what_is_not_true_at_first_is_not) { EXPECT_FALSE(counter().confirmed({1, 2, 3})); }
TEST(finite_invariant, what_allows_the_bad_is_not) { EXPECT_FALSE(counter().confirmed({0, 1, 2, 3, 4}, 4)); }

}  // namespace
}  // namespace quiesce::symbolic
