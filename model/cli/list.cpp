// SPDX-License-Identifier: MIT
// quiesce list: what there is.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>

#include "model/cli/verb.hpp"
#include "model/language/parse.hpp"
#include "model/report/table.hpp"
#include "model/verdict/nearest.hpp"

namespace quiesce::cli {
namespace {

using table = std::vector<std::vector<std::string>>;

struct list_options {
  std::string kind;
  std::vector<std::string> names, bugs, property_files;
};

std::vector<std::string> chosen_models(catalogue& inputs, const list_options& o) {
  return o.names.empty() ? inputs.model_paths() : o.names;
}

std::string list_models(catalogue& inputs, const list_options& o) {
  table rows;
  for (const std::string& name : chosen_models(inputs, o)) {
    const ast::model& m = model_named(inputs, name).loaded.model;
    rows.push_back({m.name, m.sentence});
  }
  return report::align(rows);
}

std::string evidence_text(const ast::evidence& e) {
  return e.mark ? fmt::format("[{}]{}{}", e.mark, e.text.empty() ? "" : " ", e.text) : "";
}

std::string list_variants(catalogue& inputs, const list_options& o) {
  table rows;
  for (const std::string& name : chosen_models(inputs, o)) {
    const ast::model& m = model_named(inputs, name).loaded.model;
    for (const ast::item& item : m.items)
      if (const auto* v = std::get_if<ast::variant_decl>(&item)) {
        std::string about = v->sentence;
        if (!v->base.empty()) about += fmt::format("{}extends {}", about.empty() ? "" : "; ", v->base);
        rows.push_back({m.name, v->name, about, v->source, evidence_text(v->proof)});
      }
  }
  return report::align(rows);
}

std::string status_text(const ast::property& p) {
  switch (p.status) {
    case ast::property_status::required:
      return p.status_text.empty() ? "required" : "required since " + p.status_text;
    case ast::property_status::proposed:
      return p.status_text.empty() ? "proposed" : "proposed by " + p.status_text;
    case ast::property_status::unspecified:
      break;
  }
  return "";
}

std::string list_properties(catalogue& inputs, const list_options&) {
  table rows;
  for (const property_entry& entry : inputs.properties()) {
    std::string rules;
    for (const std::string& rule : entry.property.rules) rules += (rules.empty() ? "" : ", ") + rule;
    rows.push_back({entry.property.name, rules, status_text(entry.property), entry.property.sentence});
  }
  return report::align(rows);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

// Claims of the files and models that were named; of all if none was.
std::vector<const claim_entry*> chosen_claims(catalogue& inputs, const list_options& o) {
  std::vector<const claim_entry*> all = inputs.all_claims(), chosen;
  for (const std::string& name : o.names) {
    if (name.ends_with(".claim")) {
      for (const claim_entry* c : inputs.claims(name)) chosen.push_back(c);
      continue;
    }
    const std::string model = model_named(inputs, name).loaded.model.name;
    for (const claim_entry* c : all)
      if (c->claim.model == model) chosen.push_back(c);
  }
  return o.names.empty() ? all : chosen;
}

std::vector<const claim_entry*> claims_of_bugs(const std::vector<const claim_entry*>& claims,
                                               const std::vector<std::string>& bugs) {
  std::vector<const claim_entry*> chosen;
  std::set<std::string> known;
  for (const claim_entry* c : claims) {
    known.insert(c->claim.bugs.begin(), c->claim.bugs.end());
    const auto asked = [&](const std::string& bug) { return std::find(bugs.begin(), bugs.end(), bug) != bugs.end(); };
    if (std::any_of(c->claim.bugs.begin(), c->claim.bugs.end(), asked)) chosen.push_back(c);
  }
  for (const std::string& bug : bugs)
    if (!known.count(bug))
      throw diagnostic(fmt::format("no claim is about a bug '{}'", bug),
                       "there are " + joined({known.begin(), known.end()}));
  return chosen;
}

std::string variant_cell(const ast::claim& c) {
  std::string text = c.variant;
  for (const ast::option_setting& s : c.with) text += fmt::format(" {}={}", s.name, language::format_expression(s.value));
  return c.environment.empty() ? text : text + " " + c.environment;
}

std::string scope_cell(const ast::claim& c) {
  std::string text;
  for (const ast::named_integer& n : c.scope) text += fmt::format("{}{}={}", text.empty() ? "" : ",", n.name, n.value);
  return text;
}

std::string list_claims(catalogue& inputs, const list_options& o) {
  std::vector<const claim_entry*> claims = chosen_claims(inputs, o);
  if (!o.bugs.empty()) claims = claims_of_bugs(claims, o.bugs);
  table rows = {{"claim", "mechanism", "variant", "property", "status", "scope", "verdict", "bug", "kept by", "what it says",
                 "evidence"}};
  const auto all = inputs.all_claims();
  for (const claim_entry* entry : claims) {
    const ast::claim& c = entry->claim;
    std::string kept = "-";
    if (c.expect == ast::expectation::violated)
      if (const auto n = nearest_claimed(inputs, situation_of(inputs, *entry), all)) kept = name_of(*n);
    const std::string status = status_text(inputs.property(c.property, &c.where).property);
    rows.push_back({c.name, c.model, variant_cell(c), c.property, status.empty() ? "-" : status, scope_cell(c),
                    name(c.expect), c.bugs.empty() ? "-" : joined(c.bugs), kept, c.sentence, evidence_text(c.proof)});
  }
  return report::align(rows);
}

std::string list_events(catalogue& inputs, const list_options&) {
  table rows;
  const ast::vocabulary& v = inputs.vocabulary();
  const auto types = [](const std::vector<ast::type_expr>& params) {
    std::string text;
    for (const ast::type_expr& t : params) text += (text.empty() ? "" : ", ") + language::format_type(t);
    return text;
  };
  for (const ast::event_decl& e : v.events)
    rows.push_back({fmt::format("{}({})", e.name, types(e.params)), e.meaning, evidence_text(e.proof)});
  for (const ast::span_decl& s : v.spans) rows.push_back({fmt::format("span {}({})", s.name, types(s.params)), s.meaning});
  return report::align(rows);
}

struct listing {
  const char* name;
  std::string (*list)(catalogue&, const list_options&);
};
constexpr listing listings[] = {{"models", list_models},
                                {"variants", list_variants},
                                {"properties", list_properties},
                                {"claims", list_claims},
                                {"events", list_events}};

outcome run_list(catalogue& inputs, const list_options& o) {
  if (!o.bugs.empty() && o.kind != "claims") usage_error("--bug belongs to `quiesce list claims`");
  if (!o.names.empty() && (o.kind == "properties" || o.kind == "events"))
    usage_error(fmt::format("{} are not listed by NAME", o.kind), "models, variants and claims are");
  if (!o.property_files.empty() && o.kind != "claims" && o.kind != "properties")
    usage_error("--properties belongs to `quiesce list properties` and `quiesce list claims`");
  for (const std::string& path : o.property_files) inputs.add_properties(path);
  for (const listing& l : listings)
    if (o.kind == l.name) return {exit_ok, l.list(inputs, o)};
  usage_error(fmt::format("there is no list of '{}'", o.kind), "there are models, variants, properties, claims and events");
}

}  // namespace

action add_list(CLI::App& app) {
  auto options = std::make_shared<list_options>();
  app.add_option("KIND", options->kind, "models, variants, properties, claims or events")->required();
  app.add_option("NAME", options->names, "these models, their variants or claims only; claims of these files only");
  app.add_option("--bug", options->bugs, "claims about this known bug only; repeatable")->allow_extra_args(false);
  app.add_option("--properties", options->property_files, "a further file of properties; repeatable")
      ->allow_extra_args(false);
  return [options](catalogue& inputs) { return run_list(inputs, *options); };
}

}  // namespace quiesce::cli
