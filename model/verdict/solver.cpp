// SPDX-License-Identifier: MIT
// Questions answered by the engines that ask solvers: one property at a time.
#include <algorithm>

#include "model/symbolic/engine.hpp"
#include "model/verdict/check.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

const symbolic::engine& engine_named(const std::string& name) {
  for (const symbolic::engine& e : symbolic::engines())
    if (e.name == name) return e;
  throw diagnostic("there is no engine '" + name + "'", "there are " + symbolic::engine_names());
}

// A proof says nothing of deadlocks, and a rule whose trigger was not seen may hold because nothing ever happens.
verdict judged(const transition_system& t, std::uint32_t i, const symbolic::engine_result& r) {
  const ir::checked_property& checked = t.program().properties[i];
  verdict v;
  v.reason = r.note;
  if (r.answer == symbolic::engine_answer::violated) {
    v.kind = checked.sometimes ? verdict_kind::holds : verdict_kind::violated;
    v.counterexample = words_of(t, *r.run, checked.sometimes ? "reached" : "");
  } else if (r.answer == symbolic::engine_answer::proved) {
    const bool seen = !checked.has_trigger || r.triggered;
    v.kind = checked.sometimes ? verdict_kind::violated : seen ? verdict_kind::holds : verdict_kind::unknown;
    if (!seen) v.reason += "; its trigger was not seen in runs of at most " + std::to_string(r.depth) + " steps";
  }
  return v;
}

bool has_initial_state(const transition_system& t) {
  struct yes {};
  try {
    t.make_stepper()->initial([](const step&) { throw yes{}; });
  } catch (const yes&) {
    return true;
  }
  return false;
}

// What such a system keeps it keeps for want of runs.
void without_initial_state(verdict& v) {
  if (v.kind != verdict_kind::holds && v.kind != verdict_kind::unknown) return;
  v.kind = verdict_kind::vacuous;
  v.reason = no_initial_state;
}

std::string method_of(const std::string& engine, const symbolic::engine_result& r) {
  if (r.answer == symbolic::engine_answer::violated) return engine;
  return engine + ": " + r.note + (r.answer == symbolic::engine_answer::proved ? "; deadlocks not looked for" : "");
}

// Why the last verdict is unknown, once for all properties.
void note_obstacle(answer& a) {
  const verdict& v = a.verdicts.back();
  if (v.kind == verdict_kind::unknown && std::find(a.obstacles.begin(), a.obstacles.end(), v.reason) == a.obstacles.end())
    a.obstacles.push_back(v.reason);
}

}  // namespace

answer prepared_check::solve(const limits& most, const progress& report) const {
  const symbolic::engine& engine = engine_named(most.engine);
  const symbolic::finite_system encoded = symbolic::encode(*system_);
  symbolic::engine_options options;
  options.max_depth = most.max_depth;
  options.timeout_s = most.seconds;
  if (report)
    options.progress = [&](const std::string&, std::uint64_t depth) {
      search_progress p;
      p.depth = depth;
      report(p);
    };
  const budget_watch watch({});
  answer out;
  out.scope = scope_;
  const bool runs = has_initial_state(*system_);
  for (std::uint32_t i = 0; i < question_.properties.size(); ++i) {
    symbolic::engine_result r = engine.run(*system_, encoded, i, options);
    if (r.answer == symbolic::engine_answer::proved && !r.triggered && system_->program().properties[i].has_trigger)
      r.triggered = symbolic::triggered_by_runs(*system_, encoded, i);
    out.depth = std::max(out.depth, r.depth);
    out.verdicts.push_back(judged(*system_, i, r));
    if (!runs) without_initial_state(out.verdicts.back());
    out.verdicts.back().property = question_.properties[i]->property.name;
    out.verdicts.back().hash = input_hash(i, most);
    out.verdicts.back().method = method_of(most.engine, r);
    note_obstacle(out);
  }
  out.elapsed_s = watch.elapsed_s();
  return out;
}

}  // namespace quiesce
