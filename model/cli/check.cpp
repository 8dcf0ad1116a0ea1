// SPDX-License-Identifier: MIT
// quiesce check: claims (all of them, by name, by file), or properties of a model.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "model/cli/auto_engine.hpp"
#include "model/cli/long_search.hpp"
#include "model/cli/verb.hpp"
#include "model/cli/words.hpp"
#include "model/report/report.hpp"
#include "model/report/trace_file.hpp"
#include "model/symbolic/engine.hpp"
#include "model/verdict/applicable.hpp"
#include "model/verdict/claim.hpp"
#include "model/verdict/default_scope.hpp"

namespace quiesce::cli {
namespace {

struct check_options {
  selection what;
  std::vector<std::string> targets, properties;
  std::string engine = "auto", reduce = "none", format = "text", memory, trace_out, compare;
  bool pick = false;  // auto was asked for by its name
  double timeout = 0;
  limits most;
  long_search extra;
  const CLI::App* given = nullptr;
};

// "512M", "2G", "100000"
std::uint64_t bytes_of(const std::string& text) {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 15 && text[digits] >= '0' && text[digits] <= '9')
    value = value * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  const std::string unit = text.substr(digits);
  const std::string units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : units.find(unit[0]) + 1;
  if (digits == 0 || unit.size() > 1 || (!unit.empty() && units.find(unit[0]) == std::string::npos))
    usage_error(fmt::format("--memory {}: expected a number with K, M, G or T behind it, or nothing", text));
  return value << (10 * power);
}

const report::writer& writer_named(const std::string& name) {
  for (const report::writer& w : report::writers())
    if (w.name == name) return w;
  usage_error(fmt::format("format '{}' is not available in this version", name), "there are text and json");
}

void check_usage(const check_options& o) {
  const auto& solvers = symbolic::engines();
  const bool known = o.engine == "auto" || o.engine == "explicit" ||
                     std::any_of(solvers.begin(), solvers.end(), [&](const auto& e) { return e.name == o.engine; });
  if (!known) usage_error(fmt::format("there is no engine '{}'", o.engine), "there are " + symbolic::engine_names());
  if (o.engine != "bounded" && o.engine != "induction")
    refuse_given(*o.given, {"--depth"}, "belongs to --engine bounded or induction");
  if (o.engine != "auto" && o.engine != "explicit")
    refuse_given(*o.given, {"--symmetry", "--reduce", "--store", "--native", "--threads", "--max-states", "--memory"},
                 "belongs to the explicit engine");
  if (o.most.store != state_store::full && o.most.threads > 1)
    usage_error("--threads: only with --store full more than one thread searches");
  if (o.most.store != state_store::bare) refuse_given(*o.given, {"--expect-states"}, "belongs to --store bare");
  writer_named(o.format);
}

// Where all questions are about runs without end.
void refuse_for_responses(const check_options& o) {
  refuse_given(*o.given, {"--threads", "--native"},
               "has no effect on a property with `leads to`: one thread searches, without compiled steps");
}

bool is_claim_file(const std::string& text) { return text.ends_with(".claim"); }

// The claims that the targets name; what is left are models.
struct targets {
  std::vector<const claim_entry*> claims;
  std::vector<std::string> models;
};

targets sort_targets(catalogue& inputs, const std::vector<std::string>& names) {
  targets out;
  for (const std::string& name : names) {
    if (is_claim_file(name)) {
      for (const claim_entry* c : inputs.claims(name)) out.claims.push_back(c);
      continue;
    }
    std::error_code ignored;
    if (!inputs.model_path(name).empty() || std::filesystem::exists(name, ignored)) {
      out.models.push_back(name);
      continue;
    }
    const claim_entry* claim = claim_named(inputs, name);
    if (!claim)
      throw diagnostic(fmt::format("no model and no claim is called '{}', and there is no such file", name),
                       "`quiesce list models` and `quiesce list claims` print their names");
    out.claims.push_back(claim);
  }
  return out;
}

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<const claim_entry*> selected(const std::vector<const claim_entry*>& claims, const check_options& o) {
  std::vector<const claim_entry*> out;
  for (const claim_entry* c : claims)
    if (listed(o.properties, c->claim.property) && listed(o.what.variants, c->claim.variant)) out.push_back(c);
  if (out.empty()) throw diagnostic("no claim is about this property and variant");
  return out;
}

// Of all that is shipped, those claims that these switches give no answer to are left out, and it is said.
std::vector<const claim_entry*> answerable(catalogue& inputs, std::vector<const claim_entry*> claims, const limits& most) {
  const char* why = unsound_for_responses(most);
  if (!why) return claims;
  const auto left =
      std::erase_if(claims, [&](const claim_entry* c) { return is_response(inputs.property(c->claim.property).property); });
  if (left) log(fmt::format("quiesce: {} claims about runs without end are left out: {}", left, why));
  return claims;
}

void refuse_claim_overrides(const check_options& o) {
  if (!o.what.options.empty() || !o.what.scopes.empty() || o.what.environment != "default")
    usage_error("--scope, --option and --environment belong to a MODEL; a claim has its own");
}

report::trace_file trace_file_of(const report::row& r, const check_options& o) {
  const question& q = r.check->asked();
  report::trace_file out;
  out.model = q.model->path;
  for (const std::string& target : o.targets)
    if (q.model->path.ends_with("/" + target + ".model")) out.model = target;  // by its name, valid elsewhere too
  out.settings = q.settings;
  out.property_files = o.what.property_files;
  out.properties = {r.result().property};
  out.run = *r.result().counterexample;
  const bool witness = r.result().kind == verdict_kind::holds;
  out.outcome = witness ? "reached" : r.result().kind == verdict_kind::deadlock ? "deadlock" : "violated";
  return out;
}

// The first run there is.
void write_trace(const report::results& all, const check_options& o) {
  if (o.trace_out.empty()) return;
  for (const report::row& r : all.rows) {
    if (!r.result().counterexample) continue;
    const report::trace_file file = trace_file_of(r, o);
    write_file(o.trace_out, o.trace_out.ends_with(".json") ? write_trace_json(file) : write_trace_text(file));
    return;
  }
  log("quiesce: there is no run to write to --trace-out");
}

std::string describe(const question& q) {
  std::string text = q.model->loaded.model.name;
  if (!q.settings.variant.empty()) text += " " + q.settings.variant;
  for (const auto& [name, value] : q.settings.options) text += fmt::format(" {}={}", name, value);
  return text;
}

progress progress_of(const question& q, std::size_t number, std::size_t count) {
  return
      [text = fmt::format("[{}/{}] {}", number, count, describe(q))](const search_progress& p) { show_progress(text, p); };
}

bool broken(const report::row& r) { return r.result().kind == verdict_kind::violated && r.result().counterexample; }

situation situation_of(const report::row& r) {
  const question& q = r.check->asked();
  return {q.model, q.settings, r.asked().name};
}

// Of searches beside the one that was asked for.
limits further(limits most) {
  most.checkpoint = {};
  most.examine = {};
  return most;
}

// For one question that nothing claims, other variants are checked; for many, what the claims say must do.
void look_for_fixes(catalogue& inputs, report::results& all, const check_options& o) {
  constexpr std::uint64_t most_states = 300000;  // of all variants together
  if (std::none_of(all.rows.begin(), all.rows.end(), broken)) return;
  const auto claims = inputs.all_claims();
  for (report::row& r : all.rows) {
    if (!broken(r)) continue;
    r.fix = report::remedy{nearest_claimed(inputs, situation_of(r), claims), {}};
    if (r.fix->kept_by || all.rows.size() > 1) continue;
    limits most = further(o.most);
    most.max_states = most.max_states ? std::min(most.max_states, most_states) : most_states;
    most.stop_early = true;
    r.fix->kept_by = nearest_checked(inputs, situation_of(r), most, r.fix->undecided);
  }
}

void compare(catalogue& inputs, report::results& all, const check_options& o) {
  if (o.compare.empty()) return;
  if (all.rows.size() != 1) usage_error("--compare needs one question: one claim, or a model with --variant and --property");
  report::row& r = all.rows[0];
  const question& q = r.check->asked();
  instance settings = q.settings;
  settings.variant = o.compare;
  prepared_check check(inputs, {q.model, settings, {q.properties[r.property]}});
  if (!broken(r)) return log("quiesce: there is no run to compare: the rule is not broken");
  limits most = further(o.most);
  most.stop_early = true;
  answer answered = check.run(most, {});
  followed_run run = follow_schedule(*r.result().counterexample, check.system());
  r.compared =
      std::make_shared<report::second_look>(report::second_look{std::move(check), std::move(answered), std::move(run)});
}

// Why there are no compiled steps, where they were asked for.
void print_native_notes(const report::results& all) {
  std::string before;
  for (const report::row& r : all.rows) {
    if (!r.answered->native_note.empty() && r.answered->native_note != before)
      log("quiesce: no compiled steps: " + r.answered->native_note);
    before = r.answered->native_note;
  }
}

void print_statistics(const report::results& all) {
  const answer* before = nullptr;
  for (const report::row& r : all.rows) {
    if (r.answered != before) log(statistics_text(*r.answered));
    before = r.answered;
  }
}

outcome report_on(catalogue& inputs, report::results& all, const check_options& o, bool verdicts_own) {
  look_for_fixes(inputs, all, o);
  compare(inputs, all, o);
  log_progress("");
  for (const report::row& r : all.rows)
    if (!r.answered->checkpoint_note.empty()) log("quiesce: " + r.answered->checkpoint_note);
  if (o.extra.statistics)
    print_statistics(all);
  else if (o.most.native == native_mode::wait)
    print_native_notes(all);
  write_trace(all, o);
  outcome out;
  out.output = writer_named(o.format).write(all) + *o.extra.explained;
  for (const report::row& r : all.rows) {
    const int own = status_of(r.result());
    out.status = combine(out.status, verdicts_own ? own : r.as_expected() ? exit_ok : exit_unexpected);
  }
  return out;
}

outcome check_claims(catalogue& inputs, const std::vector<const claim_entry*>& claims, const check_options& o) {
  const std::vector<claim_group> groups = group_claims(inputs, claims);
  refuse_many_searches(o.extra, groups.size());
  const auto leads_to = [](const claim_group& g) { return g.check.asked_response() != nullptr; };
  if (std::all_of(groups.begin(), groups.end(), leads_to)) refuse_for_responses(o);
  std::size_t number = 0;
  claim_report found = evaluate(groups, claims, o.most, [&](const claim_group& group, const search_progress& p) {
    number = static_cast<std::size_t>(&group - groups.data()) + 1;
    progress_of(group.check.asked(), number, groups.size())(p);
  });
  // Claims are about scopes that can be explored.
  if (o.pick)
    for (answer& a : found.answers) name_pick(a);
  report::results all{QUIESCE_VERSION, &inputs.sources(), {}, true};
  for (const claim_result& r : found.results)
    all.rows.push_back({&groups[r.group].check, &found.answers[r.group], r.property, r.claim});
  return report_on(inputs, all, o, !o.properties.empty());
}

std::vector<const property_entry*> properties_for(catalogue& inputs, const model_entry& model, const instance& settings,
                                                  const check_options& o) {
  std::vector<const property_entry*> out;
  for (const std::string& name : o.properties) {
    const property_entry* found = &inputs.property(name);
    if (std::find(out.begin(), out.end(), found) == out.end()) out.push_back(found);
  }
  if (!out.empty()) return out;
  for (const inapplicable& no : split_applicable(inputs, model, settings, out))
    log(fmt::format("quiesce: {} does not apply to {}: {}", no.property->property.name, model.loaded.model.name, no.reason));
  if (out.empty()) throw diagnostic(fmt::format("no property applies to model {}", model.loaded.model.name));
  return out;
}

std::vector<prepared_check> questions(catalogue& inputs, const std::vector<std::string>& models, const check_options& o) {
  std::vector<prepared_check> out;
  for (const std::string& name : models) {
    const model_entry& model = model_named(inputs, name);
    std::vector<std::string> variants = o.what.variants;
    if (variants.empty()) variants = variant_names(model);
    if (variants.empty()) variants.push_back("");
    for (const std::string& variant : variants) {
      instance settings = instance_of(o.what);
      settings.variant = variant;
      if (settings.scope.empty()) settings.scope = default_scope(inputs, model);
      auto properties = properties_for(inputs, model, settings, o);
      const auto alone = std::stable_partition(properties.begin(), properties.end(),
                                               [](const property_entry* p) { return !is_response(p->property); });
      const std::vector<const property_entry*> responses(alone, properties.end());
      properties.erase(alone, properties.end());
      for (std::size_t first = 0; first < properties.size(); first += 64) {
        const auto end = properties.begin() + static_cast<std::ptrdiff_t>(std::min(properties.size(), first + 64));
        out.emplace_back(inputs, question{&model, settings, {properties.begin() + static_cast<std::ptrdiff_t>(first), end}});
      }
      for (const property_entry* p : responses) {
        out.emplace_back(inputs, question{&model, settings, {p}});
        out.back().require_sound(o.most);
      }
    }
  }
  return out;
}

outcome check_models(catalogue& inputs, const std::vector<std::string>& models, const check_options& o) {
  const std::vector<prepared_check> checks = questions(inputs, models, o);
  refuse_many_searches(o.extra, checks.size());
  const auto leads_to = [](const prepared_check& c) { return c.asked_response() != nullptr; };
  if (std::all_of(checks.begin(), checks.end(), leads_to)) refuse_for_responses(o);
  limits most = o.most;
  most.stop_early = true;
  std::vector<answer> answers;
  for (const prepared_check& c : checks) {
    const progress shown = progress_of(c.asked(), answers.size() + 1, checks.size());
    answers.push_back(o.pick ? run_picked(c, most, shown) : c.run(most, shown));
  }
  report::results all{QUIESCE_VERSION, &inputs.sources(), {}, false};
  for (std::size_t i = 0; i < checks.size(); ++i)
    for (std::size_t p = 0; p < answers[i].verdicts.size(); ++p) all.rows.push_back({&checks[i], &answers[i], p, nullptr});
  return report_on(inputs, all, o, true);
}

outcome run_check(catalogue& inputs, check_options o) {
  o.most.reduce = reductions_named(o.reduce);
  check_usage(o);
  if (!o.memory.empty()) o.most.max_bytes = bytes_of(o.memory);
  o.most.seconds = o.timeout;
  add_property_files(inputs, o.what);
  instance_of(o.what);  // malformed text is refused before anything is read
  if (o.engine != "auto") o.most.engine = o.engine;
  apply(o.extra, o.format, inputs.sources(), o.most);
  catch_interrupt();
  const targets found = sort_targets(inputs, o.targets);
  if (!found.claims.empty() && !found.models.empty()) usage_error("give claims or models, not both");
  if (!found.models.empty()) return check_models(inputs, found.models, o);
  refuse_claim_overrides(o);
  if (found.claims.empty() && !o.targets.empty()) throw diagnostic(fmt::format("{}: no claims in it", o.targets[0]));
  const auto claims = o.targets.empty() ? answerable(inputs, inputs.all_claims(), o.most) : found.claims;
  if (claims.empty()) throw diagnostic(fmt::format("no claims in {}", inputs.root()));
  return check_claims(inputs, selected(claims, o), o);
}

}  // namespace

