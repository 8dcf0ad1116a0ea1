// SPDX-License-Identifier: MIT
// quiesce prove: proofs for any number of elements, and their certificates.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "model/cli/prove_infer.hpp"
#include "model/cli/side_by_side.hpp"
#include "model/cli/verb.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/prove.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

namespace fs = std::filesystem;

struct prove_options {
  std::vector<std::string> claims;
  std::string out;
  unsigned timeout_ms = 20000;
  bool dry = false, core = false, obligations = false;
  unsigned threads = 0;  // 0: as many as there are processors
  std::string invariants;
  infer_options infer;
};

std::vector<const claim_entry*> claims_wanted(catalogue& inputs, const prove_options& o) {
  std::vector<const claim_entry*> shipped, wanted;
  for (const std::string& path : inputs.proof_claim_paths())
    for (const claim_entry* c : inputs.claims(path))
      if (std::any_of(c->claim.scope.begin(), c->claim.scope.end(), [](const auto& n) { return n.value == any_number; }))
        shipped.push_back(c);
  if (o.claims.empty()) return shipped;
  for (const std::string& text : o.claims) {
    if (text.ends_with(".claim")) {
      const auto finite = [](const ast::named_integer& n) { return n.value != any_number; };
      for (const claim_entry* c : inputs.claims(text))
        if (!std::all_of(c->claim.scope.begin(), c->claim.scope.end(), finite)) wanted.push_back(c);
      continue;
    }
    std::vector<std::string> names;
    const claim_entry* found = nullptr;
    for (const claim_entry* c : shipped) {
      names.push_back(c->claim.name);
      if (c->claim.name == text) found = c;
    }
    const std::string near = nearest(text, names);
    if (!found)
      throw diagnostic(fmt::format("no claim about any number of elements is called '{}'", text),
                       near.empty() ? "proofs/*.claim holds them" : fmt::format("did you mean '{}'?", near));
    wanted.push_back(found);
  }
  return wanted;
}

symbolic::script script_for(const claim_entry& claim, const symbolic::core& core) {
  try {
    return symbolic::derive(core);
  } catch (const symbolic::core_error& problem) {
    throw diagnostic(claim.claim.where, problem.what());
  }
}

// The whole of a certificate appears, or nothing does.
void write_certificate(const std::string& folder, const certificate& c) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw diagnostic(fmt::format("{}: cannot be created", folder), failed.message());
  write_file((fs::path(folder) / "core").string(), c.core);
  write_file((fs::path(folder) / "obligations.smt2").string(), c.obligations);
  write_file((fs::path(folder) / "certificate.json").string(), c.json);
}

std::string refuted(catalogue& inputs, const proof_input& in, const symbolic::outcome& found) {
  std::string out = fmt::format("{} {}: {}: NOT PROVED for {}\n", in.claim->claim.model, in.claim->claim.variant,
                                in.claim->claim.name, scope_of_proof(in.low.scope));
  if (in.claim->claim.expect == ast::expectation::holds)
    for (const symbolic::failure& f : found.failures) out += describe(inputs, in, f);
  else
    out += "  as expected: " +
           describe(inputs, in, found.failures[0]).substr(0, describe(inputs, in, found.failures[0]).find('\n')) + "\n";
  return out;
}

void log_unused(const claim_entry& claim, const proof_input& in, const std::vector<bool>& needed) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (!needed[i]) names.push_back(in.invariants[i]->property.name);
  if (!names.empty()) log(fmt::format("{}: not needed: {}", claim.claim.name, fmt::join(names, ", ")));
}

bool prove_one(catalogue& inputs, const prove_options& o, const claim_entry& claim, std::string& output) {
  if (!o.invariants.empty()) use_invariants(inputs, claim, o.invariants);
  if (o.infer.wanted && !infer_invariants(inputs, claim, o.infer, output)) return false;
  const proof_input in = prepare_proof(inputs, claim);
  symbolic::effort effort;
  effort.timeout_ms = o.timeout_ms;
  const bool expected = claim.claim.expect == ast::expectation::holds;
  if (!expected) effort = {std::min(o.timeout_ms, 1000u), 1, 0};  // of a mutant: that the proof fails, and soon
  std::string text = core_of(in);
  symbolic::core core = symbolic::read_core(text);
  symbolic::script script = script_for(claim, core);
  if (o.obligations) {
    output += symbolic::text_of(script);
    return true;
  }
  const std::vector<bool> candidates = candidates_of(in);
  symbolic::outcome found = symbolic::prove(core, script, candidates, effort);
  if (found.failures.empty()) {
    text = core_of(in, found.needed);
    core = symbolic::read_core(text);
    script = symbolic::narrowed(script, core, found.needed);
  }
  if (o.core) {
    output += text;
    return true;
  }
  if (found.failures.empty()) {
    log_unused(claim, in, found.needed);
    symbolic::look_for_states(core, script, effort, found);
  }
  if (!in.left_out.empty()) log(fmt::format("{}: say nothing here: {}", claim.claim.name, fmt::join(in.left_out, ", ")));
  for (const std::string& line : symbolic::cycles(core)) log(fmt::format("{}: {}", claim.claim.name, line));
  log(fmt::format("{}: {} questions, {:.2f} s in the solver", claim.claim.name, found.questions, found.seconds));
  if (!found.failures.empty()) {
    output += refuted(inputs, in, found);
    return !expected;
  }
  const certificate c = certify(inputs, in, text, script, found);
  output +=
      fmt::format("{} {}: {}: PROVED for {}\n  {} invariants, {} obligations", claim.claim.model, claim.claim.variant,
                  claim.claim.name, scope_of_proof(in.low.scope), script.invariant_names.size(), found.obligations.size());
  if (!o.dry && expected) {
    const std::string folder = (fs::path(o.out.empty() ? inputs.root() + "/proofs" : o.out) / claim.claim.name).string();
    write_certificate(folder, c);
    output += fmt::format(", certificate {} in {}", c.id.substr(0, 12), folder);
  }
  output += "\n";
  for (const std::string& name : found.untriggered)
    output += fmt::format("  the trigger of {} never happens: VACUOUS\n", name);
  if (!found.never.empty()) log(fmt::format("{}: {} steps are never taken", claim.claim.name, found.never.size()));
  return expected && found.untriggered.empty();
}

