// SPDX-License-Identifier: MIT
#pragma once
// Where a process stands, as sets of its locations.

#include <map>
#include <set>

#include "model/system/lower_symbols.hpp"

namespace quiesce::lowering {

struct place_set {
  std::uint32_t process;
  expr_id element;  // which one; nothing: there is one
  std::set<std::size_t> locations;
};

// Terms of type bool that ask where a process stands. What `and`, `or` and `not` make of questions about one process becomes
// one question, and a question becomes a comparison with the locations inside or outside, whichever are fewer: a solver
// pays for each comparison.
void patch_places(builder&, std::map<expr_id, place_set>);

}  // namespace quiesce::lowering
