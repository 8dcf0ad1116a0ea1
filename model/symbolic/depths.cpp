// SPDX-License-Identifier: MIT
#include "model/symbolic/depths.hpp"

#include "model/symbolic/sweep.hpp"

namespace quiesce::symbolic {

namespace {

// Those that this step can emit and that have not happened before.
bool note_new(event_depths& out, unrolling& u, sat_solver& solver, const step_effects& e) {
  while (true) {
    literal any = always_false;
    for (std::size_t k = 0; k < out.first.size(); ++k)
      if (!out.first[k]) any = u.graph().either(any, e.emitted[k]);
    if (any == always_false) return true;
    const sat_answer answer = solver.solve({any});
    if (answer != sat_answer::satisfiable) return answer == sat_answer::unsatisfiable;
    for (std::size_t k = 0; k < out.first.size(); ++k)
      if (!out.first[k] && solver.value(e.emitted[k])) out.first[k] = out.depth + 1;
  }
}

}  // namespace

event_depths first_depths(const transition_system& t, const finite_system& s, const engine_options& o) {
  budget_watch watch({0, 0, o.timeout_s});
  unrolling u(s);
  sat_solver solver(u.graph(), [&] { return watch.check(0, 0); });
  sweeper sweep(t, s);
  event_depths out;
  out.first.resize(t.program().events.size());
  u.from_initial();
  solver.require(u.initial().valid);
  std::vector<literal> asked = s.step.emitted;
  asked.push_back(s.step.valid);
  sweep.only_for(asked);
  sweep.begin(u, solver);
  const auto open = [&] {
    for (std::size_t k = 0; k < out.first.size(); ++k)
      if (!out.first[k] && s.step.emitted[k] != always_false) return true;
    return false;
  };
  while (open()) {
    out.note = "at most " + std::to_string(out.depth) + " steps";
    if (o.max_depth != 0 && out.depth >= o.max_depth) return out;
    const step_effects e = u.frames().back().step;
    const bool known = note_new(out, u, solver, e);
    const sat_answer further = known ? solver.solve({e.valid}) : sat_answer::stopped;
    if (further == sat_answer::unsatisfiable) out.note = "no run is longer than " + std::to_string(out.depth) + " steps";
    if (further == sat_answer::stopped) out.note += ", then the time was over";
    if (further != sat_answer::satisfiable) return out;
    solver.require(e.valid);
    u.extend(sweep.simplify(u, solver, e.next));
    ++out.depth;
    if (o.progress) o.progress("steps", out.depth);
  }
  out.note = "all of them happen";
  return out;
}

}  // namespace quiesce::symbolic
