// SPDX-License-Identifier: MIT
#include "model/export/export.hpp"

namespace quiesce::exporting {

const std::vector<writer>& writers() {
  static const std::vector<writer> table = {
      {"promela", "for spin", write_promela, false},
      {"murphi", "for rumur; with --symmetry interchangeable elements are scalarsets", write_murphi, true},
      {"dot", "the reachable states and steps, for Graphviz", write_dot, false},
  };
  return table;
}

}  // namespace quiesce::exporting
