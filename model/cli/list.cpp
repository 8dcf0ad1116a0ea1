// SPDX-License-Identifier: MIT
// quiesce list: what there is.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "model/cli/verb.hpp"
#include "model/language/parse.hpp"
#include "model/report/table.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

using table = std::vector<std::vector<std::string>>;

struct list_options {
  std::string kind;
  std::vector<std::string> names, property_files;
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
    case ast::property_status::required: return p.status_text.empty() ? "required" : "required since " + p.status_text;
    case ast::property_status::proposed: return p.status_text.empty() ? "proposed" : "proposed by " + p.status_text;
    case ast::property_status::unspecified: break;
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

std::string list_claims(catalogue& inputs, const list_options& o) {
  std::vector<const claim_entry*> claims;
  for (const std::string& path : o.names)
    for (const claim_entry* c : inputs.claims(path)) claims.push_back(c);
  if (o.names.empty()) claims = inputs.all_claims();
  table rows;
  for (const claim_entry* c : claims) {
    std::string variant = c->claim.variant, scope;
    for (const ast::option_setting& s : c->claim.with) variant += fmt::format(" {}={}", s.name, language::format_expression(s.value));
    for (const ast::named_integer& n : c->claim.scope) scope += fmt::format("{}{}={}", scope.empty() ? "" : ",", n.name, n.value);
    rows.push_back({c->claim.name, c->claim.model, variant, c->claim.property, scope, name(c->claim.expect)});
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
  for (const std::string& path : o.property_files) inputs.add_properties(path);
  for (const listing& l : listings)
    if (o.kind == l.name) return {exit_ok, l.list(inputs, o)};
  usage_error(fmt::format("there is no list of '{}'", o.kind), "there are models, variants, properties, claims and events");
}

}  // namespace

action add_list(CLI::App& app) {
  auto options = std::make_shared<list_options>();
  app.add_option("KIND", options->kind, "models, variants, properties, claims or events")->required();
  app.add_option("NAME", options->names, "models or variants of these models only; claims of these files only");
  app.add_option("--properties", options->property_files, "a further file of properties; repeatable")->allow_extra_args(false);
  return [options](catalogue& inputs) { return run_list(inputs, *options); };
}

}  // namespace quiesce::cli
