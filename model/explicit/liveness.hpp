// SPDX-License-Identifier: MIT
#pragma once
// `P leads to Q` on all reachable states of a finite scope: is there a fair run in which an answer is due for ever?
//
// A run is a path without end from an initial state, where a state without any step is repeated for ever. An answer is due
// for ever iff the run ends up in a strongly connected part of the states in which it is due, and it is fair iff it can go
// round in that part such that each constraint is kept:
//   weak    a state in which the process has no step, or a step of it
//   strong  no state in which the process has a step, or a step of it
// Weak constraints are tested on each part as a whole. Where a strong one fails, the states in which its process has a step
// are taken out, and what is left is decomposed again (Lichtenstein and Pnueli, POPL 1985; Emerson and Lei, 1987). A step
// that ends in an error, a bound or a deadlock counts as one that the process has. Parts are found by Tarjan's algorithm
// (SIAM J. Comput. 1972) without recursion; steps are taken again rather than stored.
//
// The counterexample is a lasso: a shortest path to the nearest state of such a part, and a way round in it that keeps every
// constraint. Its steps are executed again, and it is tested apart from how it was found.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/explicit/budget.hpp"
#include "model/explicit/counterexample.hpp"
#include "model/explicit/search.hpp"
#include "model/system/response.hpp"
#include "model/system/system.hpp"

namespace quiesce {

struct liveness_options {
  budget_limits most;
  std::function<void(const search_progress&)> progress;  // about once a second
};

// After the last step the run goes on behind step `loop_from` for ever. With no step behind it: it stays in its last state,
// in which nothing can move.
struct lasso {
  trace run;
  std::size_t loop_from = 0;
  std::size_t obligation = 0;  // for which an answer is due
};

struct liveness_result {
  std::uint64_t states = 0, transitions = 0, depth = 0;
  bool complete = false;  // every reachable state was explored, and every strongly connected part examined
  budget ended_by = budget::none;
  bool triggered = false;  // an answer was due once
  std::optional<lasso> violation;
  std::map<ir::error_kind, trace> errors;  // beyond which nothing was explored
  std::map<ir::bound_kind, trace> bounds;
  std::optional<trace> deadlock;
  bool deadlock_is_step = false;  // the last step of `deadlock` says so itself
};

// `s` runs the program of `asked`. Time: the steps of all states, once for exploring and for each obligation a few times
// more. Memory: a state, and 44 bytes beside it. Throws what the steps throw.
liveness_result check_response(const transition_system& s, const response& asked, const liveness_options&);

// One state of a run, and what moved into it.
struct visited_state {
  std::vector<word> state;
  std::uint32_t process = ir::nothing, instance = 0;
};

// What is wrong with a run of the system as a lasso on which an answer is due for ever, for some value of the variables;
// empty: it is one. The steps themselves are not tested.
std::string not_a_lasso(const transition_system&, const response&, const std::vector<visited_state>&, std::size_t loop_from);

}  // namespace quiesce
