// SPDX-License-Identifier: MIT
#pragma once
// The only interface that engines see: a finite transition system with packed states.
//
// A `transition_system` is immutable and shared; each thread asks it for a `stepper` of its own. Steps of a state come in one fixed order
// (process template, instance, choices ascending), so that "the first" means the same for every engine and thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/system/batch.hpp"
#include "model/system/ir.hpp"
#include "model/system/layout.hpp"

namespace quiesce {

enum class step_outcome : std::uint8_t { state, error, bound, stuck };

// One step, valid during the visitor's call only. `state` has state_layout().words() words; it is the new state for `state`, and the
// state in which the path ended otherwise. Bit i of `violated` and `marked` is property i.
struct step {
  const word* state = nullptr;
  step_outcome outcome = step_outcome::state;
  std::uint8_t kind = 0;               // ir::error_kind or ir::bound_kind
  std::uint32_t process = 0;           // template; ir::nothing for an initial state
  std::uint32_t instance = 0;          // element of process.over
  std::uint64_t violated = 0;
  std::uint64_t marked = 0;
  const ir::instruction* at = nullptr; // error, bound, stuck: the instruction
};

using step_visitor = std::function<void(const step&)>;

// Puts a step into the buffer, `words`: of a state. True: no further steps are wanted.
bool put_step(successor_buffer&, const step&, std::uint32_t parent, std::uint32_t words);

// What one step did, for people: recorded only on request.
struct recorded_event { std::uint32_t event; std::vector<std::int64_t> args; };
struct recorded_choice { std::uint32_t note; std::uint32_t sort; std::int64_t value; };
struct step_record {
  std::vector<recorded_event> events;
  std::vector<recorded_choice> choices;
};
using record_visitor = std::function<void(const step&, const step_record&)>;

class stepper {
 public:
  virtual ~stepper() = default;
  virtual void initial(const step_visitor&) = 0;
  virtual void successors(const word* state, const step_visitor&) = 0;
  // The steps of `count` states that stand one after the other, numbered from `first`. True: the buffer wanted no more.
  virtual bool expand(const word* states, std::uint32_t first, std::uint32_t count, successor_buffer&);
  // The same steps in the same order, each with its record. Slower.
  virtual void successors_recorded(const word* state, const record_visitor&) = 0;
  virtual void initial_recorded(const record_visitor&) = 0;
  // Properties whose state invariant is false (bit i) in this state; for `sometimes`: true.
  virtual std::uint64_t failing_invariants(const word* state) = 0;
  // True if every process is resting (or ended): no successors is then not a deadlock.
  virtual bool resting(const word* state) = 0;
  virtual std::uint32_t words_of_state() const = 0;
};

class transition_system {
 public:
  virtual ~transition_system() = default;
  virtual const ir::program& program() const = 0;
  virtual const layout& state_layout() const = 0;
  virtual std::unique_ptr<stepper> make_stepper() const = 0;
};

// The interpreter: compiles the program to register byte code. Throws std::logic_error on a malformed program (a defect of the caller).
std::unique_ptr<transition_system> make_interpreter(ir::program);

// Values for people.
std::string print_value(const ir::program&, ir::type_id, std::int64_t value);
std::int64_t read_variable(const transition_system&, const word* state, ir::variable_id, const std::vector<std::uint32_t>& index);

}  // namespace quiesce
