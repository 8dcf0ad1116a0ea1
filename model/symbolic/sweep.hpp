// SPDX-License-Identifier: MIT
#pragma once
// What all runs have in common after so many steps: bits that are constant, bits that are equal, and bits that are constant
// where a process stands. Sample runs suggest it, the solver confirms it, and the unrolling is built on from what is left
// (after Kuehlmann, "Dynamic transition relation simplification for bounded property checking", ICCAD 2004).

#include "model/symbolic/unrolling.hpp"
#include "model/system/system.hpp"

namespace quiesce::symbolic {

class sweeper {
 public:
  sweeper(const transition_system&, const finite_system&);

  // Only the bits of the state that these conditions of the system depend on, in any number of steps; without a call, all.
  void only_for(const std::vector<literal>& conditions);

  // Takes about so many initial states from the solver, of which the first frame's validity is required. Every choice is the
  // same each time.
  void begin(const unrolling&, sat_solver&, std::size_t runs = 1000);

  // The state of the runs that the solver allows, simplified; what is confirmed is required of the solver where it
  // is no replacement. Calls are for depths 1, 2, 3, ... in turn.
  std::vector<literal> simplify(unrolling&, sat_solver&, std::vector<literal> state);

 private:
  using pattern = std::vector<bool>;
  struct claim {
    enum class kind { constant, same, under } what;
    std::uint32_t bit = 0, other = 0;  // same: equal to `other`; under: where `other` is true
    bool value = false;                // constant, under: what the bit is; same: false where it is the negation
  };
  std::vector<claim> suggestions(const std::vector<literal>& state, const std::vector<pattern>&) const;
  bool confirmed(const claim&, const pattern&) const;
  literal contradicted(circuit&, const claim&, const std::vector<literal>& state) const;
  void advance();
  pattern bits_of(const std::vector<word>&) const;

  const transition_system& t_;
  const finite_system& s_;
  std::unique_ptr<stepper> stepper_;
  std::vector<std::vector<word>> runs_;                            // where each stands
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counters_;  // first bit and width of each program counter
  std::vector<bool> matters_;                                      // by bit of the state
  std::uint64_t random_ = 1;
};

}  // namespace quiesce::symbolic
