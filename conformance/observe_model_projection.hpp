// SPDX-License-Identifier: MIT
#pragma once
// The events of a trace that are compared with a model, as trace inclusion wants them.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/inclusion.hpp"
#include "conformance/observe_model.hpp"

namespace quiesce::observe {

// Compared events, and where each stands in the trace.
struct projected {
  std::vector<conformance::seen_event> events;
  std::vector<std::size_t> places;
  // Left out: begins and ends of grace periods that a driver may wait for, and of rcu_barrier while references are waited
  // for.
  std::size_t driver_waits = 0, polls = 0;
};

// The visible events of the part's operations. References taken and dropped belong to it wherever they stand, if the device
// is of the part; those that were taken before it come first.
projected project(const std::vector<observed_event>& all, const compared_part&, const std::set<std::string>& visible);

// References to devices of the part that the trace shows being taken and dropped, in order; those that were taken before
// come first.
std::vector<std::size_t> references_of(const std::vector<observed_event>& all, const compared_part&);

// Steps of a teardown that are in none of the operations, in order. Nobody compares them.
std::vector<std::size_t> left_over(const std::vector<observed_event>& all, const std::vector<asked_operation>&);

}  // namespace quiesce::observe
