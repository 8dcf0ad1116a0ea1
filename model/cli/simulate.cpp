// SPDX-License-Identifier: MIT
// quiesce simulate: a run of a model, chosen by a seed or by hand.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <random>

#include "model/cli/verb.hpp"
#include "model/report/counterexample.hpp"
#include "model/report/trace_file.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/run.hpp"

namespace quiesce::cli {
namespace {

struct simulate_options {
  selection what;
  std::string model, trace_out;
  std::vector<std::string> properties;
  std::uint64_t seed = 1, steps = 100;
  bool random = false;
};

std::string action_text(const step_text& s) {
  std::string text = s.process.empty() ? "initial state" : s.process + "  ";
  if (!s.path.empty()) text += s.path.back().procedure + ": ";
  text += s.statement;
  for (const trace_choice& c : s.choices)
    text += fmt::format(" [{}]", c.shown.empty() ? fmt::format("{}: {}", c.what, c.value) : c.shown);
  for (const trace_event& e : s.events) {
    std::string args;
    for (const std::string& a : e.args) args += (args.empty() ? "" : ", ") + a;
    text += fmt::format(" ! {}({})", e.name, args);
  }
  return text;
}

std::uint64_t broken(const run& r) {
  std::uint64_t all = 0;
  for (const std::uint64_t v : r.violations()) all |= v;
  return all;
}

// The name of how the run ended, as trace files say it.
std::string outcome_of(run& r, const transition_system& system) {
  if (broken(r)) return "violated";
  if (r.ended()) return describe_ending(system.program(), *r.ended());
  return r.deadlocked() ? "deadlock" : "nothing";
}

std::string ending_text(run& r, const prepared_check& check) {
  std::string text;
  const auto& properties = check.asked().properties;
  for (std::size_t i = 0; i < r.violations().size(); ++i)
    for (std::size_t p = 0; p < properties.size(); ++p)
      if (r.violations()[i] >> p & 1) text += fmt::format("step {} breaks {}\n", i, properties[p]->property.name);
  if (r.ended()) return text + r.ending() + "\n";
  if (r.deadlocked()) return text + "deadlock: no process can move, and not all rest\n";
  if (r.enabled().empty()) return text + "no process can move, all rest\n";
  return text + "the run could go on\n";
}

int status_of_run(run& r) {
  if (broken(r) || (r.ended() && r.ended()->outcome == step_outcome::error)) return exit_violated;
  if (r.ended() && r.ended()->outcome == step_outcome::bound) return exit_unknown;
  if (r.deadlocked() || r.ended()) return exit_deadlock;
  return exit_ok;
}

outcome finish(run& r, const prepared_check& check, const simulate_options& o, std::string head) {
  run_text words;
  words.steps = r.taken();
  if (!o.trace_out.empty()) {
    report::trace_file file{o.model, check.asked().settings,       o.what.property_files, o.properties,
                            words,   outcome_of(r, check.system())};
    write_file(o.trace_out, o.trace_out.ends_with(".json") ? write_trace_json(file) : write_trace_text(file));
  }
  return {status_of_run(r), std::move(head) + report::trace_table(words) + "\n" + ending_text(r, check)};
}

outcome random_run(const prepared_check& check, const simulate_options& o) {
  run r(check.system());
  std::mt19937_64 source(o.seed);
  while (!r.enabled().empty() && r.taken().size() <= o.steps) r.take(source() % r.enabled().size());
  const std::string head = fmt::format("quiesce {}\n{}, seed {}\n\n", QUIESCE_VERSION, scope_text(check.scope()), o.seed);
  return finish(r, check, o, head);
}

void print_menu(run& r) {
  std::string text = fmt::format("\n{} steps taken\n", r.taken().empty() ? 0 : r.taken().size() - 1);
  for (std::size_t i = 0; i < r.enabled().size(); ++i)
    text += fmt::format("{:>4}  {}\n", i + 1, action_text(r.words(r.enabled()[i])));
  text += "number, u: undo, q: end> ";
  std::cout << text << std::flush;
}

void print_changes(const step_text& s) {
  if (s.process.empty()) return;
  for (const trace_change& c : s.changes) std::cout << fmt::format("      {}: {} -> {}\n", c.variable, c.before, c.after);
}

std::size_t number_in(const std::string& line) {
  if (line.empty() || line.size() > 9 || line.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::stoul(line);
}

outcome interactive_run(const prepared_check& check, const simulate_options& o) {
  run r(check.system());
  std::string line;
  while (!r.enabled().empty()) {
    print_menu(r);
    if (!std::getline(std::cin, line) || line == "q") break;
    const std::size_t number = number_in(line);
    if (line == "u") {
      if (!r.undo()) std::cout << "nothing to undo\n";
    } else if (number >= 1 && number <= r.enabled().size()) {
      r.take(number - 1);
      print_changes(r.taken().back());
      if (r.violations().back()) std::cout << ending_text(r, check);
    } else {
      std::cout << fmt::format("'{}' is not one of these\n", line);
    }
  }
  return finish(r, check, o, "\n");
}

outcome run_simulate(catalogue& inputs, simulate_options o) {
  const prepared_check check(inputs, one_question(inputs, o.what, o.model, o.properties, "simulate"));
  if (check.asked_response())
    throw diagnostic(check.asked().properties[0]->property.where, "a property with `leads to` is not watched step by step",
                     "it is about runs without end: `quiesce check` decides it, and `quiesce replay` follows its runs");
  return o.random ? random_run(check, o) : interactive_run(check, o);
}

}  // namespace

action add_simulate(CLI::App& app) {
  auto options = std::make_shared<simulate_options>();
  app.add_option("MODEL", options->model, "name or file")->required();
  add_selection(app, options->what);
  app.add_option("--property", options->properties, "watch this property; repeatable")->allow_extra_args(false);
  auto* seed = app.add_option("--seed", options->seed, "choose at random, from this seed")->check(not_whole);
  auto* steps =
      app.add_option("--steps", options->steps, "choose at random, at most so many steps; default 100")->check(not_whole);
  app.add_option("--trace-out", options->trace_out, "write the run to a file; .json: as JSON");
  return [options, seed, steps](catalogue& inputs) {
    options->random = seed->count() > 0 || steps->count() > 0;
    return run_simulate(inputs, *options);
  };
}

}  // namespace quiesce::cli
