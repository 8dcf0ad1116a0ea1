// SPDX-License-Identifier: MIT
#pragma once
// Steps under reductions: what is explored from a state, and which states in between are not kept.
//
// Merging: behind each step, what must follow is done at once, and only the state behind it is kept. In a state t something
// must follow where
//   - one step exists and no other, of whatever process; or
//   - some instance may move alone (partial_order.hpp), and has one step;
// and that step ends in a state, violates nothing and is not what a `sometimes` waits for, and no state property speaks in
// t. Such a step is what the search would do in t anyway, so t need not be kept. A run of such steps is cut after
// `most_merged`, so a cycle of them ends in kept states too, and is found.
// What is kept depends on nothing but the state: the same for any number of threads, compiled or interpreted.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/explicit/partial_order.hpp"
#include "model/explicit/reductions.hpp"
#include "model/system/system.hpp"

namespace quiesce {

class reducer {
 public:
  static constexpr std::uint32_t most_merged = 255;

  // The system must outlive it.
  reducer(const transition_system&, reductions);

  // Its expand() does what is said above; all else is the other's. `other` must be a single_stepper too.
  std::unique_ptr<stepper> make_stepper(std::unique_ptr<stepper> other) const;

  // For one stepper of make_stepper: from `state`, each step that is explored, with the states behind it one after the
  // other; the last one is kept. True: no more are wanted.
  using run_visitor = std::function<bool(const std::vector<std::vector<word>>&)>;
  void runs(stepper&, const word* state, const run_visitor&) const;

 private:
  class reduced_stepper;
  const reductions what_;
  const partial_order order_;
  std::uint64_t sometimes_ = 0;
  bool invariants_ = false;
};

}  // namespace quiesce
