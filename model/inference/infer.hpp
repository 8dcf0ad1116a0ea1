// SPDX-License-Identifier: MIT
#pragma once
// Invariants for a proof, found from the property.
//
// Clauses over a small vocabulary that hold in all sampled reachable states of finite instances are the candidates. Starting
// from the property alone, each step from a state that the chosen ones allow to one that they forbid asks for a candidate
// that excludes that state; a candidate whose own steps cannot be excluded is dropped (Houdini: Flanagan and Leino, 2001;
// the choice by counterexamples as in IC3: Bradley, VMCAI 2011; clauses from finite instances as in Goel and Sakallah, "On
// Symmetry and Quantification", NFM 2021). What is found is inductive in the eyes of the solver that was asked; it is to be
// proved like any other.

#include <functional>

#include "model/inference/words.hpp"
#include "model/symbolic/core_reader.hpp"

namespace quiesce::inference {

struct options {
  double seconds = 60;         // of processor time
  unsigned timeout_ms = 2000;  // for one question to the solver
  std::function<void(const std::string&)> progress;
};

struct lemma {
  std::string text;  // "for all p1: peer : invariant …", in the language; empty: the property itself, or one that was given
  std::string name;  // of the property, or as it was given
  node condition;
};

struct result {
  bool found = false;
  std::vector<lemma> lemmas;  // without any of them the proof fails
  std::string note;           // not found: why
  std::size_t candidates = 0, questions = 0;
  double seconds = 0;
};

// The invariants of the core are ones to start from: they may be dropped like any other. Throws core_error.
result infer(const core&, const words&, const options&);

}  // namespace quiesce::inference
