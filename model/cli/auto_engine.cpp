// SPDX-License-Identifier: MIT
#include "model/cli/auto_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/diagnostic.hpp"

namespace quiesce::cli {

namespace {

constexpr std::uint64_t few_states = 2000000;

bool undecided(const answer& a) {
  return std::any_of(a.verdicts.begin(), a.verdicts.end(), [](const verdict& v) { return v.kind == verdict_kind::unknown; });
}

// What only the explicit engine does.
bool explicit_alone(const prepared_check& c, const limits& most) {
  return c.asked_response() || c.scope().urgent || most.symmetry || most.reduce.any() || most.examine ||
         most.max_states != 0 || most.store != state_store::full || !most.checkpoint.file.empty() ||
         !most.checkpoint.resume.empty();
}

// Not decided, or not by an engine of this kind: no answer.
bool learned(const prepared_check& c, const limits& most, const answer& before, const progress& report, answer& out) {
  limits solver = most;
  solver.engine = "learning";
  solver.seconds = most.seconds > 0 ? most.seconds / 2 : std::max(60.0, 2 * before.elapsed_s);
  try {
    out = c.run(solver, report);
  } catch (const diagnostic&) {
    return false;
  }
  for (verdict& v : out.verdicts) v.method = fmt::format("auto: more than {} states; {}", before.states - 1, v.method);
  return !undecided(out);
}

}  // namespace

void name_pick(answer& a) {
  for (verdict& v : a.verdicts)
    if (v.method.empty())
      v.method = fmt::format("auto: explicit, {}exhaustive, {} states", a.complete ? "" : "not ", a.states);
}

answer run_picked(const prepared_check& c, const limits& most, const progress& report) {
  limits first = most;
  first.engine = "explicit";
  if (!explicit_alone(c, most)) {
    first.max_states = few_states;
    first.seconds = most.seconds / 2;
  }
  answer out = c.run(first, report);
  const bool more = !explicit_alone(c, most) && undecided(out) && !out.complete;
  if (more) {
    answer other;
    if (learned(c, most, out, report, other)) return other;
    first.max_states = 0;
    out = c.run(first, report);
  }
  name_pick(out);
  return out;
}

}  // namespace quiesce::cli
