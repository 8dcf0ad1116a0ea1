// SPDX-License-Identifier: MIT
#pragma once
// Which elements a variable has to range over. Most conditions have a fixed value for every element that no table entry and
// no span mentions: `all d in r.devs : ...` is true beyond the members of r, `count X(d) <= 2` is true where the count has
// no entry. Going through the entries instead of all elements gives the same value at the cost of what is mentioned.

#include <cstdint>
#include <optional>
#include <vector>

#include "properties/compiled.hpp"

namespace quiesce::monitors {

// A place that mentions elements.
struct mention {
  enum class place : std::uint8_t { members, cell, ghost } in = place::members;
  std::uint32_t table = 0;  // number of the cell or ghost
  std::size_t key = 0;      // which key of its entries
  int span = -1;            // span variable: whose members, or whose copy of the cell; -1: the cell that is no span's
};

// Places such that the term is 0 (`truth` false) or not 0 (`truth` true) for every value of the variable that none of them
// mentions, whatever the other variables are. Absent: none are known, all elements count. A term that may fail
// (value(none)) has none.
std::optional<std::vector<mention>> mentions_beside(const monitor_set&, const term&, std::uint32_t variable, bool truth);

// The places for a quantifier: beyond them its body does not count. Same result.
std::optional<std::vector<mention>> mentions_of_quantifier(const monitor_set&, const term& quantifier);

}  // namespace quiesce::monitors
