// SPDX-License-Identifier: MIT
#pragma once
// Which process instance may move first without anything being lost: nobody else can interfere with its next step, whatever
// the others do before it moves. Computed once from the lowered system; asked in every state.
//
// For instance i in state s, with N what the step at i's location reads and writes, and F(j) what j may read and write in
// any execution from s in which i does not move, `undisturbed(s, i)` says that for no other j
//   F(j) writes what N reads or writes, or F(j) reads what N writes.
// So the steps of i in s form a persistent set (Godefroid, "Partial-Order Methods for the Verification of Concurrent
// Systems", 1996, ch. 4). F is the union of the footprints of all locations that j can reach in its code, with one
// refinement, for locks: where a slot holds what only i writes into it, and what the others can reach while it holds that
// never writes the slot, then it holds that until i moves, and steps that wait for another value do not happen.
//
// Processes that move only when nobody else can (time) cannot move before i, which has a step, does: they do not count, and
// are never i.

#include <cstdint>
#include <vector>

#include "model/explicit/footprint.hpp"
#include "model/system/system.hpp"

namespace quiesce {

struct process_instance {
  std::uint32_t process = 0, instance = 0;
  bool late = false;  // only_when_stuck
};

class independence {
 public:
  explicit independence(const transition_system&);

  const std::vector<process_instance>& instances() const { return instances_; }  // in the fixed order of steps
  std::uint32_t location(const word* state, std::uint32_t i) const;
  // i has steps, none of which ends in an error, a bound or stuck: as the caller has seen. O(instances * slots / 64).
  bool undisturbed(const word* state, std::uint32_t i) const;
  const footprint& next(std::uint32_t i, std::uint32_t location) const { return instances_data_[i].next[location]; }
  // Slots that some state property or state formula of a property reads.
  const slot_set& visible() const { return visible_; }

 private:
  struct reach {
    std::vector<footprint> next;
    std::vector<slot_set> reads, writes;  // by location: of everything that can be reached from it
  };
  // `slot` has `code`: `holder` holds it, or nobody.
  struct holding {
    known_slot at;
    std::uint32_t holder = 0;
    std::vector<reach> others;  // by instance; what it reaches meanwhile
  };

  std::uint32_t locations(std::uint32_t i) const;
  reach reach_of(std::uint32_t i, const std::optional<known_slot>&) const;
  void find_holdings();
  bool holds(const word* state, const holding&, std::uint32_t i) const;

  const transition_system& system_;
  const ir::program& p_;
  std::vector<process_instance> instances_;
  std::vector<reach> instances_data_;
  std::vector<holding> holdings_;
  slot_set visible_;
  std::size_t slots_ = 0;
};

}  // namespace quiesce
