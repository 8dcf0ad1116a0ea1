// SPDX-License-Identifier: MIT
// Z3 in this process, where a question was interrupted.
#include "model/symbolic/solver.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace quiesce::symbolic {
namespace {

const char* const prelude = "(declare-fun f () Bool)\n";
const char* const known = "(push 1)\n(assert f)\n";

// One hole too few for the pigeons: more steps than a quick solver has.
std::string pigeons(int n) {
  std::string out;
  for (int p = 0; p <= n; ++p)
    for (int h = 0; h < n; ++h) out += fmt::format("(declare-fun p{}_{} () Bool)\n", p, h);
  for (int p = 0; p <= n; ++p) {
    out += "(assert (or";
    for (int h = 0; h < n; ++h) out += fmt::format(" p{}_{}", p, h);
    out += "))\n";
  }
  for (int h = 0; h < n; ++h)
    for (int p = 0; p <= n; ++p)
      for (int q = 0; q < p; ++q) out += fmt::format("(assert (not (and p{}_{} p{}_{})))\n", p, h, q, h);
  return out;
}

TEST(solver, knows_what_it_was_told_behind_a_question_that_was_interrupted) {
  solver z3(60000, tuned_for::quick_proofs, prelude);
  z3.tell(known);
  ASSERT_EQ(z3.decide(pigeons(12), known), answer::unknown);
  EXPECT_EQ(z3.decide("(assert (not f))\n", known), answer::unsat);
  EXPECT_EQ(z3.decide("(assert f)\n", known), answer::sat);
  z3.tell("(pop 1)\n");
  EXPECT_EQ(z3.decide("(assert (not f))\n"), answer::sat);
  EXPECT_NO_THROW(z3.require_closed());
}

TEST(solver, a_level_that_stays_open_is_noticed) {
  solver z3(1000, tuned_for::proofs, prelude);
  z3.tell("(push 1)\n");
  EXPECT_THROW(z3.require_closed(), core_error);
}

}  // namespace
}  // namespace quiesce::symbolic
