// SPDX-License-Identifier: MIT
#pragma once
// Which version of a model keeps a rule that another version breaks, with the fewest options changed.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/verdict/catalogue.hpp"
#include "model/verdict/check.hpp"

namespace quiesce {

using option_values = std::vector<std::pair<std::string, std::string>>;  // as written, in order of declaration

// The value of each option under `variant` with `on_top` set on top of it. Throws diagnostic for a variant that does not
// exist.
option_values options_of(const ast::model&, const std::string& variant, const std::map<std::string, std::string>& on_top);

struct neighbour {
  std::string variant;
  std::map<std::string, std::string> options;  // set on top of the variant
  option_values changed;                       // options that differ from those of the question, as the neighbour has them
  const claim_entry* claim = nullptr;          // that says so; null: found by a check
};

// What is asked of one property: a claim's or a question's.
struct situation {
  const model_entry* model = nullptr;
  instance settings;
  std::string property;
};
situation situation_of(catalogue&, const claim_entry&);

// The neighbour of which one of `claims` says that the property holds, in the same environment and bounds and with each sort at
// least as large. The nearest changes the fewest orthogonal options, then the fewest options, then is of the first variant in
// order of declaration, then sets the fewest options on top of it.
std::optional<neighbour> nearest_claimed(catalogue&, const situation&, const std::vector<const claim_entry*>& claims);

// The same, by checking variant after variant in the scope of the question, `most.max_states` together. `undecided` gets those
// whose check came to no end.
std::optional<neighbour> nearest_checked(catalogue&, const situation&, const limits& most,
                                         std::vector<std::string>& undecided);

// "J1" or "J1 nested=true"
std::string name_of(const neighbour&);
// "batch_at = before_uninit, node_init = true"
std::string changes_of(const neighbour&);

}  // namespace quiesce
