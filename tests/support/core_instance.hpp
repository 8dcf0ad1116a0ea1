// SPDX-License-Identifier: MIT
#pragma once
// A parametrised core at given sizes, as the text of a finite core: what `explore_core` reads.

#include <map>
#include <string>

namespace quiesce::test {

// `sizes`: elements of each sort of any size, without those that constructors make. Elements are numbered as a scope with
// these numbers numbers them. Invariants become properties. Functions that start with any values, and effects on properties,
// are not supported: std::runtime_error, or left out.
std::string instance_of_core(const std::string& text, const std::map<std::string, std::size_t>& sizes);

}  // namespace quiesce::test
