// SPDX-License-Identifier: MIT
#pragma once
// Claims about any number of elements: their core, their proof, the certificate of it.

#include <string>
#include <vector>

#include "model/symbolic/proof.hpp"
#include "model/system/lower.hpp"
#include "model/verdict/catalogue.hpp"

namespace quiesce {

struct proof_input {
  const claim_entry* claim = nullptr;
  const model_entry* model = nullptr;
  const property_entry* property = nullptr;
  std::vector<const property_entry*> invariants;  // declared beside the model; those that speak of this instance
  std::vector<std::string> left_out;              // the others
  instance settings;
  lowered low;
};

// The declarations in MODEL.inv are the invariants; the property of the claim may be one of them. Throws diagnostic.
proof_input prepare_proof(catalogue&, const claim_entry&);

// Its core, with the invariants for which `kept` is true (all, where it is empty).
std::string core_of(const proof_input&, const std::vector<bool>& kept = {});
// Which of them are candidates, that Houdini may drop: `status proposed`.
std::vector<bool> candidates_of(const proof_input&);

// "PROVED for any number of dev, net; bounds operations=1"
std::string scope_of_proof(const scope_description&);

struct certificate {
  std::string id;  // SHA-256 of the canonical JSON without the id
  std::string json, core, obligations;
};
certificate certify(catalogue&, const proof_input&, const std::string& core, const symbolic::script&,
                    const symbolic::outcome&);

// What went wrong in the words of the model; several lines.
std::string describe(catalogue&, const proof_input&, const symbolic::failure&);

}  // namespace quiesce
