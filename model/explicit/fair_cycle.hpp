// SPDX-License-Identifier: MIT
#pragma once
// Fairness of the steps of one state graph: which constraints a step serves, and ways round that serve what they must.

#include <cstdint>
#include <vector>

#include "model/explicit/state_graph.hpp"
#include "model/system/response.hpp"

namespace quiesce {

using constraint_set = std::uint64_t;  // bit k: constraint number k

class fair_steps {
 public:
  fair_steps(const transition_system&, const std::vector<fair_process>&);
  // The constraints whose step this is.
  constraint_set of(const word* before, std::uint32_t process, std::uint32_t instance) const;
  constraint_set weak() const { return all_ & ~strong_; }
  constraint_set strong() const { return strong_; }

 private:
  struct constraint {
    std::uint32_t process = 0, instance = 0;
    const std::vector<bool>* at = nullptr;
  };
  const transition_system& system_;
  std::vector<constraint> constraints_;
  constraint_set all_ = 0, strong_ = 0;
};

// What the states and steps of a part of the graph, or of a way through it, do with the constraints.
struct fair_record {
  constraint_set always = ~constraint_set{0};  // every state has a step of it
  constraint_set ever = 0;                     // some state has
  constraint_set taken = 0;                    // some step is one

  void state(constraint_set enabled) {
    always &= enabled;
    ever |= enabled;
  }
  constraint_set broken_weak(const fair_steps& f) const { return f.weak() & always & ~taken; }
  constraint_set broken_strong(const fair_steps& f) const { return f.strong() & ever & ~taken; }
};

// One step of a way: what moves, and where to.
struct hop {
  state_graph::index to = state_graph::none;
  std::uint32_t process = 0, instance = 0;
};

// A way from `from` back to it through the strongly connected `members` (each with an edge inside) that breaks no
// constraint. `member(i)`: is state i one? The part as a whole breaks none.
std::vector<hop> way_round(state_graph&, const fair_steps&, const std::vector<bool>& member, state_graph::index from);

}  // namespace quiesce
