// SPDX-License-Identifier: MIT
// The first step at which an event can happen, by solver, is that of a search of all states, on random programs.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "model/symbolic/depths.hpp"
#include "properties/diagnostic.hpp"
#include "tests/support/random_program.hpp"

namespace quiesce::test {
namespace {

constexpr std::size_t most_states = 2000;

// Level by level. Nothing: too many states.
std::optional<std::vector<std::optional<std::uint64_t>>> searched(const transition_system& t) {
  std::vector<std::optional<std::uint64_t>> first(t.program().events.size());
  const auto s = t.make_stepper();
  std::set<std::vector<word>> seen, level, next;
  s->initial([&](const step& x) {
    if (x.outcome == step_outcome::state) level.emplace(x.state, x.state + s->words_of_state());
  });
  for (std::uint64_t depth = 1; !level.empty(); ++depth) {
    next.clear();
    for (const std::vector<word>& at : level) {
      seen.insert(at);
      s->successors_recorded(at.data(), [&](const step& x, const step_record& record) {
        for (const recorded_event& e : record.events)
          if (!first[e.event]) first[e.event] = depth;
        if (x.outcome == step_outcome::state) next.emplace(x.state, x.state + s->words_of_state());
      });
    }
    if (seen.size() > most_states) return std::nullopt;
    level.clear();
    for (const std::vector<word>& state : next)
      if (!seen.count(state)) level.insert(state);
  }
  return first;
}

RC_GTEST_PROP(symbolic_depths, are_those_of_the_search_of_all_states, ()) {
  const auto t = make_interpreter(random_program(
      [](int low, int high) { return *rc::gen::resize(100, rc::gen::inRange(low, high + 1)); }, program_shape{}));
  const auto wanted = searched(*t);
  if (!wanted) RC_DISCARD("too large");
  std::optional<symbolic::finite_system> encoded;
  try {
    encoded = symbolic::encode(*t);
  } catch (const diagnostic&) {
    RC_DISCARD("no symbolic form");
  }
  symbolic::engine_options o;
  o.max_depth = 12;
  const symbolic::event_depths found = symbolic::first_depths(*t, *encoded, o);
  for (std::size_t k = 0; k < wanted->size(); ++k) {
    const bool within = (*wanted)[k] && *(*wanted)[k] <= found.depth + 1;
    if (found.first[k]) RC_ASSERT(found.first[k] == (*wanted)[k]);
    if (within && *(*wanted)[k] <= o.max_depth) RC_ASSERT(found.first[k].has_value());
    RC_TAG((*wanted)[k] ? "happens" : "never");
  }
}

}  // namespace
}  // namespace quiesce::test
