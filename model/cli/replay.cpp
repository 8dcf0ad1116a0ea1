// SPDX-License-Identifier: MIT
// quiesce replay: follows a recorded run by the names of its actions, on the model as it is now.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/cli/verb.hpp"
#include "model/explicit/liveness.hpp"
#include "model/report/counterexample.hpp"
#include "model/report/trace_file.hpp"
#include "model/verdict/check.hpp"
#include "model/verdict/run.hpp"

namespace quiesce::cli {
namespace {

bool same_action(const step_text& possible, const step_text& wanted) {
  const auto same = [](const trace_choice& a, const trace_choice& b) { return a.what == b.what && a.value == b.value; };
  return possible.process == wanted.process &&
         std::equal(possible.choices.begin(), possible.choices.end(), wanted.choices.begin(), wanted.choices.end(), same);
}

std::string action_name(const step_text& s) {
  std::string text = s.process.empty() ? "the initial state" : s.process;
  for (const trace_choice& c : s.choices) text += fmt::format(" [{} = {}]", c.what, c.value);
  return text;
}

// Returns the states on the way.
std::vector<visited_state> follow(run& r, const report::trace_file& file, const std::string& path, std::uint32_t words) {
  std::vector<visited_state> visited;
  for (std::size_t i = 0; i < file.run.steps.size(); ++i) {
    const step_text& wanted = file.run.steps[i];
    std::string possible;
    std::size_t number = 0;
    for (; number < r.enabled().size(); ++number) {
      const step_text words = r.words(r.enabled()[number]);
      if (same_action(words, wanted)) break;
      possible += (possible.empty() ? "" : "; ") + action_name(words);
    }
    if (number == r.enabled().size())
      throw diagnostic(fmt::format("{}: step {} cannot be taken: {}", path, i, action_name(wanted)),
                       possible.empty() ? "no step is possible there" : "possible there: " + possible);
    const step& taken = r.enabled()[number].done;
    visited_state v{{}, taken.process, taken.instance};
    r.take(number);
    v.state.assign(r.state(), r.state() + words);
    visited.push_back(std::move(v));
  }
  return visited;
}

std::string outcome_of(run& r, const transition_system& system) {
  if (!r.violations().empty() && r.violations().back()) return "violated";
  if (r.ended() && r.ended()->outcome != step_outcome::stuck) return describe_ending(system.program(), *r.ended());
  if (r.ended() || r.deadlocked()) return "deadlock";
  return r.marked() ? "reached" : "nothing";
}

// A goal is reached, or a trigger happened, in runs that were recorded for another reason too.
bool agrees(const std::string& recorded, const std::string& found) {
  return recorded == found || (recorded == "nothing" && found == "reached");
}

int status_of_outcome(const std::string& text) {
  if (text == "violated" || text.starts_with("error ")) return exit_violated;
  if (text == "deadlock") return exit_deadlock;
  return text.starts_with("bound ") ? exit_unknown : exit_ok;
}

outcome run_replay(catalogue& inputs, const std::string& path) {
  const report::trace_file file = report::read_trace(inputs.sources(), inputs.sources().read(path));
  for (const std::string& extra : file.property_files) inputs.add_properties(extra);
  question q{&model_named(inputs, file.model), file.settings, {}};
  for (const std::string& name : file.properties) q.properties.push_back(&inputs.property(name));
  const prepared_check check(inputs, std::move(q));
  run r(check.system());
  const auto visited = follow(r, file, path, check.system().state_layout().words());
  std::string found = outcome_of(r, check.system());
  if (file.run.loop_from && check.asked_response()) {
    const std::string wrong = not_a_lasso(check.system(), *check.asked_response(), visited, *file.run.loop_from);
    found = wrong.empty() ? "violated" : "a run that is no counterexample: " + wrong;
  }
  run_text words;
  words.steps = r.taken();
  words.loop_from = file.run.loop_from;
  outcome out;
  out.output = fmt::format("quiesce {}\n{} {}: {}\n\n{}\n{}", QUIESCE_VERSION, file.model, file.settings.variant,
                           scope_text(check.scope()), report::trace_table(words), report::last_step_place(words, &inputs.sources()));
  const bool same = agrees(file.outcome, found);
  out.output += same ? fmt::format("the run ends as recorded: {}\n", file.outcome)
                     : fmt::format("the run ends with {}; recorded was {}\n", found, file.outcome);
  out.status = same ? status_of_outcome(file.outcome) : static_cast<int>(exit_unexpected);
  if (same && file.outcome == "violated" && check.asked_response()) out.status = exit_liveness;
  return out;
}

}  // namespace

action add_replay(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("TRACE", *path, "a file that check --trace-out or simulate --trace-out wrote")->required();
  return [path](catalogue& inputs) { return run_replay(inputs, *path); };
}

}  // namespace quiesce::cli
