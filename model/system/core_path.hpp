// SPDX-License-Identifier: MIT
#pragma once
// What symbolic execution knows on a path. Internal to core.cpp.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/system/core_term.hpp"
#include "model/system/ir.hpp"

namespace quiesce::core {

using ir::temp_id;
using ir::variable_id;

inline std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// At `index`; or at all places, where `everywhere` gives the new value of a place from its index and its value before.
struct write {
  std::vector<term> index;
  term value;
  std::function<term(const std::vector<term>&, const term&)> everywhere;
  term when = truth(true);  // otherwise nothing is written
};

// A path so far: what was assumed, chosen and written.
struct path {
  std::uint32_t pc = 0;
  std::size_t executed = 0;
  std::vector<term> assumed;  // none is constant, unless the path is not possible
  std::size_t length = 0;     // of their texts
  std::vector<std::string> params;
  std::map<temp_id, term> temps;
  std::map<variable_id, std::vector<write>> writes;
  std::uint64_t violated = 0, marked = 0;
  std::vector<std::pair<std::string, term>> effects;  // violates and marks that have conditions
  std::set<variable_id> arbitrary;                    // tables that start with any values
};

}  // namespace quiesce::core
