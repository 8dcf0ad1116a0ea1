// SPDX-License-Identifier: MIT
#pragma once
// Inductive invariants of finite systems as clauses: what engines find, and the check that decides whether it is one.

#include <functional>
#include <string>
#include <vector>

#include "model/symbolic/finite_system.hpp"
#include "model/symbolic/sat.hpp"
#include "model/system/system.hpp"

namespace quiesce::symbolic {

// A set of states: literals of finite_system::state, sorted, all of them true. The clause that excludes it is its negation.
using cube = std::vector<literal>;

// A literal of the state, in the state behind the step (or of the initial states).
literal behind(const finite_system&, const step_effects&, literal);

// The property is broken in this state or by a step out of it, or the step ends in an error or a bound.
literal bad_step(circuit& graph, const finite_system&, const ir::program&, std::uint32_t property);

// No initial state is in one of the cubes, no step leads from outside all of them into one, and no state outside all of them
// is bad. Asks a solver that has seen nothing else.
bool is_invariant(const circuit& graph, const finite_system&, const std::vector<cube>& excluded, literal bad);

// A condition on states: in the state before a step, in that behind it, and in the initial states.
struct state_condition {
  literal here = always_true, behind_step = always_true, at_first = always_true;
};
// The same for a condition in place of cubes. False also where `stop` ends it.
bool is_invariant(const circuit& graph, const finite_system&, const state_condition&, literal bad,
                  const std::function<bool()>& stop);

// "not (unregister[0]=7 and up[1] has bit 0)"
std::string words_of(const transition_system&, const finite_system&, const cube&);

// The state in the solver's model: one literal for each variable of few values, that of its value; all bits of others.
cube state_in(const finite_system&, sat_solver& model);

// Is an initial state in the cube? `solver` may have seen anything that is true of all states.
bool starts_in(const finite_system&, sat_solver& solver, const cube&);

// With the inputs in `model`, which part of the state `from` is enough to make all of `target` true? `lifter` knows the
// circuit only; it is asked once, and keeps nothing of the question.
cube lifted(circuit& graph, const finite_system&, sat_solver& model, sat_solver& lifter, const cube& from,
            const std::vector<literal>& target);

}  // namespace quiesce::symbolic
