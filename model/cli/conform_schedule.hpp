// SPDX-License-Identifier: MIT
#pragma once
// The part of `quiesce conform` that controls who moves: all interleavings of a scenario, samples of them, one again, and
// the comparison of traces with a model.

#include <cstdint>
#include <string>

#include "model/cli/verb.hpp"

namespace quiesce::cli {

struct schedule_request {
  bool exhaustive = false;       // all interleavings of one scenario, and the model's traces
  bool inclusion = false;        // random scenarios and schedules against the model
  bool counterexamples = false;  // of the claims about the model, on the stack
  std::string sample;            // random, pct: schedules of one scenario
  std::string schedule_file;     // replay this one
  std::string model;  // empty: teardown; for counterexamples: all
  std::string driven() const { return model.empty() ? "teardown" : model; }
  std::string schedule_out;  // where the first failing schedule goes
  unsigned polls = 3, firings = 2;
  bool asked() const { return exhaustive || inclusion || counterexamples || !sample.empty() || !schedule_file.empty(); }
};

void add_schedule_options(CLI::App&, schedule_request&);

// What the other options of the verb say.
struct schedule_run {
  std::string variant, scenario_file;
  bool variant_given = false;
  std::uint64_t seed = 1, count = 1000;
  double seconds = 0;
};
outcome run_schedules(catalogue&, const schedule_request&, const schedule_run&);
outcome replay_counterexamples(catalogue&, const schedule_request&, const schedule_run&);

}  // namespace quiesce::cli
