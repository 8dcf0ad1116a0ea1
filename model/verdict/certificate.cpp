// SPDX-License-Identifier: MIT
// Certificates of proofs: what a reader needs to decide all of it again.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/explicit/sha256.hpp"
#include "model/verdict/prove.hpp"

namespace quiesce {

namespace {

std::vector<std::string> assumptions(const proof_input& in) {
  std::vector<std::string> out = {"sequential consistency"};
  bool loops = false, sets = false;
  for (const ir::variable& v : in.low.program.variables) {
    sets |= in.low.program.types[v.type].kind == ir::type_kind::set;
    loops |= v.kind == ir::variable_kind::local && v.name.ends_with(".left");
  }
  if (loops) out.push_back("each turn of a loop over elements is a step of its own, also inside atomic");
  if (sets) out.push_back("a queue is read as the set of its members: loops over it take any order");
  if (!in.claim->claim.because.empty()) out.push_back(in.claim->claim.because);
  return out;
}

template <class Pairs>
nlohmann::json object(const Pairs& pairs) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, value] : pairs) out[name] = value;
  return out;
}

nlohmann::json sizes(const std::vector<std::pair<std::string, std::int64_t>>& all) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, n] : all) {
    if (n == any_number)
      out[name] = "any";
    else
      out[name] = n;
  }
  return out;
}

}  // namespace

certificate certify(catalogue& inputs, const proof_input& in, const std::string& core, const symbolic::script& script,
                    const symbolic::outcome& found) {
  certificate out;
  out.core = core;
  out.obligations = text_of(script);
  const ast::claim& c = in.claim->claim;
  std::string declared;
  for (const property_entry* e : in.invariants) declared += e->canonical();
  nlohmann::json j;
  j["format"] = 2;
  j["claim"] = {{"name", c.name},
                {"sentence", c.sentence},
                {"model", c.model},
                {"variant", c.variant},
                {"environment", in.settings.environment},
                {"property", c.property}};
  j["options"] = object(in.low.scope.options);
  j["scope"] = {{"sizes", sizes(in.low.scope.sizes)}, {"bounds", sizes(in.low.scope.bounds)}, {"time", "free"}};
  j["method"] = "inductive invariants";
  j["assumptions"] = assumptions(in);
  j["invariants"] = script.invariant_names;
  j["never"] = found.never;
  j["generator"] = "quiesce " QUIESCE_VERSION;
  j["sha256"] = {{"core", sha256_hex(core)},
                 {"invariants", sha256_hex(declared)},
                 {"model", sha256_hex(in.model->loaded.canonical)},
                 {"obligations", sha256_hex(out.obligations)},
                 {"property", sha256_hex(in.property->canonical())},
                 {"vocabulary", sha256_hex(inputs.vocabulary_text())}};
  nlohmann::json list = nlohmann::json::array();
  for (const symbolic::decided& d : found.obligations) {
    list.push_back({{"name", d.name}, {"expected", symbolic::name(d.expected)}, {"sha256", sha256_hex(d.text_hash_input)}});
    if (!d.uses.empty()) list.back()["uses"] = d.uses;
  }
  j["obligations"] = std::move(list);
  out.id = sha256_hex(j.dump());
  j["id"] = out.id;
  out.json = j.dump(1) + "\n";
  return out;
}

}  // namespace quiesce
