// SPDX-License-Identifier: MIT
// The engines that ask solvers say what the search of all states says, on random programs.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "model/explicit/search.hpp"
#include "model/symbolic/engine.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

// The least depth at which the property is broken (`sometimes`: reached), however.
std::optional<std::uint64_t> broken_at(const ir::program& p, const search_result& all, std::size_t k) {
  std::optional<std::uint64_t> least;
  const auto consider = [&](const finding& f) { least = least ? std::min(*least, f.depth) : f.depth; };
  if (all.properties[k]) consider(*all.properties[k]);
  for (ir::error_kind kind : p.properties[k].errors)
    if (const auto at = all.errors.find(kind); at != all.errors.end()) consider(at->second);
  return least;
}

void agrees(const transition_system& t, const symbolic::finite_system& encoded, const search_result& all, std::uint32_t k) {
  const std::optional<std::uint64_t> broken = broken_at(t.program(), all, k);
  symbolic::engine_options o;
  o.max_depth = all.depth + 2;
  const symbolic::engine_result bounded = symbolic::bounded(t, encoded, k, o);
  RC_ASSERT((bounded.answer == symbolic::engine_answer::violated) == broken.has_value());
  if (broken) RC_ASSERT(bounded.run->steps.size() - 1 == *broken);
  const bool safe = !broken && all.errors.empty() && all.bounds.empty();
  for (const auto engine : {symbolic::induction, symbolic::reachability, symbolic::spacer, symbolic::learning}) {
    o.max_depth = 4;
    o.timeout_s = 5;
    const symbolic::engine_result r = engine(t, encoded, k, o);
    if (r.answer == symbolic::engine_answer::proved) RC_ASSERT(safe);
    if (r.answer == symbolic::engine_answer::violated) RC_ASSERT(r.run->steps.size() - 1 == broken.value_or(~0u));
    RC_TAG(r.answer == symbolic::engine_answer::proved     ? "proved"
           : r.answer == symbolic::engine_answer::violated ? "violated"
                                                           : "unknown");
  }
}

RC_GTEST_PROP(symbolic_engines, agree_with_the_search_of_all_states, ()) {
  program_shape shape;
  shape.names_elements = *rc::gen::arbitrary<bool>();
  const auto t = make_interpreter(
      random_program([](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, shape));
  search_options options;
  options.threads = 1;
  options.max_states = 2000;
  options.traces = false;
  const search_result all = explore(*t, options);
  if (!all.complete) RC_DISCARD("too large");
  std::optional<symbolic::finite_system> encoded;
  try {
    encoded = symbolic::encode(*t);
  } catch (const diagnostic&) {
    RC_DISCARD("no symbolic form");
  }
  for (std::uint32_t k = 0; k < t->program().properties.size(); ++k) agrees(*t, *encoded, all, k);
}

}  // namespace
}  // namespace quiesce::test
