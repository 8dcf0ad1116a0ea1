// SPDX-License-Identifier: MIT
#pragma once
// A result as plain text for a reply to a patch: at most 72 columns, the tool named once.

#include <optional>
#include <string>

#include "model/verdict/check.hpp"
#include "model/verdict/nearest.hpp"

namespace quiesce::report {

struct citation {
  const prepared_check* check = nullptr;  // of one property
  const answer* answered = nullptr;
  std::string base;                       // variant before the patch; empty: the one that is cited, or none
  std::optional<verdict_kind> base_kind;  // its verdict in the same scope
  std::optional<neighbour> kept_by;       // of a violated property
  const claim_entry* claim = nullptr;     // whose evidence counts
};

// The weakest mark of what the result rests on: of the property, the variant and the claim. V, H, R, M from strong to weak;
// R where none is given.
char weakest_mark(const citation&);

std::string cite(const citation&);

// An iproute2 script that does what the counterexample does, or nothing and the reason where user space cannot.
struct reproducer {
  std::string script;
  std::string reason;
};
reproducer reproduce(const citation&);

}  // namespace quiesce::report
