// SPDX-License-Identifier: MIT
#pragma once
// Claims evaluated: claims about the same model, variant, options, scope and environment share one exploration;
// one about a property with `leads to` has its own.

#include <optional>
#include <vector>

#include "model/verdict/check.hpp"

namespace quiesce {

// What the claim says of its model's options, scope and environment. Throws diagnostic.
instance settings_of(const ast::claim&);
// The model that it names: beside its file, else a shipped one. Throws diagnostic.
const model_entry& model_of(catalogue&, const claim_entry&);
// One of the invariants beside the model, or a property of the catalogue. Throws diagnostic.
const property_entry& property_of(catalogue&, const model_entry&, const claim_entry&);

struct claim_group {
  prepared_check check;
  std::vector<const claim_entry*> claims;  // claims[i] asks for property number property_of[i] of the check
  std::vector<std::size_t> property_of;
};

// Resolves and lowers; nothing is explored. Groups keep the order of their first claims. Throws diagnostic.
std::vector<claim_group> group_claims(catalogue&, const std::vector<const claim_entry*>&);

struct claim_result {
  const claim_entry* claim = nullptr;
  std::size_t group = 0;     // index into the groups and answers
  std::size_t property = 0;  // index into its verdicts
  bool as_expected = false;
};

struct claim_report {
  std::vector<answer> answers;        // one for each group
  std::vector<claim_result> results;  // in the order of the claims as given
  std::size_t unexpected = 0;
};

using group_progress = std::function<void(const claim_group&, const search_progress&)>;
claim_report evaluate(const std::vector<claim_group>&, const std::vector<const claim_entry*>&, const limits&,
                      const group_progress&);

}  // namespace quiesce
