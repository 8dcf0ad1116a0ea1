// SPDX-License-Identifier: MIT
#include "model/verdict/exhaustive.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "model/explicit/explored.hpp"
#include "model/explicit/sha256.hpp"
#include "model/system/core.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce {

namespace {

void add(sha256_digest& sum, const sha256_digest& d) {
  unsigned carry = 0;
  for (std::size_t i = sum.size(); i-- > 0; carry >>= 8) {
    carry += sum[i] + d[i];
    sum[i] = static_cast<unsigned char>(carry & 255u);
  }
}

// The values of all functions of the core, in its order.
std::string text_of(const transition_system& t, const word* state) {
  std::string out;
  const ir::program& p = t.program();
  for (ir::variable_id v = 0; v < p.variables.size(); ++v) {
    std::vector<std::uint32_t> at(p.variables[v].index.size(), 0);
    for (std::uint64_t n = ir::element_count(p, p.variables[v]); n > 0; --n) {
      out += fmt::format("{}{}", out.empty() ? "" : " ", read_variable(t, state, v, at));
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < p.sorts[p.variables[v].index[k]].element.size()) break;
        at[k] = 0;
      }
    }
  }
  return out;
}

sha256_digest fingerprint(const explored& all) {
  sha256_digest sum{};
  for (const seen_set::range& r : all.all)
    for (seen_set::index i = r.first; i < r.first + r.count; ++i)
      add(sum, sha256_of(text_of(all.system, all.seen.state(i))));
  return sum;
}

template <class Pairs>
nlohmann::json object(const Pairs& pairs) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, value] : pairs) out[name] = value;
  return out;
}

certificate written(catalogue& inputs, const claim_entry& entry, const prepared_check& check, const answer& found,
                    const sha256_digest& sum) {
  certificate out;
  out.core = core_text(check.system().program());
  const ast::claim& c = entry.claim;
  const ir::checked_property& rule = check.system().program().properties[0];
  if (rule.invariant == ir::nothing && rule.errors.empty() && out.core.find("(violates ") == std::string::npos)
    throw diagnostic(c.where, "nothing in the core can break the property",
                     "the lowering shows it: there is nothing to explore");
  const question& q = check.asked();
  const scope_description& s = check.scope();
  nlohmann::json j;
  j["format"] = 2;
  j["method"] = "exhaustive search";
  j["verdict"] = "holds";
  j["claim"] = {{"name", c.name}, {"sentence", c.sentence}, {"model", c.model}, {"property", c.property}};
  j["settings"] = {{"variant", q.settings.variant},
                   {"environment", q.settings.environment},
                   {"option", object(q.settings.options)},
                   {"scope", object(q.settings.scope)}};
  j["scope"] = {{"sizes", object(s.sizes)}, {"bounds", object(s.bounds)}, {"time", s.urgent ? "urgent" : "free"}};
  j["assumptions"] = {"sequential consistency"};
  if (!c.because.empty()) j["assumptions"].push_back(c.because);
  j["states"] = found.states;
  j["transitions"] = found.transitions;
  j["fingerprint"] = hexadecimal(sum);
  j["generator"] = "quiesce " QUIESCE_VERSION;
  j["sha256"] = {{"core", hexadecimal(sha256_of(out.core))},
                 {"model", hexadecimal(sha256_of(q.model->loaded.canonical))},
                 {"property", hexadecimal(sha256_of(q.properties[0]->canonical()))},
                 {"vocabulary", hexadecimal(sha256_of(inputs.vocabulary_text()))}};
  out.id = hexadecimal(sha256_of(j.dump()));
  j["id"] = out.id;
  out.json = j.dump(1) + "\n";
  return out;
}

}  // namespace

exhaustive_result certify_exhaustive(catalogue& inputs, const claim_entry& entry, const limits& most,
                                     const progress& report) {
  const model_entry& model = model_of(inputs, entry);
  const instance settings = settings_of(entry.claim);
  for (const auto& [name, n] : settings.scope)
    if (n == any_number)
      throw diagnostic(entry.claim.where, "this claim is about any number of elements", "`quiesce prove` proves it");
  const prepared_check check(inputs, {&model, settings, {&property_of(inputs, model, entry)}});
  if (check.asked_response()) throw diagnostic(entry.claim.where, "there are no certificates about runs without end");
  if (check.system().program().properties[0].sometimes)
    throw diagnostic(entry.claim.where, "this claim asks for a run: the run itself is what can be checked again",
                     "`quiesce check --trace-out` writes it, `quiesce replay` executes it");
  sha256_digest sum{};
  limits whole = most;
  whole.symmetry = false;
  whole.reduce = {};
  whole.examine = [&](const explored& all) { sum = fingerprint(all); };
  exhaustive_result out{check.run(whole, report), {}};
  if (out.found.verdicts[0].kind == verdict_kind::holds && out.found.complete)
    out.written = written(inputs, entry, check, out.found, sum);
  return out;
}

}  // namespace quiesce
