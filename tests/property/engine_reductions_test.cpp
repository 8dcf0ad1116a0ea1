// SPDX-License-Identifier: MIT
// Partial order and merging against the full exploration, on random programs: the same properties, errors, bounds and
// deadlocks, runs as short, and the same answer whatever the number of threads and the way states are kept.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/explicit/search.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

constexpr std::uint64_t most_states = 6000;
constexpr reductions all_reductions[] = {{true, false}, {false, true}, {true, true}};

void expect_same_finding(const transition_system& s, const std::optional<finding>& full,
                         const std::optional<finding>& reduced) {
  RC_ASSERT(full.has_value() == reduced.has_value());
  if (!full) return;
  RC_ASSERT(reduced->minimal);
  RC_ASSERT(full->depth == reduced->depth);
  RC_ASSERT(reduced->run.steps.size() == reduced->depth + 1);
  RC_ASSERT(replays(s, reduced->run));
}

void expect_same_findings(const transition_system& s, const search_result& full, const search_result& reduced) {
  RC_ASSERT(reduced.complete);
  RC_ASSERT(reduced.states <= full.states);
  RC_ASSERT(full.marked == reduced.marked);
  for (std::size_t i = 0; i < full.properties.size(); ++i) expect_same_finding(s, full.properties[i], reduced.properties[i]);
  expect_same_finding(s, full.deadlock, reduced.deadlock);
  RC_ASSERT(full.errors.size() == reduced.errors.size());
  for (const auto& [k, f] : full.errors) expect_same_finding(s, f, reduced.errors.at(k));
  RC_ASSERT(full.bounds.size() == reduced.bounds.size());
  for (const auto& [k, f] : full.bounds) expect_same_finding(s, f, reduced.bounds.at(k));
}

// The runs of the first search, before they are made shortest, are runs too.
void expect_longer_runs(const transition_system& s, search_options o, const search_result& full) {
  o.max_states = 1;
  o.enough = nullptr;
  const search_result cut = explore(s, o);
  for (std::size_t i = 0; i < cut.properties.size(); ++i) {
    if (!cut.properties[i]) continue;
    RC_ASSERT(full.properties[i].has_value());
    RC_ASSERT(cut.properties[i]->depth >= full.properties[i]->depth);
    RC_ASSERT(replays(s, cut.properties[i]->run));
  }
}

void check(const program_shape& shape) {
  const auto system = make_interpreter(
      random_program([](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, shape));
  search_options o;
  o.threads = 1;
  o.max_states = most_states;
  const search_result full = explore(*system, o);
  if (!full.complete) RC_DISCARD("too large");
  o.max_states = 0;
  std::uint64_t least = full.states;
  for (const bool symmetric : {false, true})
    for (const reductions r : all_reductions) {
      o.symmetry = symmetric;
      o.reduce = r;
      const search_result one = explore(*system, o);
      expect_same_findings(*system, full, one);
      if (!symmetric) least = std::min(least, one.states);
      o.threads = 3;
      o.grain = 1;
      const search_result three = explore(*system, o);
      RC_ASSERT(three.states == one.states);
      RC_ASSERT(three.transitions == one.transitions);
      expect_same_findings(*system, full, three);
      o.threads = 1;
      o.store = state_store::compressed;
      const search_result compact = explore(*system, o);
      RC_ASSERT(compact.states == one.states);
      expect_same_findings(*system, full, compact);
      o.store = state_store::full;
      expect_longer_runs(*system, o, full);
    }
  RC_TAG(least == full.states ? "not reduced" : least * 2 < full.states ? "reduced to less than half" : "reduced");
}

RC_GTEST_PROP(engine_reductions, shared_variables, ()) { check({}); }

RC_GTEST_PROP(engine_reductions, separate_processes, ()) {
  program_shape shape;
  shape.separate = true;
  check(shape);
}

RC_GTEST_PROP(engine_reductions, separate_processes_that_name_elements, ()) {
  program_shape shape;
  shape.separate = true;
  shape.names_elements = true;
  shape.most_elements = 2;
  check(shape);
}

}  // namespace
}  // namespace quiesce::test
