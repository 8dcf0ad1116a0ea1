// SPDX-License-Identifier: MIT
#pragma once
// Which rule notices a mistake: each mutant of the reference stack (refimpl/core/mutation.hpp), and the first random
// scenario that tells it from the reference.

#include <string>

#include "conformance/trial.hpp"

namespace quiesce::conformance {

struct caught_mutant {
  refimpl::mutation_entry mutant{};
  bool caught = false;
  std::string by;    // a property's name; where none is broken, "machine check", "leak", "warning ...", "inconsistent ..."
  std::string text;  // what happened, one line
  std::uint64_t seed = 0;  // of the scenario that told
  std::uint64_t runs = 0;  // scenarios up to there
  scenario small;          // shrunk
};

// Scenarios of seeds 1, 2, ... on the reference with the mistake, at most `count`. The property, if one is broken by then,
// says more than the machine check that follows it.
caught_mutant catch_mutant(const rule_book&, const refimpl::mutation_entry&, std::uint64_t count = 20'000);

// In words: what is wrong and where, by what it was noticed, and the scenario.
std::string format(const caught_mutant&);

}  // namespace quiesce::conformance
