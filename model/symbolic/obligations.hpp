// SPDX-License-Identifier: MIT
#pragma once
// What has to be decided for a proof, derived from the text of the core alone. proofs/README.md lists the kinds.

#include <string>
#include <vector>

#include "model/symbolic/smt.hpp"

namespace quiesce::symbolic {

enum class answer { unsat, sat, unknown };
const char* name(answer);

// One question in a block. `text` is what stands between `(push 1)` and `(check-sat)`, behind the invariants it uses.
struct obligation {
  std::string name;  // "keep 12 mutual_exclusion"
  std::string text;
  std::vector<answer> accepted;        // one, or sat and unsat: either, to be recorded (a step that is never taken)
  std::size_t action = 0;              // the initial item or action, by number
  std::size_t invariant = 0;           // the invariant, where it is about one
  std::vector<std::size_t> uses = {};  // invariants that are enough for `unsat`; the prover fills it in
  bool about_state() const { return accepted[0] == answer::sat; }  // with all invariants, in the second part
};

// Questions about one action share its declarations.
struct block {
  std::string name;              // "initial 0", "action 12 unregister.3", "state"
  std::string text;              // between `(push 1)` and the first question
  std::string few;               // likewise, where states are looked for
  bool with_invariants = false;  // they may be used
  std::vector<obligation> questions;
};

struct script {
  std::string prelude;
  std::vector<std::string> assertions;  // of the invariants, ranges first
  std::vector<block> blocks;
  std::string few_prelude;  // the prelude where states are looked for
  std::string few_invariants;
  std::string labels;                        // smt_writer::labels
  std::string invariants() const;            // all assertions
  std::vector<std::string> invariant_names;  // ranges first: "range of NAME", then those of the core
  std::vector<std::size_t> range_functions;  // functions whose range is an invariant
};

// Throws core_error.
script derive(const core&);

// What is asserted and asked in a question without all invariants.
std::string text_of(const script&, const obligation&);
// The whole as one text that any SMT-LIB 2 solver reads: what has to be `unsat`, then, from the start again, what asks for
// states.
std::string text_of(const script&);

}  // namespace quiesce::symbolic
