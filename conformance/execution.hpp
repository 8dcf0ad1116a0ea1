// SPDX-License-Identifier: MIT
#pragma once
// Who runs the tasks of a scenario, and when: the schedule and RCU policies of the stack, and the order of the tasks. The
// runner gives it each task as a list of steps, one per operation.

#include <functional>
#include <string>
#include <vector>

#include "refimpl/core/rcu.hpp"
#include "refimpl/core/schedule.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::conformance {

struct task_body {
  std::string name;
  std::vector<std::function<void()>> steps;
};

class execution {
 public:
  virtual ~execution() = default;
  virtual refimpl::schedule& sched() = 0;
  virtual refimpl::rcu& rcu() = 0;
  // Runs all steps of all bodies, each body's in order, and returns when all are done. Called once for the set-up (one
  // body), once for the tasks, once for the end (one body).
  virtual void run(std::vector<task_body>& bodies) = 0;
};

// One flow of control and simulated time: an operation runs to its end before the next one begins. `order` 0: the tasks take
// turns; else it seeds the choice of the task whose operation is next.
class in_turn : public execution {
 public:
  explicit in_turn(std::uint64_t order = 0) : order_(order) {}
  refimpl::schedule& sched() override { return environment_.sched; }
  refimpl::rcu& rcu() override { return environment_.rcu; }
  void run(std::vector<task_body>& bodies) override;

 private:
  refimpl::simulated_environment environment_;
  std::uint64_t order_;
};

}  // namespace quiesce::conformance
