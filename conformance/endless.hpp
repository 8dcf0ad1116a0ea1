// SPDX-License-Identifier: MIT
#pragma once
// Rules of the form "P leads to Q" on executions of the stack, which end. Two kinds of end show that Q never comes:
//
//   rest   P happened, Q did not, and nothing can move any more: no task, timer, RCU callback or softirq; or a task waits
//   for
//          RTNL that it holds
//   loop   three times in a row the same actors made the same moves, each time from the same state of the stack to the same
//          one, Q did not come, and every actor that could move all the time did: the last turn can be repeated for ever,
//          and is fair. The clock, and the ages that are measured by it, are no part of the state: the models have none
//
// An execution that comes to neither shows nothing.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/schedule_control.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::conformance {

struct endless_rule {
  const char* property;
  const char* how;  // what of the stack is read
};
// The properties that can be shown so.
const std::vector<endless_rule>& endless_rules();
bool is_endless_rule(std::string_view property);

// Drives an execution by another chooser and remembers it. Cost: the size of the stack's tables at each move.
class endless_watch : public chooser {
 public:
  // before: is_endless_rule(property).
  endless_watch(std::string property, chooser& inner, const actor_names& names);
  ~endless_watch() override;
  std::uint32_t choose(const std::vector<std::uint32_t>& enabled) override;
  void moved(const move&) override;
  void saw(const refimpl::event&, refimpl::stack&);  // run_settings::sink
  // Behind the execution: why Q never comes, in one line; empty: not shown.
  std::string verdict(const control_report&) const;

 private:
  void look_for_loop();
  struct memory;
  std::unique_ptr<memory> memory_;
  chooser& inner_;
  const actor_names& names_;
};

}  // namespace quiesce::conformance
