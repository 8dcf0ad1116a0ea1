// SPDX-License-Identifier: MIT
#include "model/symbolic/engine.hpp"

namespace quiesce::symbolic {

const std::vector<engine>& engines() {
  static const std::vector<engine> all = {
      {"bounded", bounded, "runs of at most so many steps, by SAT solver"},
      {"induction", induction, "k-induction with pairwise different states"},
      {"reachability", reachability, "property-directed reachability: finds an inductive invariant of the finite scope"},
  };
  return all;
}

}  // namespace quiesce::symbolic
