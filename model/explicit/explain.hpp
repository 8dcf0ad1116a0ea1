// SPDX-License-Identifier: MIT
#pragma once
// Why there are so many states: what each part of the state contributes, and where steps branch.

#include <cstdint>
#include <string>
#include <vector>

#include "model/explicit/explored.hpp"

namespace quiesce {

// A variable, all its elements together; or a process, all its instances with their places and locals together.
struct state_part {
  std::string name;
  std::uint32_t bits = 0;
  std::uint64_t values = 0;   // different ones among the states
  std::uint64_t without = 0;  // states that are left where this part is not looked at
};

// The steps that processes take from one place.
struct branching_place {
  std::string process, statement;
  source_range where;
  std::uint64_t visits = 0;  // (state, instance) pairs of the sample that have a step from here
  std::uint64_t steps = 0;   // theirs, together
  std::uint64_t most = 0;    // of one pair
};

struct explanation {
  std::uint64_t states = 0;
  bool estimated = false;  // numbers above most_exact are estimates, with a standard error of half a per cent
  std::vector<state_part> variables, processes;  // fewest states without it first, then by name
  std::uint64_t sampled = 0, sampled_steps = 0;  // states whose steps were taken, evenly spread over all
  std::vector<branching_place> places;           // most steps of one pair first, then by all steps
};

inline constexpr std::uint64_t most_exact = 65536;

// Under symmetry it is about the representatives. Time: states times parts.
explanation explain(const explored&);

}  // namespace quiesce
