// SPDX-License-Identifier: MIT
#pragma once
#include "model/explicit/counterexample.hpp"
#include "model/symbolic/unrolling.hpp"

namespace quiesce::symbolic {

// A step as a solver sees it.
struct solver_step {
  std::uint32_t process = 0, instance = 0;
  std::vector<word> state;  // after it; not compared where the path ends in it
  bool last = false;        // breaks the property, however it ends
};

// Executes the steps with the interpreter, from a given initial state. Throws std::logic_error where one of them is none.
trace execute(const transition_system&, const std::vector<word>& initial, const std::vector<solver_step>&,
              std::uint32_t property);

// The run in the solver's model: the states of frames 0..steps, and one more step where `broken_by_step`.
trace run_of(const transition_system&, const finite_system&, const unrolling&, sat_solver&, std::size_t steps,
             bool broken_by_step, std::uint32_t property);

}  // namespace quiesce::symbolic
