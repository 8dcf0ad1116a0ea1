// SPDX-License-Identifier: MIT
#include "model/verdict/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "model/language/parse.hpp"
#include "model/system/scope_problem.hpp"

namespace quiesce {
namespace {

constexpr std::size_t most_properties = 64;  // of one exploration: one bit each in a step

struct draft {
  question ask;
  const claim_entry* first = nullptr;
  std::vector<const claim_entry*> claims;
  std::vector<std::size_t> property_of;
};

void check_method(const ast::claim& claim) {
  for (const ast::named_integer& n : claim.scope)
    if (n.value == any_number)
      throw diagnostic(n.where, "any number of elements is not explored", "`quiesce prove` proves such a claim");
  if (claim.method.empty() || claim.method == "explicit" || claim.method == "auto") return;
  throw diagnostic(claim.where, fmt::format("method '{}' is not available in this version", claim.method),
                   "leave `method` out, or say `method explicit`");
}

std::vector<draft> draft_groups(catalogue& inputs, const std::vector<const claim_entry*>& claims) {
  using key = std::tuple<const model_entry*, std::string, std::map<std::string, std::string>,
                         std::map<std::string, std::int64_t>, std::string, const property_entry*>;
  std::map<key, std::size_t> known;
  std::vector<draft> drafts;
  for (const claim_entry* entry : claims) {
    check_method(entry->claim);
    const model_entry& model = model_of(inputs, *entry);
    const property_entry& property = property_of(inputs, model, *entry);
    const instance s = settings_of(entry->claim);
    const key k{&model, s.variant, s.options, s.scope, s.environment, is_response(property.property) ? &property : nullptr};
    auto at = known.find(k);
    if (at == known.end() || drafts[at->second].ask.properties.size() >= most_properties) {
      known[k] = drafts.size();
      drafts.push_back({{&model, s, {}}, entry, {}, {}});
      at = known.find(k);
    }
    draft& group = drafts[at->second];
    auto& properties = group.ask.properties;
    const auto same = std::find(properties.begin(), properties.end(), &property);
    group.property_of.push_back(static_cast<std::size_t>(same - properties.begin()));
    if (same == properties.end()) properties.push_back(&property);
    group.claims.push_back(entry);
  }
  return drafts;
}

// Where the claim says it, or should.
source_range place_of_size(const ast::claim& c, const std::string& name) {
  const auto at = std::find_if(c.scope.begin(), c.scope.end(), [&](const auto& n) { return n.name == name; });
  return at == c.scope.end() ? c.where : at->where;
}

}  // namespace

instance settings_of(const ast::claim& claim) {
  instance settings;
  settings.variant = claim.variant;
  if (!claim.environment.empty()) settings.environment = claim.environment;
  for (const ast::option_setting& o : claim.with) settings.options[o.name] = language::format_expression(o.value);
  for (const ast::named_integer& n : claim.scope)
    if (!settings.scope.emplace(n.name, n.value).second)
      throw diagnostic(n.where, fmt::format("the scope gives '{}' twice", n.name));
  return settings;
}

const property_entry& property_of(catalogue& inputs, const model_entry& model, const claim_entry& entry) {
  for (const property_entry& e : inputs.invariants(model))
    if (e.property.name == entry.claim.property) return e;
  return inputs.property(entry.claim.property, &entry.claim.where);
}

const model_entry& model_of(catalogue& inputs, const claim_entry& entry) {
  const std::string beside = std::filesystem::path(inputs.sources().path(entry.file)).parent_path().string();
  const std::string path = inputs.model_path(entry.claim.model, beside.empty() ? "." : beside);
  if (path.empty()) throw diagnostic(entry.claim.where, fmt::format("no model is called '{}'", entry.claim.model));
  return inputs.model(path);
}

std::vector<claim_group> group_claims(catalogue& inputs, const std::vector<const claim_entry*>& claims) {
  std::vector<claim_group> groups;
  for (draft& d : draft_groups(inputs, claims)) {
    try {
      groups.push_back({prepared_check(inputs, std::move(d.ask)), std::move(d.claims), std::move(d.property_of)});
    } catch (const scope_problem& problem) {
      throw diagnostic(place_of_size(d.first->claim, problem.name), problem.sentence, problem.hint);
    } catch (const diagnostic& problem) {
      if (problem.has_place) throw;
      throw diagnostic(d.first->claim.where, problem.sentence, problem.hint);
    }
  }
  return groups;
}

claim_report evaluate(const std::vector<claim_group>& groups, const std::vector<const claim_entry*>& claims,
                      const limits& most, const group_progress& report_progress) {
  claim_report report;
  std::map<const claim_entry*, claim_result> found;
  for (const claim_group& group : groups) group.check.require_sound(most);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const claim_group& group = groups[g];
    report.answers.push_back(group.check.run(most, [&](const search_progress& p) {
      if (report_progress) report_progress(group, p);
    }));
    for (std::size_t i = 0; i < group.claims.size(); ++i) {
      const verdict& v = report.answers.back().verdicts[group.property_of[i]];
      const bool met = meets(group.claims[i]->claim.expect, v.kind);
      found[group.claims[i]] = {group.claims[i], g, group.property_of[i], met};
    }
  }
  for (const claim_entry* claim : claims) report.results.push_back(found.at(claim));
  report.unexpected = static_cast<std::size_t>(
      std::count_if(report.results.begin(), report.results.end(), [](const claim_result& r) { return !r.as_expected; }));
  return report;
}

}  // namespace quiesce
