// SPDX-License-Identifier: MIT
#include "model/symbolic/replay.hpp"

#include <algorithm>

namespace quiesce::symbolic {

namespace {

bool breaks_it(const transition_system& t, const step& s, std::uint32_t property) {
  const ir::checked_property& c = t.program().properties[property];
  if ((c.sometimes ? s.marked : s.violated) >> property & 1) return true;
  if (s.outcome == step_outcome::error)
    return std::find(c.errors.begin(), c.errors.end(), static_cast<ir::error_kind>(s.kind)) != c.errors.end();
  return s.outcome == step_outcome::state && (t.make_stepper()->failing_invariants(s.state) >> property & 1) != 0;
}

bool same(const transition_system& t, const step& s, const std::vector<word>& state) {
  return s.outcome == step_outcome::state && std::equal(state.begin(), state.begin() + t.state_layout().words(), s.state);
}

}  // namespace

trace execute(const transition_system& t, const std::vector<word>& initial, const std::vector<solver_step>& steps,
              std::uint32_t property) {
  std::vector<step_filter> path;
  const bool at_once = steps.empty();
  path.push_back([&](const step& s) { return at_once ? breaks_it(t, s, property) : same(t, s, initial); });
  for (const solver_step& wanted : steps)
    path.push_back([&](const step& s) {
      if (s.process != wanted.process || s.instance != wanted.instance) return false;
      return wanted.last ? breaks_it(t, s, property) : same(t, s, wanted.state);
    });
  return run_trace(t, path);
}

trace run_of(const transition_system& t, const finite_system& s, const unrolling& u, sat_solver& model, std::size_t steps,
             bool broken_by_step, std::uint32_t property) {
  std::vector<solver_step> path;
  const std::size_t all = steps + (broken_by_step ? 1 : 0);
  for (std::size_t k = 0; k < all; ++k) {
    solver_step next;
    for (std::size_t i = 0; i < s.instances.size(); ++i)
      if (model.value(u.frames()[k].selected[i]))
        next.process = s.instances[i].process, next.instance = s.instances[i].instance;
    next.last = k + 1 == all;
    if (!next.last) next.state = state_of(t, s, model, u.frames()[k + 1].state);
    path.push_back(std::move(next));
  }
  return execute(t, state_of(t, s, model, u.frames()[0].state), path, property);
}

}  // namespace quiesce::symbolic
