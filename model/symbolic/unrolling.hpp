// SPDX-License-Identifier: MIT
#pragma once
// Several steps of a finite system one after the other, in one circuit.

#include "model/symbolic/finite_system.hpp"
#include "model/symbolic/sat.hpp"

namespace quiesce::symbolic {

// One state of the unrolling and the step out of it.
struct frame {
  std::vector<literal> state;
  std::vector<literal> fails;     // by property, in this state
  std::vector<literal> lemmas;    // true in this state
  step_effects step;              // out of this state
  std::vector<literal> selected;  // by process instance
};

class unrolling {
 public:
  explicit unrolling(const finite_system& s) : system_(s) {}

  void from_initial();
  void from_anywhere();  // the caller requires well_typed()
  void extend();         // by the state that the last frame's step leads to
  void extend(std::vector<literal> state) { push(std::move(state)); }  // by this one, which is that one where the solver looks

  circuit& graph() { return graph_; }
  const std::vector<frame>& frames() const { return frames_; }
  const step_effects& initial() const { return initial_; }
  literal well_typed() const { return well_typed_; }
  literal differ(std::size_t a, std::size_t b);  // frames a and b have different states

 private:
  void push(std::vector<literal> state);
  const finite_system& system_;
  circuit graph_;
  step_effects initial_;
  literal well_typed_ = always_true;
  std::vector<frame> frames_;
};

// What is asked about: the property itself (its monitor, its state condition, the errors it forbids).
literal breaks(const ir::program&, unrolling&, const step_effects&, std::uint32_t property);
// Errors and bounds that would leave an answer undecided.
literal obstructs(unrolling&, const step_effects&);

// The state of a frame in the solver's model, packed.
std::vector<word> state_of(const transition_system&, const finite_system&, sat_solver&, const std::vector<literal>& bits);

}  // namespace quiesce::symbolic
