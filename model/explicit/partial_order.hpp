// SPDX-License-Identifier: MIT
#pragma once
// Partial-order reduction: in a state where one process instance can be left to move first, only its steps are explored.
//
// The steps of instance i are enough in state s where
//   - i is undisturbed in s (independence.hpp), and has steps, none of which ends in an error, a bound or stuck;
//   - its step writes nothing that a state property reads;
//   - it does not stand at an anchor. Anchors are locations of a process such that each cycle of its code goes through one.
// Then every reachable deadlock is found, every error, bound, violation and mark of a step (these depend on what the step
// reads, and it reads the same in whatever order independent steps came before it; monitors are part of the code, so events
// that a property tells the order of are dependent), and every value of what the state properties read.
//
// Proof sketch. Let w be a run from s. If i moves in it, its first step can be moved to the front; if not, any step of i can
// be put in front of it, and w still runs after it, with the same effects and the same values of all that is visible. The
// first case leaves a shorter run to look for, the second the same run from a later state. Steps put in front for ever would
// be an infinite walk of processes through their code without an anchor, of which there is none (the cycle proviso in its
// static form: Kurshan, Levin, Minea, Peled, Yenigun, "Static partial order reduction", 1998; Clarke, Grumberg, Peled,
// "Model checking", 1999, ch. 10; for breadth-first search Bosnacki and Holzmann, "Improving Spin's partial-order reduction
// for breadth-first search", 2005, ask the set of seen states instead). So no action is ignored for ever, and what is
// explored from a state depends on nothing but the state: not on threads, the order of the search or how states are stored.
// Under symmetry the same holds of the walks of the concrete run behind a path of representatives, as anchors are
// locations of a template. Time moves only where nobody else can, so never before i.

#include <cstdint>
#include <vector>

#include "model/explicit/independence.hpp"

namespace quiesce {

class partial_order {
 public:
  explicit partial_order(const transition_system&);
  const independence& relation() const { return independence_; }
  // All of the conditions but those on the steps themselves.
  bool may_move_alone(const word* state, std::uint32_t i) const;
  // For diagnostics and tests: locations that can never be reduced at, of all; anchors among them.
  struct statistics {
    std::size_t locations = 0, anchors = 0, visible = 0;
  };
  statistics counts() const;

 private:
  enum class place : std::uint8_t { usable, visible, anchor };
  void find_anchors(std::uint32_t process);

  const ir::program& p_;
  independence independence_;
  std::vector<std::vector<place>> places_;  // by instance and location
};

}  // namespace quiesce
