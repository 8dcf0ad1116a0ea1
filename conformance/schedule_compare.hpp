// SPDX-License-Identifier: MIT
#pragma once
// All interleavings of a scenario on the reference stack, and all runs of a model of it, as sets of traces: equivalence
// classes under the independence relation of schedule_relation.hpp, in the model's alphabet. Both directions are compared.

#include <map>
#include <string>
#include <vector>

#include "conformance/inclusion_model.hpp"
#include "conformance/schedule_run.hpp"

namespace quiesce::conformance {

// One task unregisters two devices of two namespaces, one of them up with a device above it; another task closes and then
// unregisters a third.
scenario exhausted_scenario();

// Every class of traces of the whole runs of a scripted model.
struct model_classes {
  std::vector<letter> alphabet;
  std::map<class_id, std::vector<std::uint32_t>> classes;  // class -> its normal form, as numbers of letters
  std::vector<letter> trace(const std::vector<std::uint32_t>& numbers) const;
  std::uint64_t explored = 0;   // pairs of a state and the class of a trace that leads there
  std::uint64_t runs_cut = 0;   // distinct such pairs whose next step is an error, a bound or stuck
  std::uint64_t deadlocks = 0;  // classes of runs that end although not every process has ended
  bool complete = false;        // within the limit
};
model_classes classes_of_model(const scripted_model&, std::uint64_t most_explored);

struct comparison_options {
  control_bounds bounds;
  exploration_limits limits;
  std::uint64_t most_explored = 20'000'000;  // of the model
  bool twice = true;                         // each schedule runs twice and must do the same
};

struct comparison {
  exploration_report schedules;
  std::uint64_t polls_bounded = 0, firings_bounded = 0, hung = 0, stopped = 0;
  std::size_t code_classes = 0, code_events = 0;  // events: of the longest trace, in the alphabet
  std::size_t common = 0;
  model_classes model;
  struct difference {
    std::vector<std::string> trace;   // in normal form
    std::vector<std::string> actors;  // of the code: the schedule that shows it
  };
  std::vector<difference> only_code, only_model;
  bool equal() const;
  // Whether both sides were exhausted, so that `equal` and the lists say something of all runs.
  bool exhausted() const;
};
comparison compare_all(const scripted_model&, const scenario&, std::string_view variant, const comparison_options&);

// A model's run as a test: the stack is driven so that it shows the trace, and must show nothing else.
struct guided_outcome {
  bool shown = false;  // the stack's trace is in the class of the model's
  std::vector<letter> trace;
  std::vector<std::string> actors;
  controlled_result result;
};
guided_outcome run_guided(const scripted_model&, const scenario&, const run_settings&, const std::vector<letter>& trace,
                          const control_bounds&);

// Lines for people, each difference by the shortest that tells it: at most `most` of each direction.
std::string report(const comparison&, const comparison_options&, std::size_t most = 5);

}  // namespace quiesce::conformance
