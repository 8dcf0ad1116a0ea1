// SPDX-License-Identifier: MIT
#pragma once
// Whether a program treats two elements alike: its steps and properties commute with exchanging them. Decided on the text,
// by types; what is not recognised counts as different, so that symmetry is lost and never wrong.
//
// Recognised besides the obvious: arithmetic of an element with a constant that is an injection between sorts (the list node
// of a device), comparisons that name a range which the exchange keeps, resets of locals that nobody reads any more, and
// loops over a sort in ascending order whose turns write apart and read nothing that another turn writes, and one value stored at
// one named place after the other.

#include <cstdint>
#include <optional>
#include <string>

#include "model/explicit/dead_locals.hpp"
#include "model/explicit/permutation.hpp"

namespace quiesce {

// Nothing if exchanging by `to` (an involution on all sorts) maps the processes and invariants to themselves; else the
// reason. Initial states are not looked at.
std::optional<std::string> breaks_symmetry(const ir::program&, const dead_locals&, const sort_images& to);

}  // namespace quiesce
