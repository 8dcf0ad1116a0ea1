// SPDX-License-Identifier: MIT
// The byte code, the layout and the search against the naive enumerator, on random programs.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/explicit/search.hpp"
#include "model/system/dump.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/unpack.hpp"

namespace quiesce::test {
namespace {

constexpr std::size_t most_states = 3000;

ir::program arbitrary_program(const program_shape& shape) {
  return random_program([](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, shape);
}

std::set<naive_state> unpacked(const transition_system& s, const std::vector<std::vector<word>>& states) {
  std::set<naive_state> out;
  for (const auto& x : states) out.insert(unpack(s, x.data()));
  return out;
}

void expect_finding(const transition_system& s, const finding& f, std::uint64_t depth) {
  RC_ASSERT(f.depth == depth);
  RC_ASSERT(f.run.steps.size() == depth + 1);
  RC_ASSERT(replays(s, f.run));
}

void expect_same(const transition_system& s, const search_result& r, const naive_result& n) {
  RC_ASSERT(r.complete);
  RC_ASSERT(r.states == n.states.size());
  RC_ASSERT(r.transitions == n.transitions);
  RC_ASSERT(r.marked == n.marked);
  if (r.states) RC_ASSERT(r.depth == n.depth);
  for (std::uint32_t i = 0; i < r.properties.size(); ++i) {
    RC_ASSERT(r.properties[i].has_value() == (n.property_depth.count(i) == 1));
    if (r.properties[i]) expect_finding(s, *r.properties[i], n.property_depth.at(i));
  }
  RC_ASSERT(r.errors.size() == n.error_depth.size());
  for (const auto& [k, f] : r.errors) expect_finding(s, f, n.error_depth.at(static_cast<std::uint32_t>(k)));
  RC_ASSERT(r.bounds.size() == n.bound_depth.size());
  for (const auto& [k, f] : r.bounds) expect_finding(s, f, n.bound_depth.at(static_cast<std::uint32_t>(k)));
  RC_ASSERT(r.deadlock.has_value() == n.deadlock_depth.has_value());
  if (r.deadlock) expect_finding(s, *r.deadlock, *n.deadlock_depth);
}

bool same_run(const trace& a, const trace& b) {
  if (a.steps.size() != b.steps.size()) return false;
  for (std::size_t i = 0; i < a.steps.size(); ++i)
    if (a.steps[i].state != b.steps[i].state || a.steps[i].process != b.steps[i].process ||
        a.steps[i].instance != b.steps[i].instance)
      return false;
  return true;
}

RC_GTEST_PROP(engine_random_programs, agrees_with_the_naive_enumerator, ()) {
  program_shape shape;
  shape.names_elements = *rc::gen::arbitrary<bool>();
  ir::program p = arbitrary_program(shape);
  auto system = make_interpreter(p);
  naive_enumerator naive(p);
  naive_result n;
  try {
    n = naive.explore(most_states);
  } catch (const std::length_error&) {
    RC_DISCARD("too large");
  }
  RC_TAG(n.states.size() < 10 ? "tiny" : n.states.size() < 200 ? "small" : "large");
  search_options o;
  o.threads = 1;
  search_result one = explore(*system, o);
  expect_same(*system, one, n);
  RC_ASSERT(unpacked(*system, reachable_states(*system, o)) == n.states);

  o.threads = 4;
  o.grain = 1;
  search_result four = explore(*system, o);
  expect_same(*system, four, n);
  for (std::size_t i = 0; i < one.properties.size(); ++i)
    if (one.properties[i]) RC_ASSERT(same_run(one.properties[i]->run, four.properties[i]->run));
  if (one.deadlock) RC_ASSERT(same_run(one.deadlock->run, four.deadlock->run));

  for (const state_store store : {state_store::bare, state_store::compressed, state_store::hash_compact}) {
    o.store = store;
    search_result compact = explore(*system, o);
    expect_same(*system, compact, n);
    RC_ASSERT((compact.omission_probability > 0) == (store == state_store::hash_compact && compact.states > 0));
    for (std::size_t i = 0; i < one.properties.size(); ++i)
      if (one.properties[i]) RC_ASSERT(same_run(one.properties[i]->run, compact.properties[i]->run));
    if (one.deadlock) RC_ASSERT(same_run(one.deadlock->run, compact.deadlock->run));
  }
}

}  // namespace
}  // namespace quiesce::test
