// SPDX-License-Identifier: MIT
#pragma once
// A proof for any number of elements as plain text for a mail: at most 72 columns, like report/cite.hpp.

#include <optional>
#include <string>

#include "model/verdict/catalogue.hpp"

namespace quiesce::cli {

// The proof is done again; its certificate in proofs/ is named if it is about the core that the model has now. nullopt: no
// claim about any number of elements has this name. Throws diagnostic where the claim is not proved.
std::optional<std::string> cite_proof(catalogue&, const std::string& claim);

}  // namespace quiesce::cli
