// SPDX-License-Identifier: MIT
#pragma once
// Clauses over a vocabulary that no sampled state falsifies.

#include <array>
#include <functional>

#include "model/inference/reach.hpp"
#include "model/inference/vocabulary.hpp"

namespace quiesce::inference {

// Literal 2a is atom a, 2a + 1 its negation. A clause is the disjunction of its literals, for all values of its variables.
using clause = std::vector<std::uint32_t>;

inline constexpr std::size_t most_atoms = 256;
using row = std::array<std::uint64_t, most_atoms / 64>;  // which atoms are true, for one choice of values

// The different rows of these states; of the choices at most about `most_choices` are looked at, spread evenly.
std::vector<row> rows_of(const vocabulary&, const shape&, const std::vector<state>&, std::size_t most_choices);

bool falsified(const clause&, const std::vector<row>&);

// All clauses of at most `length` literals that no row falsifies and of which no part has that property, shortest first and
// then by weight. `enough` ends the search. Exponential in `length`.
std::vector<clause> true_clauses(const vocabulary&, const std::vector<row>&, std::size_t length,
                                 const std::function<bool()>& enough);

node node_of(const core&, const vocabulary&, const clause&);
// "for all p1: peer : invariant a && b => c || d", to be formatted.
std::string text_of(const core&, const vocabulary&, const clause&);

}  // namespace quiesce::inference
