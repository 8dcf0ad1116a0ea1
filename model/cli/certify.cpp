// SPDX-License-Identifier: MIT
// quiesce certify: claims about finite scopes explored to the end, and their certificates.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "model/cli/certify_all.hpp"
#include "model/cli/verb.hpp"
#include "model/verdict/exhaustive.hpp"

namespace quiesce::cli {
namespace {

namespace fs = std::filesystem;

struct certify_options {
  std::vector<std::string> claims;
  std::string out;
  limits most;
  bool all = false;
  unsigned threads = 0;
  std::vector<std::string> models;
};

std::vector<const claim_entry*> claims_named(catalogue& inputs, const std::vector<std::string>& names) {
  std::vector<const claim_entry*> out;
  for (const std::string& name : names) {
    if (name.ends_with(".claim")) {
      for (const claim_entry* c : inputs.claims(name)) out.push_back(c);
      continue;
    }
    const claim_entry* claim = claim_named(inputs, name);
    if (!claim)
      throw diagnostic(fmt::format("no claim about a finite scope is called '{}'", name),
                       "`quiesce list claims` prints them");
    out.push_back(claim);
  }
  return out;
}

outcome run_certify(catalogue& inputs, const certify_options& o) {
  const std::string directory = o.out.empty() ? inputs.root() + "/proofs/finite" : o.out;
  if (o.all != o.claims.empty()) usage_error("certify takes claims or --all, not both");
  if (o.all) return certify_all(inputs, {directory, o.threads, o.most, o.models});
  outcome out;
  for (const claim_entry* claim : claims_named(inputs, o.claims)) {
    const ast::claim& c = claim->claim;
    const exhaustive_result r = certify_exhaustive(inputs, *claim, o.most, {});
    const verdict& v = r.found.verdicts[0];
    out.output += fmt::format("{} {}: {}: {} for {}", c.model, c.variant, c.name, name(v.kind), scope_text(r.found.scope));
    if (r.written.id.empty()) {
      out.output += fmt::format("{}: no certificate\n", v.reason.empty() ? "" : " (" + v.reason + ")");
      out.status = combine(out.status, v.kind == verdict_kind::holds ? exit_unknown : status_of(v));
      continue;
    }
    const fs::path folder = fs::path(directory) / c.name;
    write_exhaustive_certificate(folder.string(), r.written.core, r.written.json);
    out.output +=
        fmt::format("\n  {} states, certificate {} in {}\n", r.found.states, r.written.id.substr(0, 12), folder.string());
  }
  return out;
}

}  // namespace

action add_certify(CLI::App& app) {
  auto options = std::make_shared<certify_options>();
  app.add_option("CLAIM", options->claims, "name of a claim about a finite scope, or a file of claims");
  app.add_flag("--all", options->all, "all that hold: a table for each model, and why some have no certificate");
  app.add_option("--model", options->models, "with --all: only claims about this model; repeatable")
      ->allow_extra_args(false);
  app.add_option("--threads", options->threads, "with --all: claims at a time (default: one for each core)")
      ->check(not_whole);
  app.add_option("--out", options->out,
                 "directory that gets a folder for each claim that holds, or the tables (default: proofs/finite)");
  options->most.native = native_mode::off;
  app.add_option("--max-states", options->most.max_states, "write nothing beyond so many states; 0: no limit")
      ->check(not_whole);
  return [options](catalogue& inputs) { return run_certify(inputs, *options); };
}

}  // namespace quiesce::cli