// Options without effect beside the others.
void check_usage(const CLI::App& given, const prove_options& o) {
  if (o.core && o.obligations) usage_error("--core and --obligations: one of them is printed");
  if (!o.infer.wanted)
    refuse_given(given, {"--keep-declared", "--write-invariants", "--infer-seconds"}, "belongs to --infer");
  if (o.infer.wanted && !o.infer.from_declared)
    refuse_given(given, {"--invariants"}, "has no effect with --infer, unless --keep-declared is given too");
  if (o.core || o.obligations)
    refuse_given(given, {"--out"}, "has no effect: with --core and --obligations nothing is written");
  if (o.dry) refuse_given(given, {"--out"}, "has no effect with --no-certificate");
}

outcome run_prove(catalogue& inputs, const prove_options& o) {
  outcome out;
  const std::vector<const claim_entry*> claims = claims_wanted(inputs, o);
  if (!o.infer.file.empty() && claims.size() > 1) usage_error("--write-invariants is for one claim");
  const auto note = [&](bool met) {
    if (!met) out.status = combine(out.status, exit_unexpected);
  };
  const auto prove_here = [&](std::size_t i) { note(prove_one(inputs, o, *claims[i], out.output)); };
  const std::size_t most = o.threads ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  if (claims.size() < 2 || most < 2) {
    for (std::size_t i = 0; i < claims.size(); ++i) prove_here(i);
    return out;
  }
  const auto work = [&](std::size_t i) {  // the answer, then what is printed
    std::string text;
    const bool met = prove_one(inputs, o, *claims[i], text);
    return (met ? "+" : "-") + text;
  };
  side_by_side(claims.size(), most, work, [&](std::size_t i, std::optional<std::string> result) {
    if (!result || result->empty()) return prove_here(i);
    note(result->front() == '+');
    out.output += result->substr(1);
  });
  return out;
}

}  // namespace

action add_prove(CLI::App& app) {
  auto options = std::make_shared<prove_options>();
  app.add_option("CLAIM", options->claims, "name of a claim in proofs/*.claim, or a file of claims; without: all of them");
  app.add_option("--out", options->out, "directory that gets a folder for each proved claim (default: proofs/)");
  app.add_option("--timeout-ms", options->timeout_ms, "for one question to the solver; default: 20000")
      ->check(CLI::Range(1u, 86400000u));
  app.add_option("--invariants", options->invariants, "a file of invariants, instead of MODEL.inv");
  app.add_flag("--infer", options->infer.wanted,
               "find the invariants from the property alone, print them as such a file, and prove with them");
  app.add_flag("--keep-declared", options->infer.from_declared, "with --infer: start from the declared ones as well");
  app.add_option("--write-invariants", options->infer.file, "with --infer: the file to write them to");
  app.add_option("--infer-seconds", options->infer.seconds, "with --infer: processor time to look for them")
      ->check(not_seconds)
      ->default_val(60);
  app.add_option("--threads", options->threads, "claims that are proved at the same time (default: one for each processor)")
      ->check(CLI::Range(1u, 256u));
  app.add_flag("--no-certificate", options->dry, "write nothing");
  app.add_flag("--core", options->core, "print the core, prove nothing");
  app.add_flag("--obligations", options->obligations, "print the obligations in SMT-LIB 2, prove nothing");
  return [options, &app](catalogue& inputs) {
    check_usage(app, *options);
    try {
      return run_prove(inputs, *options);
    } catch (const symbolic::core_error& problem) {
      throw diagnostic(problem.what());
    }
  };
}

}  // namespace quiesce::cli
