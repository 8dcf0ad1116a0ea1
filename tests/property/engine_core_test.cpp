// SPDX-License-Identifier: MIT
// The core text, read back and explored by itself, has the states, transitions and findings of the lowered program.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/system/core.hpp"
#include "tests/support/core_explorer.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

template <class kind>
std::map<std::string, std::uint64_t> named(const std::map<std::uint32_t, std::uint64_t>& by_number) {
  std::map<std::string, std::uint64_t> out;
  for (const auto& [k, d] : by_number) out[ir::name(static_cast<kind>(k))] = d;
  return out;
}

RC_GTEST_PROP(engine_core, means_what_the_program_means, ()) {
  program_shape shape;
  shape.names_elements = *rc::gen::arbitrary<bool>();
  ir::program p =
      random_program([](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, shape);
  naive_enumerator naive(p);
  naive_result n;
  try {
    n = naive.explore(300);
  } catch (const std::length_error&) {
    RC_DISCARD("too large");
  }
  RC_TAG(n.states.size() < 10 ? "tiny" : "small");
  // Each path an action; or as long as there are few; or always one action for the whole step.
  const std::size_t most_separate = *rc::gen::element(std::size_t{64}, std::size_t{2}, std::size_t{0}, std::size_t{0});
  const std::string text = core_text(p, most_separate);
  RC_LOG(text);
  const core_result c = explore_core(text);
  RC_ASSERT(c.states == n.states);
  RC_ASSERT(c.transitions == n.transitions);
  RC_ASSERT((named<ir::error_kind>(n.error_depth)) == c.error_depth);
  RC_ASSERT((named<ir::bound_kind>(n.bound_depth)) == c.bound_depth);
  RC_ASSERT(c.deadlock == n.deadlock_depth.has_value());
  if (c.deadlock) RC_ASSERT(c.deadlock_depth == *n.deadlock_depth);
  std::map<std::string, std::uint64_t> properties;
  for (const auto& [k, d] : n.property_depth) properties[p.properties[k].name] = d;
  RC_ASSERT(c.property_depth == properties);
  std::set<std::string> marked;
  for (std::size_t k = 0; k < p.properties.size(); ++k)
    if (n.marked >> k & 1) marked.insert(p.properties[k].name);
  RC_ASSERT(c.marked == marked);
  RC_ASSERT(core_text(p, most_separate) == text);
}

}  // namespace
}  // namespace quiesce::test
