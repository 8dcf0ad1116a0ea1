// SPDX-License-Identifier: MIT
#pragma once
// Finite structures that a solver finds.

#include <optional>

#include "model/inference/structure.hpp"
#include "model/symbolic/obligations.hpp"
#include "model/symbolic/solver.hpp"

namespace quiesce::inference {

// Declarations that give every sort exactly the elements of the shape, as terms that element_text() names.
std::string exactly(const shape&);
std::string element_text(const shape&, std::size_t sort, std::size_t element);

// The state in the solver's model, of the unprimed functions, those in `after` primed.
state read_state(symbolic::solver&, const shape&, const std::set<std::size_t>& after);

// A state with few elements in which the invariants hold and the question is answered `sat`: an obligation is not met.
struct found_state {
  shape of;
  state values;
};
std::optional<found_state> state_against(const core&, const symbolic::script&, const symbolic::block&,
                                         const symbolic::obligation&, std::size_t most_others, unsigned timeout_ms);

// Up to `most` initial states of this shape.
std::vector<state> initial_states(const shape&, std::size_t most, unsigned timeout_ms);

}  // namespace quiesce::inference
