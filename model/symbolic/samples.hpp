// SPDX-License-Identifier: MIT
#pragma once
// States that runs reach, as columns of bits: what may be guessed about all reachable states, and what surely not.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/explicit/symmetry.hpp"
#include "model/symbolic/finite_system.hpp"
#include "model/symbolic/invariant.hpp"
#include "model/system/system.hpp"

namespace quiesce::symbolic {

// Distinct states by their bits.
class state_columns {
 public:
  using set = std::vector<std::uint64_t>;  // of states, a bit each

  state_columns(const transition_system& t, const finite_system& s) : t_(t), s_(s), columns_(s.state.size()) {}
  bool add(const word*);  // false: it was there
  std::size_t size() const { return states_.size(); }
  const std::vector<word>& state(std::size_t k) const { return states_[k]; }

  set all() const;
  set with(literal) const;            // those in which the literal of the state is true
  std::size_t in(const cube&) const;  // number of one of those in the cube, or size()
  bool holds(const word* state, const cube&) const;
  // Number of one of them; at least size() where there is none.
  static std::size_t first_of(const set&);

 private:
  const transition_system& t_;
  const finite_system& s_;
  std::vector<std::vector<word>> states_;
  std::unordered_set<std::string> known_;
  std::vector<set> columns_;  // by bit of the state
};

class samples {
 public:
  // Runs of random choices, the same each time, from all initial states or the first ones, until so many states are known or
  // hardly any new ones come up. Of states that differ by an exchange of interchangeable elements the first is kept.
  samples(const transition_system&, const finite_system&, std::uint32_t property, const symmetry&, std::size_t states,
          const std::function<bool()>& stop);

  // Reachable states that were not known, and what runs from there reach; O(code * steps).
  // `whole`: also those that are like known ones but for an exchange.
  void add_run_from(const std::vector<word>& state, std::size_t depth, bool whole = true);
  void add_runs_from(std::size_t sample, const cube& through);  // its successors in the cube

  const state_columns& states() const { return states_; }
  bool triggered() const { return triggered_; }  // on some run
  // A run of so many steps breaks the property or meets an error or a bound.
  std::optional<std::size_t> broken() const { return broken_; }
  std::size_t depth(std::size_t sample) const { return depths_[sample]; }  // of a run to it

 private:
  void start(const finite_system&);
  bool add(const word*, std::size_t depth, bool whole);
  bool advance(std::vector<word>& at, std::size_t depth);
  // Successors, asked for once.
  const std::vector<std::vector<word>>& after(const std::vector<word>&, std::size_t depth);
  void note(const step&, std::size_t depth);
  void broken_at(std::size_t depth) { broken_ = broken_ ? std::min(*broken_, depth) : depth; }
  std::uint64_t random(std::uint64_t below);

  const transition_system& t_;
  const std::uint32_t property_;
  std::unique_ptr<stepper> stepper_;
  std::vector<std::vector<word>> initial_;
  std::unordered_map<std::string, std::vector<std::vector<word>>> after_;
  state_columns states_;
  const symmetry& group_;
  std::unique_ptr<symmetry::canonicaliser> canonical_;
  std::unordered_set<std::string> orbits_;
  std::vector<std::size_t> depths_;  // by state
  bool triggered_ = false;
  std::optional<std::size_t> broken_;
  std::uint64_t random_ = 0x9e3779b97f4a7c15u;
};

}  // namespace quiesce::symbolic
