// SPDX-License-Identifier: MIT
#include "model/cli/conform_schedule.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "conformance/inclusion_campaign.hpp"
#include "conformance/judge.hpp"
#include "conformance/promise.hpp"
#include "conformance/schedule_compare.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {

using namespace conformance;

namespace {

scenario scenario_of(catalogue& inputs, const schedule_run& r) {
  if (r.scenario_file.empty()) return exhausted_scenario();
  const std::uint32_t file = inputs.sources().read(r.scenario_file);
  return parse_scenario(inputs.sources().text(file), file);
}

const driven_model& model_for(const std::string& name, std::string_view variant) {
  const driven_model* found = find_driven_model(name);
  std::string names;
  for (const driven_model& m : driven_models()) names += (names.empty() ? "" : ", ") + std::string(m.name);
  if (found == nullptr) usage_error(fmt::format("scenarios do not drive a model '{}'", name), "they drive " + names);
  if (found->variant(variant).empty()) usage_error(fmt::format("the model {} has no variant for '{}'", name, variant));
  return *found;
}

void require_supported(const driven_model& m, const scenario& s) {
  if (const std::string why = m.unsupported(s); !why.empty())
    throw diagnostic(fmt::format("the scenario is beyond the model {}: {}", m.name, why));
}

std::string head(const schedule_run& r) { return fmt::format("quiesce {}\nreference stack {}", QUIESCE_VERSION, r.variant); }

void keep(const schedule_request& q, const schedule_file& f) {
  if (!q.schedule_out.empty()) write_file(q.schedule_out, format(f));
}

control_bounds bounds_of(const schedule_request& q) { return {.polls = q.polls, .firings = q.firings}; }

outcome all_interleavings(catalogue& inputs, const schedule_request& q, const schedule_run& r) {
  const driven_model& model = model_for(q.driven(), r.variant);
  const scenario s = scenario_of(inputs, r);
  require_supported(model, s);
  script_cache cache(inputs);
  const scripted_model m(cache, model, s, r.variant);
  comparison_options o;
  o.bounds = bounds_of(q);
  o.limits.seconds = r.seconds;
  const comparison c = compare_all(m, s, r.variant, o);
  outcome out;
  out.output = fmt::format("{}, model {} {}\n\n{}", head(r), model.name, model.variant(r.variant), report(c, o));
  if (!c.only_code.empty()) keep(q, {r.variant, o.bounds, s, c.only_code[0].actors});
  const bool wrong = !c.only_code.empty() || !c.schedules.nondeterminism.empty();
  out.status = wrong ? exit_violated : !c.exhausted() ? exit_unknown : c.only_model.empty() ? exit_ok : exit_unexpected;
  return out;
}

outcome random_inclusion(catalogue& inputs, const schedule_request& q, const schedule_run& r) {
  const driven_model& model = model_for(q.driven(), r.variant);
  script_cache cache(inputs);
  inclusion_campaign_settings o;
  o.seed = r.seed;
  o.count = r.count;
  o.seconds = r.seconds;
  o.bounds = bounds_of(q);
  const inclusion_campaign c = run_inclusion(cache, model, r.variant, o);
  log(fmt::format("{:.1f} s, {:.0f} scenarios a second", c.elapsed_s, static_cast<double>(c.runs) / c.elapsed_s));
  outcome out;
  out.output =
      fmt::format("{}, model {} {}, seed {}\n{} scenarios, {} events compared, {} scripts lowered, {} runs stopped{}\n",
                  head(r), model.name, model.variant(r.variant), r.seed, c.runs, c.events, c.lowered, c.stopped,
                  c.stopped_both > 0 ? fmt::format(", {} by an error in which the model ends too", c.stopped_both) : "");
  out.output += fmt::format("left out: {}\n", model.abstracts);
  if (c.unknown > 0) out.output += fmt::format("unknown: {}; the first: {}\n", c.unknown, c.first_unknown);
  for (const inclusion_mismatch& m : c.mismatches) {
    out.output += fmt::format("\nseed {}\n{}\n{}", m.seed, m.text, format(m.schedule));
    out.output += fmt::format("again: quiesce conform --inclusion --variant {} --seed {} --count 1\n", r.variant, m.seed);
  }
  if (!c.mismatches.empty()) keep(q, c.mismatches[0].schedule);
  out.output += c.mismatches.empty() && c.unknown == 0 ? "every trace is one of the model's\n" : "";
  out.status = !c.mismatches.empty() ? exit_violated : c.unknown > 0 ? exit_unknown : exit_ok;
  return out;
}

// What the properties that the variant promises say of one execution.
std::vector<breach> breaches_of(const rule_book& rules, const scenario& s, const std::string& variant, chooser& drive,
                                actor_names& names, const control_bounds& bounds, controlled_result& result) {
  judge j(rules);
  run_settings settings;
  settings.policy = refimpl::variant(variant);
  settings.end_all = false;
  settings.sink = [&](const refimpl::event& e, refimpl::stack& on) { j.push(e, &on); };
  settings.at_rest = [&](refimpl::stack& on) { j.at_rest(on); };
  result = run_controlled(s, settings, drive, names, bounds);
  if (result.run.stopped) j.stopped(*result.run.stopped);
  std::vector<breach> out;
  for (const breach& b : j.breaches()) {
    const ast::property& p = *rules.entries()[rules.number(b.property)].property;
    if (not_promised(settings.policy, p).empty() && beyond_rule(settings.policy, p.name, s).empty()) out.push_back(b);
  }
  return out;
}

std::string ending(const controlled_result& r) {
  if (r.control.hung) return "hangs: " + r.control.hang;
  if (r.control.too_long) return "is longer than the bound on moves";
  return r.run.stopped ? "stops: " + r.run.stopped->what : "";
}

outcome samples(catalogue& inputs, const schedule_request& q, const schedule_run& r) {
  const scenario s = scenario_of(inputs, r);
  const rule_book rules(inputs);
  actor_names names;
  const control_bounds bounds = bounds_of(q);
  std::size_t length = 100;
  std::map<std::string, std::pair<std::uint64_t, std::vector<std::string>>> first;  // what -> seed, schedule
  std::set<std::vector<std::string>> different;
  for (std::uint64_t i = 0; i < r.count; ++i) {
    const auto inner = q.sample == "pct" ? pct_chooser(r.seed + i, 3, length) : random_chooser(r.seed + i);
    recording_chooser drive(*inner, names);
    controlled_result result;
    const std::vector<breach> broken = breaches_of(rules, s, r.variant, drive, names, bounds, result);
    length = std::max(length, drive.actors.size());
    different.insert(drive.actors);
    for (const breach& b : broken) first.try_emplace("breaks " + b.property, r.seed + i, drive.actors);
    if (const std::string end = ending(result); !end.empty()) first.try_emplace(end, r.seed + i, drive.actors);
  }
  outcome out;
  out.output = fmt::format("{}, {} schedules of one scenario ({}), {} different, seed {}\nbounds: polls={} firings={}\n",
                           head(r), r.count, q.sample, different.size(), r.seed, bounds.polls, bounds.firings);
  for (const auto& [what, at] : first) out.output += fmt::format("seed {} {}\n", at.first, what);
  if (first.empty()) out.output += "no property is broken, no execution hangs or stops\n";
  if (!first.empty()) keep(q, {r.variant, bounds, s, first.begin()->second.second});
  out.status = first.empty() ? exit_ok : exit_violated;
  return out;
}

outcome again(catalogue& inputs, const schedule_request& q) {
  const std::uint32_t number = inputs.sources().read(q.schedule_file);
  const schedule_file f = parse_schedule(inputs.sources().text(number), number);
  const replayed r = replay(f);
  outcome out;
  out.output = fmt::format("quiesce {}\nreference stack {}, {} moves\n\n", QUIESCE_VERSION, f.variant, f.actors.size());
  for (const refimpl::event& e : r.result.run.events) out.output += refimpl::format(e) + "\n";
  if (!r.differs.empty()) {
    out.output += "\nnot replayed: " + r.differs + "\n";
    out.status = exit_unexpected;
    return out;
  }
  const rule_book rules(inputs);
  actor_names names;
  replay_chooser drive(f.actors, names);
  controlled_result result;
  const std::vector<breach> broken = breaches_of(rules, f.what, f.variant, drive, names, f.bounds, result);
  out.output += "\nreplayed twice, the same\n";
  for (const breach& b : broken) out.output += fmt::format("breaks {}: {}\n", b.property, b.text);
  const std::string end = ending(result);
  if (!end.empty()) out.output += "the execution " + end + "\n";
  bool included = true;
  const driven_model* model = find_driven_model(q.driven());
  if (model != nullptr && model->unsupported(f.what).empty() && !model->variant(f.variant).empty()) {
    script_cache cache(inputs);
    const scripted_model m(cache, *model, f.what, f.variant);
    const inclusion_outcome i = check_trace(m, r.result.run.events, end.empty());
    included = i.result.verdict != inclusion_verdict::not_included;
    out.output += fmt::format("the trace is {} in the model {}\n{}", name(i.result.verdict), model->name, i.text);
  }
  out.status = broken.empty() && end.empty() && included ? exit_ok : exit_violated;
  return out;
}

}  // namespace

