// SPDX-License-Identifier: MIT
#pragma once
// A proof from the invariants of a core, or why there is none.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/symbolic/obligations.hpp"

namespace quiesce::symbolic {

// A state with few elements from which one step breaks what it should keep.
struct counterexample {
  std::map<std::string, std::size_t> sizes;  // elements of each sort of any size
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::pair<std::string, std::string>> before;  // places of functions that matter, and their values
  std::vector<std::pair<std::string, std::string>> after;   // those that the step changes
};

enum class failure_kind { not_initial, not_inductive, unsafe, run_time_error, impossible, unknown, tautology };
struct failure {
  failure_kind kind = failure_kind::unknown;
  std::string question;   // its name
  std::string invariant;  // not_initial, not_inductive
  std::string action;     // its name; empty: about states
  std::string detail;     // the error, the property
  std::optional<counterexample> example;
};

struct decided {
  std::string name;
  answer expected;
  std::string text_hash_input;    // what the certificate hashes: the text of the question with its block
  std::vector<std::size_t> uses;  // invariants
};

struct outcome {
  std::vector<failure> failures;         // empty: proved
  std::vector<bool> needed;              // which invariants of the core the proof rests on
  std::vector<decided> obligations;      // all of them, in order, where it is proved
  std::vector<std::string> never;        // places whose steps are all impossible under the invariants
  std::vector<std::string> untriggered;  // properties that no step can trigger
  std::size_t questions = 0;
  double seconds = 0;  // in the solver
};

struct effort {
  unsigned timeout_ms = 20000;    // for one question
  std::size_t most_failures = 3;  // then it stops
  std::size_t most_elements = 4;  // of a counterexample
};

// Everything that has to be `unsat`. Candidates, by number among the invariants of the core, are only asked about where
// something rests on them, and given up where they do not hold (as in Houdini: Flanagan and Leino, 2001); the other
// invariants have to hold. Fills in which invariants each question uses.
outcome prove(const core&, script&, const std::vector<bool>& candidates, const effort&);

// The script of the core that has only the invariants for which `kept` is true, with what is known from the whole one.
script narrowed(const script& whole, const core&, const std::vector<bool>& kept);

// The rest: what asks for states. Completes the outcome for a script in which all the rest is decided.
void look_for_states(const core&, const script&, const effort&, outcome&);

// Cycles among sorts of functions and of alternating quantifiers, in words; empty: there is none, and the solver is sure to
// end.
std::vector<std::string> cycles(const core&);

}  // namespace quiesce::symbolic
