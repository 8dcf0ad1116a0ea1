// SPDX-License-Identifier: MIT
#pragma once
// The writers of check results. A writer is one file and one line in writers().

#include <string>
#include <vector>

#include "model/verdict/check.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce::report {

// One property of one check, and the claim that asked for it, if one did.
struct row {
  const prepared_check* check = nullptr;
  const answer* answered = nullptr;
  std::size_t property = 0;
  const claim_entry* claim = nullptr;

  const verdict& result() const { return answered->verdicts[property]; }
  const ast::property& asked() const { return check->asked().properties[property]->property; }
  bool as_expected() const { return !claim || meets(claim->claim.expect, result().kind); }
};

struct results {
  std::string version;
  const language::source_set* sources = nullptr;
  std::vector<row> rows;
  bool claims = false;     // the rows are claims: what counts is whether they are as expected
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
