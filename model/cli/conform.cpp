// SPDX-License-Identifier: MIT
// quiesce conform: the reference stack against the properties, on random scenarios or one from a file.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/generate.hpp"
#include "conformance/live_campaign.hpp"
#include "conformance/mutants.hpp"
#include "conformance/report.hpp"
#include "model/cli/conform_schedule.hpp"
#include "model/cli/verb.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {
namespace {

using namespace conformance;

struct conform_options {
  std::string variant = "reference", driver = "simulated", scenario_file, scenario_out, format = "text";
  std::uint64_t seed = 1, count = 1000;
  double time = 0;  // seconds; 0: no limit
  bool coverage = false, mutants = false;
};

std::string variant_names() {
  std::string names;
  for (const refimpl::variant_policy& v : refimpl::variants()) names += (names.empty() ? "" : ", ") + std::string(v.name);
  return names;
}

refimpl::variant_policy variant_named(const std::string& name) {
  if (const auto found = refimpl::find_variant(name)) return *found;
  usage_error(fmt::format("there is no variant '{}' of the reference stack", name), "known are " + variant_names());
}

const driver_entry& driver_named(const std::string& name) {
  if (const driver_entry* found = find_driver(name)) return *found;
  std::string names;
  for (const driver_entry& d : driver_table()) names += (names.empty() ? "" : ", ") + std::string(d.name);
  usage_error(fmt::format("there is no driver '{}'", name), "known are " + names);
}

// One scenario from a file, as a campaign of one.
campaign_result run_file(trial& on, const scenario& s) {
  campaign_result result;
  for (const finding& f : on.run(s))
    (f.not_promised.empty() ? result.failures : result.not_promised).try_emplace(f.what, failing{0, s, f});
  result.runs = 1;
  result.covered.add(s, on.counts());
  result.matched = on.matched();
  return result;
}

campaign_result run_random(trial& on, const driver_entry& driver, const conform_options& o) {
  campaign_settings settings;
  settings.kind.live = driver.live;
  left_out missing;
  if (driver.fitted != nullptr) settings.fit = [&](const scenario& s) { return driver.fitted(s, missing); };
  settings.seed = o.seed;
  settings.count = o.count;
  settings.stop_at_first = o.format == "text";
  if (o.time > 0) settings.time = std::chrono::duration<double>(o.time);
  settings.progress = [&](std::uint64_t done) { log_progress(fmt::format("{} scenarios", done)); };
  campaign_result result = run_campaign(on, settings);
  log_progress("");
  for (const auto& [what, times] : missing) log(fmt::format("the driver left out {} times: {}", times, what));
  const double rate = result.seconds > 0 ? static_cast<double>(result.runs) / result.seconds : 0;
  log(fmt::format("{} scenarios, {} events in {:.1f} s ({:.0f} scenarios a second)", result.runs, result.events,
                  result.seconds, rate));
  return result;
}

// Shrinking runs many scenarios: on simulated devices only. What they do not show stays as it was found. Of a run on real
// devices one is kept, so that what is printed is about it and not about a loopback device alone.
std::map<std::string, scenario> shrink_failures(const rule_book& rules, const trial& on, const campaign_result& result,
                                                bool live) {
  std::map<std::string, scenario> small;
  trial simulated(rules, on.policy());
  for (const auto& [what, f] : result.failures) {
    const std::string& wanted = what;
    const auto fails = [&](const scenario& s) { return !(live && s.devices.empty()) && simulated.shows(s, wanted); };
    if (fails(f.found)) small.emplace(what, shrink(f.found, fails));
  }
  return small;
}

// The running kernel beside the stack in the kernel's own variant, whichever variant was asked for. Nothing to say about
// drivers without one, or once the stack has failed.
std::optional<live_report> compare_with_kernel(const driver_entry& driver, const campaign_result& result,
                                               const conform_options& o) {
  if (!driver.live || !o.scenario_file.empty() || !result.failures.empty()) return std::nullopt;
  live_settings settings;
  settings.seed = o.seed;
  settings.count = o.count;
  if (o.time > 0) settings.time = std::chrono::duration<double>(o.time);
  settings.progress = [&](std::uint64_t done) { log_progress(fmt::format("{} scenarios beside the kernel", done)); };
  live_report done = run_live_campaign(settings);
  log_progress("");
  return done;
}

int status_of(const campaign_result& result, const std::optional<live_report>& kernel) {
  if (!result.failures.empty()) return exit_violated;
  if (!kernel || kernel->agrees()) return exit_ok;
  return kernel->kernel.listed ? exit_violated : exit_unknown;
}

outcome run_conform(catalogue& inputs, const conform_options& o) {
  const driver_entry& driver = driver_named(o.driver);
  const refimpl::variant_policy policy = variant_named(o.variant);
  std::optional<scenario> given;
  if (!o.scenario_file.empty()) {
    const std::uint32_t file = inputs.sources().read(o.scenario_file);
    given = parse_scenario(inputs.sources().text(file), file);
  }
  if (const std::string why = driver.unsupported(given ? *given : scenario{}); !why.empty())
    throw diagnostic(fmt::format("the driver {} cannot run {}: {}", o.driver, given ? o.scenario_file : "here", why));
  const rule_book rules(inputs);
  trial on(rules, policy, &driver);
  const campaign_result result = given ? run_file(on, *given) : run_random(on, driver, o);
  report_input in{rules, on, result, o.variant, o.driver, o.seed, o.scenario_file, {}, o.coverage};
  in.shrunk = shrink_failures(rules, on, result, driver.live);
  if (!o.scenario_out.empty() && !result.failures.empty()) {
    const std::string what = headline(in);
    const auto small = in.shrunk.find(what);
    write_file(o.scenario_out, fmt::format("# {} breaks {}\n", o.variant, what) +
                                   format(small != in.shrunk.end() ? small->second : result.failures.at(what).found));
  }
  const std::optional<live_report> kernel = compare_with_kernel(driver, result, o);
  const int status = status_of(result, kernel);
  if (kernel) in.kernel = report_input::kernel_part{kernel->agrees(), to_text(*kernel)};
  if (o.format != "text")
    return {status, o.format == "ktap" ? to_ktap(in) : o.format == "json" ? to_json(in) : to_junit(in)};
  return {status, to_text(in) + (kernel ? "\n" + to_text(*kernel) : "")};
}

// Each mutant of the reference, and what tells it.
outcome run_mutants(catalogue& inputs) {
  const rule_book rules(inputs);
  outcome out;
  std::size_t caught = 0, by_property = 0;
  for (const refimpl::mutation_entry& m : refimpl::mutation_table()) {
    log_progress(std::string(m.name));
    const caught_mutant c = catch_mutant(rules, m);
    caught += c.caught ? 1 : 0;
    by_property += c.caught && c.by.find(' ') == std::string::npos && c.by != "leak" ? 1 : 0;
    out.output += format(c) + "\n";
  }
  log_progress("");
  const std::size_t all = refimpl::mutation_table().size();
  out.output += fmt::format("quiesce: conform --mutants {}: {} of {} are caught, {} by a property\n",
                            caught == all ? "PASSED" : "VIOLATED", caught, all, by_property);
  out.status = caught == all ? exit_ok : exit_violated;
  return out;
}

// The things that the verb can do, and the options that each reads. Random scenarios are what is left.
struct activity {
  std::string option, reads;
};
const std::vector<activity> activities = {
    {"--mutants", "--format"},
    {"--schedule", "--format --model"},
    {"--counterexamples", "--format --variant --model --time --schedule-out"},
    {"--exhaustive", "--format --variant --model --scenario --time --polls --firings --schedule-out"},
    {"--inclusion", "--format --variant --model --seed --count --time --polls --firings --schedule-out"},
    {"--sample", "--format --variant --scenario --seed --count --polls --firings --schedule-out"},
    {"--scenario", "--format --variant --driver --scenario-out --coverage"},
    {"", "--format --variant --driver --seed --count --time --scenario-out --coverage"},
};

void refuse_without_effect(const CLI::App& app) {
  const activity* chosen = nullptr;
  for (const activity& a : activities) {
    const bool given = a.option.empty() || app.count(a.option) > 0;
    if (given && !chosen) chosen = &a;
    const bool beside = given && &a != chosen && !a.option.empty() && a.option != "--scenario";
    if (beside) usage_error(fmt::format("{} and {}: one at a time", chosen->option, a.option));
  }
  const auto reads = [&](const std::string& name) {
    return (" " + chosen->reads + " ").find(" " + name + " ") != std::string::npos;
  };
  for (const CLI::Option* o : app.get_options()) {
    const std::string name = o->get_name();
    if (name == chosen->option || o->count() == 0 || reads(name)) continue;
    usage_error(
        fmt::format("{} has no effect {}", name, chosen->option.empty() ? "on random scenarios" : "with " + chosen->option));
  }
}

}  // namespace

