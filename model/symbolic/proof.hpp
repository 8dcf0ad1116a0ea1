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
  std::string text_hash_input;  // what the certificate hashes: the text of the question with its block
};

struct outcome {
  std::vector<failure> failures;         // empty: proved
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

outcome prove(const core&, const script&, const effort&);

// The invariants of the core whose numbers are in `candidates` may be dropped: those that are left are true initially and
// kept by every step together with the others (Houdini: Flanagan and Leino, 2001). Numbers count the invariants of the core.
std::vector<bool> houdini(const core&, const std::vector<bool>& candidates, const effort&);

// Cycles among sorts of functions and of alternating quantifiers, in words; empty: there is none, and the solver is sure to
// end.
std::vector<std::string> cycles(const core&);

}  // namespace quiesce::symbolic
