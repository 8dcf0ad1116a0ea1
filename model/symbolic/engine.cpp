// SPDX-License-Identifier: MIT
#include "model/symbolic/engine.hpp"

#include "model/symbolic/samples.hpp"

namespace quiesce::symbolic {

const std::vector<engine>& engines() {
  static const std::vector<engine> all = {
      {"bounded", bounded, "runs of at most so many steps, by SAT solver"},
      {"induction", induction, "k-induction with pairwise different states"},
      {"reachability", reachability, "property-directed reachability: finds an inductive invariant of the finite scope"},
      {"spacer", spacer, "Z3's Horn solver; what it finds is confirmed by the SAT solver"},
      {"learning", learning, "an inductive invariant of the finite scope, guessed from runs"},
  };
  return all;
}

std::string engine_names() {
  std::string out = "auto, explicit";
  for (const engine& e : engines()) out += (&e == &engines().back() ? " and " : ", ") + std::string(e.name);
  return out;
}

bool triggered_by_runs(const transition_system& t, const finite_system& s, std::uint32_t property) {
  constexpr std::size_t states = 5000;
  const symmetry group(t, false);
  return samples(t, s, property, group, states, [] { return false; }).triggered();
}

}  // namespace quiesce::symbolic
