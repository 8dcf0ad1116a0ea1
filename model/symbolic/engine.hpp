// SPDX-License-Identifier: MIT
#pragma once
// The engines for finite scopes that ask solvers instead of visiting states.
//
//   bounded     no run of at most so many steps breaks the property, or the shortest one that does (Biere et al., "Symbolic
//               Model Checking without BDDs", TACAS 1999)
//   induction   k-induction with pairwise different states (Sheeran, Singh, Stålmarck, FMCAD 2000)
//   reachability  property-directed reachability (Bradley, VMCAI 2011; Eén, Mishchenko, Brayton, FMCAD 2011)
//   spacer      Z3's Horn solver (Komuravelli, Gurfinkel, Chaki, CAV 2014); what it finds is confirmed by the SAT solver
//   learning    an inductive invariant guessed from states that runs reach (after Garg et al., "ICE", CAV 2014)
//
// Every counterexample is executed by the interpreter before it is returned; one that does not replay is a defect
// (std::logic_error). None of them looks for deadlocks.

#include <functional>
#include <optional>
#include <string>

#include "model/explicit/budget.hpp"
#include "model/explicit/counterexample.hpp"
#include "model/symbolic/finite_system.hpp"

namespace quiesce::symbolic {

struct engine_options {
  std::uint64_t max_depth = 0;  // bounded, induction: steps; 0: until the time is over
  double timeout_s = 0;         // 0: none
  bool obstacles = false;       // bounded: look for errors and bounds too, which is what takes longest
  std::function<void(const std::string& what, std::uint64_t depth)> progress;
};

enum class engine_answer { proved, violated, unknown };

struct engine_result {
  engine_answer answer = engine_answer::unknown;
  std::optional<trace> run;            // violated: what breaks it; `sometimes`: what reaches it
  std::uint64_t depth = 0;             // steps looked at: no shorter run breaks the property
  bool triggered = false;              // the trigger of the property happens within `depth`
  bool obstacle = false;               // an error or a bound is reached: nothing is proved
  std::string note;                    // what was done: "k=3", "12 lemmas"; unknown: why
  std::vector<std::string> invariant;  // proved by reachability: its clauses, in words of the model
};

using engine_function = engine_result (*)(const transition_system&, const finite_system&, std::uint32_t property,
                                          const engine_options&);

struct engine {
  const char* name;
  engine_function run;
  const char* summary;
};

// A new engine is one file and one line here.
const std::vector<engine>& engines();
std::string engine_names();  // "auto, explicit, bounded, ... and learning"

// The trigger of the property happens on one of some random runs.
bool triggered_by_runs(const transition_system&, const finite_system&, std::uint32_t property);

engine_result bounded(const transition_system&, const finite_system&, std::uint32_t property, const engine_options&);
engine_result induction(const transition_system&, const finite_system&, std::uint32_t property, const engine_options&);
engine_result reachability(const transition_system&, const finite_system&, std::uint32_t property, const engine_options&);
engine_result spacer(const transition_system&, const finite_system&, std::uint32_t property, const engine_options&);
engine_result learning(const transition_system&, const finite_system&, std::uint32_t property, const engine_options&);

}  // namespace quiesce::symbolic
