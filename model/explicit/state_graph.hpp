// SPDX-License-Identifier: MIT
#pragma once
// All reachable states, numbered in breadth-first order, and the steps between them. Steps are not stored: they are taken
// again wherever they are asked for. One thread; the same numbers in every run.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/explicit/budget.hpp"
#include "model/explicit/counterexample.hpp"
#include "model/explicit/paged_array.hpp"
#include "model/system/system.hpp"

namespace quiesce {

class state_graph {
 public:
  using index = std::uint32_t;
  static constexpr index none = 0xffffffffu;

  // `to`: none where the step ends in an error, a bound or a deadlock of its process, or where exploring ended before.
  struct edge {
    index to = none;
    std::uint32_t process = 0, instance = 0;
  };
  // Where a path ended: the state before the step, and how. A deadlock without a step has the outcome `state`.
  struct ending {
    index before = none;
    step_outcome outcome = step_outcome::state;
    std::uint8_t kind = 0;
  };

  explicit state_graph(const transition_system&);

  // Explores until nothing is new or the watch says so; calls `report` about once a second. True: every state was reached.
  // Throws what the steps throw; std::length_error beyond 2^32 - 2 states.
  bool explore(budget_watch&, const std::function<void()>& report);

  index size() const { return static_cast<index>(parents_.size()); }
  std::uint32_t words() const { return words_; }
  const word* state(index i) const { return states_.row(i); }
  index parent(index i) const { return parents_[i]; }
  std::uint64_t depth(index i) const;  // logarithmic in the depth
  index find(const word*) const;       // none: not reached
  // Appends the steps of a state in their order. False: it has none at all.
  bool edges(index from, std::vector<edge>& out);
  std::uint64_t conditions(index i) { return steps_->failing_invariants(state(i)); }

  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t marked() const { return marked_; }
  std::uint64_t memory_bytes() const;
  const std::map<ir::error_kind, ending>& errors() const { return errors_; }  // the first of each kind
  const std::map<ir::bound_kind, ending>& bounds() const { return bounds_; }
  const std::optional<ending>& deadlock() const { return deadlock_; }

  // A run with the states of `path` (the first is initial), and the last step that `e` describes, if it had one.
  trace run_to(const ending& e) const;
  std::vector<index> path_to(index) const;

 private:
  index put(const word*, index parent);
  void grow();
  void meet(const step&, index before);

  const transition_system& system_;
  std::unique_ptr<stepper> steps_;
  const std::uint32_t words_;
  paged_array<word> states_;
  std::vector<index> parents_, table_, levels_;  // levels_: the first state of each level
  std::uint64_t transitions_ = 0, marked_ = 0;
  std::map<ir::error_kind, ending> errors_;
  std::map<ir::bound_kind, ending> bounds_;
  std::optional<ending> deadlock_;
};

}  // namespace quiesce
