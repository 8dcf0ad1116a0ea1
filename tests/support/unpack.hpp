// SPDX-License-Identifier: MIT
#pragma once
// Packed states as the value vectors of the naive enumerator.

#include "model/system/system.hpp"
#include "tests/support/naive_enumerator.hpp"

namespace quiesce::test {

inline naive_state unpack(const transition_system& s, const word* state) {
  naive_state out;
  const ir::program& p = s.program();
  for (ir::variable_id v = 0; v < p.variables.size(); ++v) {
    std::vector<std::uint32_t> index(p.variables[v].index.size(), 0);
    std::uint64_t n = ir::element_count(p, p.variables[v]);
    for (std::uint64_t i = 0; i < n; ++i) {
      out.push_back(read_variable(s, state, v, index));
      for (std::size_t k = index.size(); k-- > 0;) {
        if (++index[k] < p.sorts[p.variables[v].index[k]].element.size()) break;
        index[k] = 0;
      }
    }
  }
  return out;
}

}  // namespace quiesce::test
