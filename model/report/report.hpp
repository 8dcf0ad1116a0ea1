// SPDX-License-Identifier: MIT
#pragma once
// The writers of check results. A writer is one file and one line in writers().

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/compare.hpp"
#include "model/verdict/nearest.hpp"

namespace quiesce::report {

// What a broken rule is set against.
struct remedy {
  std::optional<neighbour> kept_by;    // the nearest version that keeps the rule, if one is known
  std::vector<std::string> undecided;  // versions whose check came to no end
};

// The same question to another variant, and the run of the first followed there.
struct second_look {
  prepared_check check;
  answer answered;
  followed_run run;
};

// One property of one check, and the claim that asked for it, if one did.
struct row {
  const prepared_check* check = nullptr;
  const answer* answered = nullptr;
  std::size_t property = 0;
  const claim_entry* claim = nullptr;
  std::optional<remedy> fix;                    // of a broken rule, where it was looked for
  std::shared_ptr<const second_look> compared;  // --compare

  const verdict& result() const { return answered->verdicts[property]; }
  const ast::property& asked() const { return check->asked().properties[property]->property; }
  bool as_expected() const { return !claim || meets(claim->claim.expect, result().kind); }
};

struct results {
  std::string version;
  const language::source_set* sources = nullptr;
  std::vector<row> rows;
  bool claims = false;  // the rows are claims: what counts is whether they are as expected
};

struct writer {
  const char* name;
  std::string (*write)(const results&);
};
const std::vector<writer>& writers();

std::string write_text(const results&);
std::string write_json(const results&);

// One hash for all rows.
std::string combined_hash(const results&);

}  // namespace quiesce::report
