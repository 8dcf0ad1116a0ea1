// SPDX-License-Identifier: MIT
#include "model/symbolic/sat.hpp"

#include <cadical.hpp>

namespace quiesce::symbolic {

class sat_solver::terminator : public CaDiCaL::Terminator {
 public:
  explicit terminator(std::function<bool()> stop) : stop_(std::move(stop)) {}
  bool terminate() override { return stop_ && stop_(); }

 private:
  std::function<bool()> stop_;
};

struct sat_solver::implementation {
  explicit implementation(std::function<bool()> stop) : stopper(std::move(stop)) {
    cadical.set("quiet", 1);  // it would write to stdout
    cadical.connect_terminator(&stopper);
    cadical.set("quiet", 1);   // it writes to stdout otherwise
    cadical.set("chrono", 0);  // chronological backtracking costs more than it brings on unrolled steps
  }
  ~implementation() { cadical.disconnect_terminator(); }
  terminator stopper;
  CaDiCaL::Solver cadical;
  int last = 0;
};

sat_solver::sat_solver(const circuit& c, std::function<bool()> stop)
    : circuit_(c), solver_(std::make_unique<implementation>(std::move(stop))) {}

sat_solver::~sat_solver() = default;

void sat_solver::add(std::initializer_list<int> clause) {
  for (int l : clause) solver_->cadical.add(l);
  solver_->cadical.add(0);
}

int sat_solver::variable(literal wanted) {
  if (variables_.size() < circuit_.size()) variables_.resize(circuit_.size(), 0);
  std::vector<std::uint32_t> todo{node_of(wanted)};
  while (!todo.empty()) {
    const std::uint32_t n = todo.back();
    if (variables_[n] != 0) {
      todo.pop_back();
      continue;
    }
    const circuit::gate& g = circuit_.at(n);
    const bool leaf = n == 0 || g.is_input;
    if (!leaf && variables_[node_of(g.a)] == 0) todo.push_back(node_of(g.a));
    if (!leaf && variables_[node_of(g.b)] == 0) todo.push_back(node_of(g.b));
    if (todo.back() != n) continue;
    const int v = variables_[n] = ++solver_->last;
    if (n == 0) add({-v});
    if (leaf) continue;
    const auto of = [&](literal l) { return negated(l) ? -variables_[node_of(l)] : variables_[node_of(l)]; };
    const int a = of(g.a), b = of(g.b);
    add({-v, a});
    add({-v, b});
    add({v, -a, -b});
  }
  const int v = variables_[node_of(wanted)];
  return negated(wanted) ? -v : v;
}

void sat_solver::require(literal l) { add({variable(l)}); }

void sat_solver::require_any(const std::vector<literal>& all) {
  std::vector<int> clause;
  for (literal l : all) clause.push_back(variable(l));
  for (int l : clause) solver_->cadical.add(l);
  solver_->cadical.add(0);
}

sat_answer sat_solver::solve(const std::vector<literal>& assumed) {
  values_.clear();
  std::vector<int> all;
  for (literal l : assumed) all.push_back(variable(l));
  for (int l : all) solver_->cadical.assume(l);
  switch (solver_->cadical.solve()) {
    case 10:
      return sat_answer::satisfiable;
    case 20:
      return sat_answer::unsatisfiable;
    default:
      return sat_answer::stopped;
  }
}

// Gates that no question needed follow from their inputs; inputs that none needed are free, and false.
bool sat_solver::value(literal wanted) {
  if (values_.size() < circuit_.size()) values_.resize(circuit_.size(), -1);
  std::vector<std::uint32_t> todo{node_of(wanted)};
  while (!todo.empty()) {
    const std::uint32_t n = todo.back();
    if (values_[n] >= 0) {
      todo.pop_back();
      continue;
    }
    const circuit::gate& g = circuit_.at(n);
    const int v = n < variables_.size() ? variables_[n] : 0;
    if (v != 0 || g.is_input || n == 0) {
      values_[n] = v != 0 && solver_->cadical.val(v) > 0;
      continue;
    }
    const int a = values_[node_of(g.a)], b = values_[node_of(g.b)];
    if (a < 0) todo.push_back(node_of(g.a));
    if (b < 0) todo.push_back(node_of(g.b));
    if (a >= 0 && b >= 0) values_[n] = (a != static_cast<int>(g.a & 1u)) && (b != static_cast<int>(g.b & 1u));
  }
  return (values_[node_of(wanted)] != 0) != negated(wanted);
}

bool sat_solver::used(literal l) { return solver_->cadical.failed(variable(l)); }

}  // namespace quiesce::symbolic
