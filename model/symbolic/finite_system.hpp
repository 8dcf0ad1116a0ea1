// SPDX-License-Identifier: MIT
#pragma once
// A lowered system of a finite scope as circuits: one step from any state, and the initial states.
//
// Every bit of every table is one literal of `state`; program counters, elements, labels and small counters have one bit for
// each value, exactly one of them set, so that unrolling from the initial states drops the values that cannot be had yet.
// All steps of all processes share one circuit: inputs choose the process instance and what `choose` leaves open. Paths of a
// step are merged where they meet, so the circuit grows with the code and not with its paths.

#include <cstdint>
#include <string>
#include <vector>

#include "model/symbolic/circuit.hpp"
#include "model/system/system.hpp"

namespace quiesce::symbolic {

// Bits of one table element in `state`.
struct field {
  std::uint32_t first = 0, width = 0;
  bool one_hot = false;
};

// What one step, or the choice of an initial state, may do. Each literal is true in exactly the cases it names.
struct step_effects {
  std::vector<literal> next;              // the new state; meaningful where `valid`
  literal valid = always_false;           // ends in a state
  std::vector<literal> violated, marked;  // by property, however the step ends
  std::vector<literal> emitted;           // by event, likewise
  std::vector<literal> error, bound;      // by ir::error_kind, ir::bound_kind
  literal stuck = always_false;
};

struct process_instance {
  std::uint32_t process = 0, instance = 0;
  literal selected = always_false;
};

struct finite_system {
  circuit graph;
  std::vector<field> fields;     // by slot
  std::vector<literal> state;    // inputs
  std::vector<literal> choices;  // inputs: of the step, those that select the process included
  std::vector<process_instance> instances;
  step_effects step;
  literal well_typed = always_true;      // of `state`: codes in range, one location for each process
  std::vector<literal> fails;            // by property: its state condition is false in `state` (`sometimes`: true)
  std::vector<literal> lemmas;           // of the program: its condition is true in `state`
  std::vector<literal> initial_choices;  // inputs
  step_effects initial;
};

// Throws diagnostic for what has no such form: processes that run only when nothing else can (time), numbers of more than
// 80 bits, steps with loops that do not end. O(code * state bits).
finite_system encode(const transition_system&);

}  // namespace quiesce::symbolic
