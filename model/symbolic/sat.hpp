// SPDX-License-Identifier: MIT
#pragma once
// A SAT solver behind a circuit: clauses are made for the part of the circuit that a question needs, once (Tseitin 1968).
// CaDiCaL (Biere et al., 2020), incremental.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/symbolic/circuit.hpp"

namespace quiesce::symbolic {

enum class sat_answer { satisfiable, unsatisfiable, stopped };

class sat_solver {
 public:
  // `stop` is asked from time to time.
  explicit sat_solver(const circuit&, std::function<bool()> stop = {});
  ~sat_solver();
  sat_solver(const sat_solver&) = delete;
  sat_solver& operator=(const sat_solver&) = delete;

  void require(literal);                          // for ever
  void require_any(const std::vector<literal>&);  // for ever
  // Under assumptions.
  sat_answer solve(const std::vector<literal>& assumed = {});
  // After `satisfiable`, before anything is required or asked: in the solver's model.
  bool value(literal);
  // After `unsatisfiable`: this assumption was used.
  bool used(literal);

 private:
  class terminator;
  int variable(literal);
  void add(std::initializer_list<int>);
  struct implementation;
  const circuit& circuit_;
  std::unique_ptr<implementation> solver_;
  std::vector<int> variables_;       // by node, 0: none yet
  std::vector<signed char> values_;  // by node, in the last model; -1: not asked
};

}  // namespace quiesce::symbolic
