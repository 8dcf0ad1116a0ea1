// SPDX-License-Identifier: MIT
#pragma once
// A property `P leads to Q` and its fairness, lowered. MANUAL.md section 8 says what they mean.
//
// The program has one more checked property for each condition: number `due` or `answered` of program.properties is a
// `sometimes` whose `invariant` is that condition, so stepper::failing_invariants has its bit where it is true.

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/lower.hpp"

namespace quiesce {

// For one value of the variables. An answer is due from a state with `due` on, until a state with `answered`. Between events
// `due` is remembered in the state: it ends where it is false, and `answered` is nothing.
struct obligation {
  std::uint32_t due = 0, answered = ir::nothing;
  std::string text;  // "d = dev0"; empty: no variables
};

// Each instance of the template is granted fairness: weak, or strong, of its steps from the locations in `at`; empty: of
// all.
struct fair_process {
  bool strong = false;
  std::uint32_t process = 0;
  std::vector<bool> at;
};

struct response {
  lowered low;
  std::vector<obligation> obligations;
  std::vector<fair_process> fair;  // at most 64 instances together
};

inline bool is_response(const ast::property& p) { return p.kind == ast::property_kind::leads_to; }

// The first property of the program is `p`; it has_trigger. Throws diagnostic as lower() does, for a scope with `any`, for a
// process or place that the model does not have, for more than 64 fair instances or 63 conditions.
response lower_response(const loaded_model&, const instance&, const ast::property& p);

}  // namespace quiesce