void add_schedule_options(CLI::App& app, schedule_request& q) {
  app.add_flag("--inclusion", q.inclusion, "random scenarios and schedules: is each trace one of the model's?");
  app.add_flag(
      "--exhaustive", q.exhaustive,
      "all interleavings of the scenario (default: one of two tasks and four devices), and the model's traces of it");
  app.add_flag("--counterexamples", q.counterexamples,
               "drive the stack by the counterexample of each claim that says violated; with --variant, --model: of these");
  app.add_option("--sample", q.sample, "random or pct: so many schedules of the scenario, judged by the properties")
      ->check(CLI::IsMember({"random", "pct"}));
  app.add_option("--schedule", q.schedule_file, "run the schedule of this file again, twice");
  app.add_option("--schedule-out", q.schedule_out, "write the first failing schedule to a file");
  app.add_option(
      "--model", q.model,
      "the model that traces are compared with, default teardown; whose counterexamples are replayed, default all");
  app.add_option("--polls", q.polls, "sleeps of a task that end by themselves; default 3")->check(not_whole);
  app.add_option("--firings", q.firings, "firings of each timer; default 2")->check(not_whole);
}

outcome run_schedules(catalogue& inputs, const schedule_request& q, const schedule_run& r) {
  if (!q.schedule_file.empty()) return again(inputs, q);
  if (q.counterexamples) return replay_counterexamples(inputs, q, r);
  if (q.exhaustive) return all_interleavings(inputs, q, r);
  return q.inclusion ? random_inclusion(inputs, q, r) : samples(inputs, q, r);
}

}  // namespace quiesce::cli
