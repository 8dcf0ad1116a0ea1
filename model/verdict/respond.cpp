// SPDX-License-Identifier: MIT
// Questions about runs without end: `leads to`.
#include <fmt/format.h>

#include "model/explicit/budget_text.hpp"
#include "model/explicit/liveness.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/range_error.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

std::vector<std::string> obstacles_of(const transition_system& system, const liveness_result& found) {
  std::vector<std::string> out;
  for (const auto& [kind, run] : found.errors) out.push_back("beyond " + ending_text(system, run));
  for (const auto& [kind, run] : found.bounds) out.push_back(fmt::format("bound {} reached", ir::name(kind)));
  if (found.ended_by != budget::none) out.push_back(text_of(found.ended_by));
  if (!found.complete && out.empty()) out.push_back("exploration not complete");
  return out;
}

run_text words_of_lasso(const transition_system& system, const response& asked, const lasso& l) {
  const std::string& about = asked.obligations[l.obligation].text;
  const std::size_t last = l.run.steps.size() - 1;
  std::string ending = fmt::format("no answer{}{}: ", about.empty() ? "" : " for ", about);
  if (l.loop_from == last)
    ending += fmt::format("behind step {} nothing can move any more", last);
  else if (l.loop_from + 1 == last)
    ending += fmt::format("step {} is repeated for ever", last);
  else
    ending += fmt::format("steps {} to {} are repeated for ever", l.loop_from + 1, last);
  run_text out = words_of(system, l.run, std::move(ending));
  out.loop_from = l.loop_from;
  return out;
}

verdict judged(const transition_system& system, const response& asked, const liveness_result& found,
               const std::vector<std::string>& obstacles) {
  verdict v;
  v.liveness = true;
  if (found.violation) {
    v.kind = verdict_kind::violated;
    v.counterexample = words_of_lasso(system, asked, *found.violation);
  } else if (found.deadlock) {
    v.kind = verdict_kind::deadlock;
    v.counterexample =
        words_of(system, *found.deadlock, found.deadlock_is_step ? "" : "no process can move, and not all rest");
  } else if (!obstacles.empty()) {
    v.kind = verdict_kind::unknown;
    for (const std::string& o : obstacles) v.reason += (v.reason.empty() ? "" : "; ") + o;
  } else {
    v.kind = found.triggered ? verdict_kind::holds : verdict_kind::vacuous;
  }
  return v;
}

}  // namespace

const char* unsound_for_responses(const limits& most) {
  if (most.engine != "explicit" && most.engine != "auto")
    return "this engine looks at states and single steps, not at runs without end";
  if (most.symmetry) return "up to symmetry a process that never moves looks like one that does";
  if (most.reduce.any()) return "a step that is left out because others say the same may be the one that is never taken";
  if (most.store != state_store::full) return "only full states tell where a run comes back to";
  if (!most.checkpoint.file.empty() || !most.checkpoint.resume.empty()) return "it has no checkpoints";
  if (most.examine) return "states are explained for other properties only";
  return nullptr;
}

void prepared_check::require_sound(const limits& most) const {
  if (!response_) return;
  const ast::property& p = question_.properties[0]->property;
  if (const char* why = unsound_for_responses(most))
    throw diagnostic(p.where, fmt::format("'{}' cannot be decided so: {}", p.name, why),
                     "a property with `leads to` takes no --engine, --symmetry, --reduce, --store, --checkpoint, --resume "
                     "and --explain-states");
}

answer prepared_check::respond(const limits& most, const progress& report) const {
  const ir::program& program = system_->program();
  answer out;
  out.scope = scope_;
  verdict v;
  v.liveness = true;
  if (response_->obligations.empty()) {  // no statement of this instance emits the trigger
    out.complete = true;
    v.kind = verdict_kind::vacuous;
    v.method = "nothing explored: no step can be its trigger";
  } else {
    liveness_options options;
    const budget_watch watch({});
    options.most = {most.max_states, most.max_bytes ? most.max_bytes : memory_to_spare(), most.seconds};
    if (report) options.progress = report;
    const liveness_result found = check_response(*system_, *response_, options);
    out.states = found.states;
    out.transitions = found.transitions;
    out.depth = found.depth;
    out.complete = found.complete;
    out.elapsed_s = watch.elapsed_s();
    out.obstacles = obstacles_of(*system_, found);
    v = judged(*system_, *response_, found, out.obstacles);
  }
  v.property = program.properties[0].name;
  v.hash = input_hash(0, most);
  out.verdicts.push_back(std::move(v));
  return out;
}

}  // namespace quiesce