action add_check(CLI::App& app) {
  auto options = std::make_shared<check_options>();
  app.add_option("TARGET", options->targets, "claims (name or file) or models (name or file); none: every shipped claim");
  add_selection(app, options->what);
  app.add_option("--property", options->properties, "a property; repeatable; none: all that apply")->allow_extra_args(false);
  const CLI::Option* engine = app.add_option(
      "--engine", options->engine, "one of: " + symbolic::engine_names() + "; default: explicit; auto says what it picked");
  app.add_option("--depth", options->most.max_depth, "bounded, induction: no more than so many steps; 0: no limit")
      ->check(not_whole);
  app.add_option("--threads", options->most.threads, "threads; default: one for each core")->check(CLI::Range(1u, 1024u));
  app.add_option("--max-states", options->most.max_states, "end with `unknown` beyond so many states; 0: no limit")
      ->check(not_whole);
  app.add_option("--memory", options->memory,
                 "end with `unknown` beyond so much memory: 512M, 4G; default, and 0: three quarters of this machine's");
  app.add_option("--timeout", options->timeout, "end with `unknown` after so many seconds; 0: no limit")->check(not_seconds);
  app.add_flag("--symmetry,!--no-symmetry", options->most.symmetry,
               "count states up to exchange of interchangeable elements");
  app.add_option("--reduce", options->reduce, "leave out steps that need not be explored or kept; default: none")
      ->check(CLI::IsMember({"none", "merge", "partial-order", "all"}));
  add_word_option<state_store>(
      app, "--store", options->most.store,
      {{"full", state_store::full},
       {"bare", state_store::bare},
       {"compressed", state_store::compressed},
       {"hash-compact", state_store::hash_compact}},
      "how seen states are kept; without predecessors, by one thread: bare (fast), compressed (least "
      "memory), hash-compact (never HOLDS)");
  app.add_option("--expect-states", options->most.expected_states, "--store bare: make room for so many states at once")
      ->check(not_whole);
  add_word_option<native_mode>(app, "--native", options->most.native,
                               {{"auto", native_mode::automatic}, {"off", native_mode::off}, {"wait", native_mode::wait}},
                               "compiled steps; auto: for long searches; wait: before the search begins");
  add_long_search(app, options->extra);
  app.add_option("--format", options->format, "text or json");
  options->given = &app;
  app.add_option("--compare", options->compare,
                 "a variant that is shown the same schedule, side by side, where one rule is broken");
  app.add_option("--trace-out", options->trace_out, "write the first run to a file; .json: as JSON");
  return [options, engine](catalogue& inputs) {
    options->pick = engine->count() > 0 && options->engine == "auto";
    return run_check(inputs, *options);
  };
}

}  // namespace quiesce::cli
