// SPDX-License-Identifier: MIT
#pragma once
// Reads a core as CORE.md describes it and explores it, slowly. Knows nothing of the lowered form.

#include <string>

#include "tests/support/naive_enumerator.hpp"

namespace quiesce::test {

// Findings by name; states as the naive enumerator's: all values in order of declaration. Throws std::runtime_error.
struct core_result {
  std::set<naive_state> states;
  std::uint64_t transitions = 0, depth = 0;
  std::map<std::string, std::uint64_t> property_depth, error_depth, bound_depth;
  std::set<std::string> marked;
  bool deadlock = false;
  std::uint64_t deadlock_depth = 0;
};
// A part of a guard is looked at once its parameters have values, or, on request, guards only when all parameters have some.
enum class guards { by_parts, as_a_whole };
core_result explore_core(const std::string& text, guards = guards::by_parts);

}  // namespace quiesce::test
