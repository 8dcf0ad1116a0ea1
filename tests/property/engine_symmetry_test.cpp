// SPDX-License-Identifier: MIT
// The reduced exploration against the full one: the reduced states are exactly the representatives of the reachable ones,
// and everything that is found is found at the same depth.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/explicit/search.hpp"
#include "model/explicit/symmetry.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/unpack.hpp"

namespace quiesce::test {
namespace {

constexpr std::size_t most_states = 4000;

struct pair_of_searches {
  std::unique_ptr<transition_system> system;
  search_result full, reduced;
  std::set<std::vector<word>> reduced_states;
  std::vector<std::vector<word>> all_states;
};

pair_of_searches explore_both(const program_shape& shape) {
  pair_of_searches out;
  out.system = make_interpreter(
      random_program([](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, shape));
  search_options o;
  o.threads = 1;
  o.max_states = most_states;
  out.full = explore(*out.system, o);
  if (!out.full.complete) RC_DISCARD("too large");
  out.all_states = reachable_states(*out.system, o);
  o.symmetry = true;
  out.reduced = explore(*out.system, o);
  for (auto& s : reachable_states(*out.system, o)) out.reduced_states.insert(s);
  return out;
}

void expect_same_finding(const transition_system& s, const std::optional<finding>& full,
                         const std::optional<finding>& reduced) {
  RC_ASSERT(full.has_value() == reduced.has_value());
  if (!full) return;
  RC_ASSERT(full->depth == reduced->depth);
  RC_ASSERT(reduced->run.steps.size() == reduced->depth + 1);
  RC_ASSERT(replays(s, reduced->run));
}

void expect_same_findings(const pair_of_searches& x) {
  RC_ASSERT(x.reduced.complete);
  RC_ASSERT(x.full.marked == x.reduced.marked);
  RC_ASSERT(x.full.depth == x.reduced.depth);
  for (std::size_t i = 0; i < x.full.properties.size(); ++i)
    expect_same_finding(*x.system, x.full.properties[i], x.reduced.properties[i]);
  expect_same_finding(*x.system, x.full.deadlock, x.reduced.deadlock);
  RC_ASSERT(x.full.errors.size() == x.reduced.errors.size());
  for (const auto& [k, f] : x.full.errors) expect_same_finding(*x.system, f, x.reduced.errors.at(k));
  RC_ASSERT(x.full.bounds.size() == x.reduced.bounds.size());
  for (const auto& [k, f] : x.full.bounds) expect_same_finding(*x.system, f, x.reduced.bounds.at(k));
}

void expect_exact_orbits(const pair_of_searches& x) {
  symmetry group(*x.system);
  RC_TAG(group.trivial() ? "trivial" : "order " + std::to_string(group.order()));
  if (group.trivial()) {
    RC_ASSERT(x.reduced.states == x.full.states);
    return;
  }
  auto canonical = group.make_canonicaliser();
  std::set<std::vector<word>> representatives;
  for (const auto& s : x.all_states) {
    std::vector<word> mine = s;
    canonical->canonical(mine.data());
    representatives.insert(mine);
    std::vector<word> again = mine;
    canonical->canonical(again.data());
    RC_ASSERT(again == mine);
    // Every member of the orbit has the same representative.
    for (std::uint64_t g = 0; g < group.order(); ++g) {
      std::vector<word> image = s;
      group.permute(image.data(), g);
      canonical->canonical(image.data());
      RC_ASSERT(image == mine);
    }
  }
  RC_ASSERT(representatives == x.reduced_states);
}

RC_GTEST_PROP(engine_symmetry, anonymous_elements, ()) {
  program_shape shape;
  pair_of_searches x = explore_both(shape);
  expect_same_findings(x);
  expect_exact_orbits(x);
}

RC_GTEST_PROP(engine_symmetry, four_elements, ()) {
  program_shape shape;
  shape.most_elements = 4;
  pair_of_searches x = explore_both(shape);
  expect_same_findings(x);
  expect_exact_orbits(x);
}

RC_GTEST_PROP(engine_symmetry, named_elements, ()) {
  program_shape shape;
  shape.names_elements = true;
  pair_of_searches x = explore_both(shape);
  expect_same_findings(x);
  expect_exact_orbits(x);
}

}  // namespace
}  // namespace quiesce::test
