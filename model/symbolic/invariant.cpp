// SPDX-License-Identifier: MIT
#include "model/symbolic/invariant.hpp"

#include <algorithm>

namespace quiesce::symbolic {

namespace {

constexpr std::size_t asked_together = 32;

}  // namespace

literal behind(const finite_system& s, const step_effects& e, literal l) {
  return e.next[node_of(l) - node_of(s.state[0])] ^ (l & 1u);
}

literal bad_step(circuit& graph, const finite_system& s, const ir::program& p, std::uint32_t property) {
  const ir::checked_property& c = p.properties[property];
  literal out = graph.either(s.fails[property], c.sometimes ? s.step.marked[property] : s.step.violated[property]);
  for (literal e : s.step.error) out = graph.either(out, e);
  for (literal b : s.step.bound) out = graph.either(out, b);
  return out;
}

bool is_invariant(const circuit& graph, const finite_system& s, const std::vector<cube>& excluded, literal bad) {
  circuit g = graph;
  std::vector<literal> broken_after, initial;
  for (const cube& c : excluded) {
    literal after = s.step.valid, at_first = s.initial.valid;
    for (literal l : c) {
      after = g.both(after, behind(s, s.step, l));
      at_first = g.both(at_first, behind(s, s.initial, l));
    }
    broken_after.push_back(after);
    initial.push_back(at_first);
  }
  broken_after.push_back(bad);
  sat_solver starts(g), fresh(g);
  starts.require_any(initial);
  if (!initial.empty() && starts.solve() != sat_answer::unsatisfiable) return false;
  fresh.require(s.well_typed);
  for (const cube& c : excluded) {
    std::vector<literal> clause;
    for (literal l : c) clause.push_back(l ^ 1u);
    fresh.require_any(clause);
  }
  for (std::size_t first = 0; first < broken_after.size(); first += asked_together) {
    const auto from = broken_after.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to =
        broken_after.begin() + static_cast<std::ptrdiff_t>(std::min(first + asked_together, broken_after.size()));
    if (fresh.solve({any_of(g, {from, to})}) != sat_answer::unsatisfiable) return false;
  }
  return true;
}

bool is_invariant(const circuit& graph, const finite_system& s, const state_condition& c, literal bad,
                  const std::function<bool()>& stop) {
  const auto impossible = [&](const std::vector<literal>& together) {
    return sat_solver(graph, stop).solve(together) == sat_answer::unsatisfiable;
  };
  return impossible({s.initial.valid, c.at_first ^ 1u}) &&
         impossible({s.well_typed, c.here, s.step.valid, c.behind_step ^ 1u}) && impossible({s.well_typed, c.here, bad});
}

std::string words_of(const transition_system& t, const finite_system& s, const cube& c) {
  std::string out;
  const ir::program& p = t.program();
  for (literal l : c) {
    const std::size_t bit = node_of(l) - node_of(s.state[0]);
    std::size_t slot = 0;
    while (s.fields[slot].first + s.fields[slot].width <= bit) ++slot;
    std::size_t v = 0;
    while (v + 1 < p.variables.size() && p.variables[v + 1].first_slot <= slot) ++v;
    const char* relation = s.fields[slot].one_hot ? negated(l) ? "!=" : "=" : negated(l) ? " lacks bit " : " has bit ";
    out += (out.empty() ? "not (" : " and ") + p.variables[v].name + "[" + std::to_string(slot - p.variables[v].first_slot) +
           "]" + relation + std::to_string(bit - s.fields[slot].first);
  }
  return out + ")";
}

cube state_in(const finite_system& s, sat_solver& model) {
  cube out;
  for (const field& f : s.fields)
    for (std::uint32_t b = 0; b < f.width; ++b) {
      const literal l = s.state[f.first + b];
      const bool holds = model.value(l);
      if (holds || !f.one_hot) out.push_back(holds ? l : l ^ 1u);
    }
  std::sort(out.begin(), out.end());
  return out;
}

bool starts_in(const finite_system& s, sat_solver& solver, const cube& c) {
  std::vector<literal> assumed;
  for (literal l : c) assumed.push_back(behind(s, s.initial, l));
  return solver.solve(assumed) == sat_answer::satisfiable;
}

cube lifted(circuit& graph, const finite_system& s, sat_solver& model, sat_solver& lifter, const cube& from,
            const std::vector<literal>& target) {
  std::vector<literal> assumed;
  for (literal c : s.choices) assumed.push_back(model.value(c) ? c : c ^ 1u);
  assumed.insert(assumed.end(), from.begin(), from.end());
  std::vector<literal> misses;
  for (literal l : target) misses.push_back(l ^ 1u);
  const literal question = graph.input();
  misses.push_back(question ^ 1u);
  lifter.require_any(misses);
  assumed.push_back(question);
  cube out = from;
  if (lifter.solve(assumed) == sat_answer::unsatisfiable) {
    out.clear();
    for (literal l : from)
      if (lifter.used(l)) out.push_back(l);
  }
  lifter.require(question ^ 1u);
  return out;
}

}  // namespace quiesce::symbolic
