// SPDX-License-Identifier: MIT
#pragma once
// Symbolic execution of instructions with merging: the part of encode() that runs code.

#include <functional>
#include <map>

#include "model/symbolic/finite_system.hpp"
#include "model/symbolic/number.hpp"

namespace quiesce::symbolic {

// Where one of several paths stands. All else is meaningful where `guard` is true.
struct machine_state {
  literal guard = always_true;
  std::vector<literal> bits;  // as finite_system::state
  std::vector<number> temps;
  std::vector<literal> violated, marked, emitted;
  std::size_t choices = 0;  // executed so far
};

class machine {
 public:
  using input_source = std::function<literal(std::size_t choice, std::size_t bit)>;
  using stop_handler = std::function<void(machine_state&, std::uint32_t location)>;
  using oracle = std::function<bool(literal)>;

  // `possible` tells whether a condition can be true at all; asked only in long loops.
  machine(const ir::program& p, circuit& g, const std::vector<field>& fields, input_source input, oracle possible);

  // Runs all paths of `code` to their ends, the paths of all starts together. What ends otherwise than in a `stop` goes to
  // `out`.
  void run(const std::vector<ir::instruction>& code, std::map<std::uint32_t, machine_state> starts, step_effects& out,
           const stop_handler&);

  number value(const machine_state&, ir::expr_id);
  // A state of least codes, every process at its location 0.
  machine_state least() const;
  void merge(machine_state& into, const machine_state& other);

 private:
  using place = std::pair<std::uint32_t, std::uint32_t>;  // round, instruction
  void go(std::map<place, machine_state>& waiting, place to, machine_state&&);
  void step(const std::vector<ir::instruction>&, place at, machine_state x, std::map<place, machine_state>& waiting,
            step_effects& out, const stop_handler&);
  void end(const machine_state&, step_effects& out) const;
  void assign(machine_state&, const ir::instruction&, step_effects& out);
  void choose(machine_state&, const ir::instruction&);
  number load(const machine_state&, ir::variable_id, const std::vector<number>& index);
  number stored(const machine_state&, ir::variable_id, std::uint32_t slot);
  number quantified(const machine_state&, const ir::expr&);
  number computed(const ir::expr&, const number& a, const number& b);
  number wrapped(ir::type_id inner, const number&);
  literal fits(ir::type_id, const number&);
  std::vector<literal> code_bits(const field&, const number& code);
  // One condition for each element of the table: it is the one that is meant.
  std::vector<literal> selectors(ir::variable_id, const std::vector<number>& index);

  const ir::program& p_;
  circuit& g_;
  const std::vector<field>& fields_;
  input_source input_;
  oracle possible_;
};

}  // namespace quiesce::symbolic