action add_conform(CLI::App& app) {
  auto o = std::make_shared<conform_options>();
  app.add_option("--variant", o->variant, "of the reference stack; default reference");
  app.add_option("--driver", o->driver, "what stands behind the devices; default simulated");
  app.add_option("--seed", o->seed, "of the first scenario; the next ones count up; default 1")->check(not_whole);
  app.add_option("--count", o->count, "scenarios at most; default 1000")->check(not_whole)->check(CLI::PositiveNumber);
  app.add_option("--time", o->time, "seconds at most")->check(not_seconds)->check(CLI::PositiveNumber);
  app.add_option("--scenario", o->scenario_file, "run this scenario instead of random ones");
  app.add_option("--scenario-out", o->scenario_out, "write the smallest failing scenario to a file");
  app.add_option("--format", o->format, "text stops at the first failure; ktap, junit and json go on")
      ->check(CLI::IsMember({"text", "ktap", "junit", "json"}));
  app.add_flag("--mutants", o->mutants, "each mutant of the reference stack, and the property and scenario that catch it");
  app.add_flag("--coverage", o->coverage, "print what the scenarios covered");
  auto schedules = std::make_shared<schedule_request>();
  add_schedule_options(app, *schedules);
  const CLI::Option* variant = app.get_option("--variant");
  return [o, schedules, variant, &app](catalogue& inputs) {
    refuse_without_effect(app);
    if (o->coverage && o->format != "text" && o->format != "json") usage_error("--coverage is printed as text and json");
    if (o->mutants && o->format != "text") usage_error("--mutants is printed as text");
    if (o->mutants) return run_mutants(inputs);
    if (!schedules->asked()) return run_conform(inputs, *o);
    if (o->format != "text")
      usage_error("--format is about random scenarios and --scenario: what was asked for here is printed as text");
    static_cast<void>(variant_named(o->variant));
    return run_schedules(inputs, *schedules,
                         {o->variant, o->scenario_file, variant->count() > 0, o->seed, o->count, o->time});
  };
}

}  // namespace quiesce::cli
