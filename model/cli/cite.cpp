// SPDX-License-Identifier: MIT
// quiesce cite: one result as text for a mail.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/cli/cite_proof.hpp"
#include "model/cli/verb.hpp"
#include "model/explicit/budget.hpp"
#include "model/report/cite.hpp"
#include "model/verdict/claim.hpp"

namespace quiesce::cli {
namespace {

struct cite_options {
  std::string target;
  selection what;
  bool reproducer = false;
};

// MODEL/PROPERTY: of the claims about both, one that is violated rather than one that holds, then the first. Null: none.
const claim_entry* claim_about(const std::vector<const claim_entry*>& all, const std::string& model,
                               const std::string& property, const std::string& variant) {
  const claim_entry* best = nullptr;
  for (const claim_entry* c : all) {
    const ast::claim& claim = c->claim;
    if (claim.model != model || claim.property != property || (!variant.empty() && claim.variant != variant)) continue;
    const auto better = [&] {
      const auto key = [&](const claim_entry* e) {
        return std::pair(!e->claim.with.empty(), e->claim.expect != ast::expectation::violated);
      };
      return key(c) < key(best);
    };
    if (!best || better()) best = c;
  }
  return best;
}

const claim_entry& claim_meant(catalogue& inputs, const cite_options& o) {
  const auto all = inputs.all_claims();
  if (const claim_entry* c = claim_named(inputs, o.target)) return *c;
  const std::size_t slash = o.target.find('/');
  if (slash == std::string::npos)
    throw diagnostic(fmt::format("no claim is called '{}'", o.target),
                     "`quiesce list claims` prints their names; MODEL/PROPERTY works too");
  const std::string variant = o.what.variants.empty() ? "" : o.what.variants[0];
  const std::string model = o.target.substr(0, slash), property = o.target.substr(slash + 1);
  if (const claim_entry* c = claim_about(all, model, property, variant)) return *c;
  throw diagnostic(fmt::format("no claim is about {} of {}{}", property, model, variant.empty() ? "" : " " + variant));
}

std::string first_variant(const model_entry& m) {
  for (const ast::item& item : m.loaded.model.items)
    if (const auto* v = std::get_if<ast::variant_decl>(&item)) return v->name;
  return "";
}

outcome run_cite(catalogue& inputs, const cite_options& o) {
  catch_interrupt();
  if (o.what.variants.size() > 1) usage_error("cite is about one variant");
  const bool by_name = o.target.find('/') == std::string::npos;
  if (by_name && !o.what.variants.empty()) usage_error("--variant belongs to MODEL/PROPERTY; a claim has its own");
  if (!claim_named(inputs, o.target))
    if (const auto text = cite_proof(inputs, o.target)) {
      if (o.reproducer) throw diagnostic("no script: what is proved has no counterexample");
      return {exit_ok, *text};
    }
  const claim_entry& claim = claim_meant(inputs, o);
  const model_entry& model = model_of(inputs, claim);
  instance settings = settings_of(claim.claim);
  settings.variant = claim.claim.variant;
  const property_entry& property = property_of(inputs, model, claim);
  const prepared_check check(inputs, {&model, settings, {&property}});
  limits most;
  most.stop_early = true;
  const answer answered = check.run(most, {});
  report::citation c{&check, &answered, "", {}, {}, &claim};
  if (answered.verdicts[0].kind == verdict_kind::violated) {
    c.kept_by = nearest_claimed(inputs, situation_of(inputs, claim), inputs.all_claims());
    // The version before the patch is compared only where the rule is about something that it does.
    const std::string base = first_variant(model);
    const claim_entry* about_base = claim_about(inputs.all_claims(), claim.claim.model, claim.claim.property, base);
    if (base != settings.variant && about_base && about_base->claim.with.empty()) {
      c.base = base;
      instance before = settings;
      before.variant = base;
      c.base_kind = prepared_check(inputs, {&model, before, {&property}}).run(most, {}).verdicts[0].kind;
    }
  }
  if (!o.reproducer) return {exit_ok, report::cite(c)};
  const report::reproducer r = report::reproduce(c);
  if (r.script.empty()) throw diagnostic("no script: " + r.reason);
  return {exit_ok, r.script};
}

}  // namespace

action add_cite(CLI::App& app) {
  auto options = std::make_shared<cite_options>();
  app.add_option("CLAIM", options->target, "a claim, or MODEL/PROPERTY")->required();
  app.add_option("--variant", options->what.variants, "of MODEL/PROPERTY: this variant")->allow_extra_args(false);
  app.add_flag("--reproducer", options->reproducer, "print an iproute2 script that does what the counterexample does");
  return [options](catalogue& inputs) { return run_cite(inputs, *options); };
}

}  // namespace quiesce::cli
