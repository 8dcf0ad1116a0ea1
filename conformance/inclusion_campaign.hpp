// SPDX-License-Identifier: MIT
#pragma once
// Random scenarios that a model covers, each under a random schedule, and the trace compared with the model.

#include "conformance/inclusion_model.hpp"
#include "conformance/schedule_run.hpp"

namespace quiesce::conformance {

// A scenario of one to four devices in one or two namespaces, with devices above others, addresses, and one or two tasks
// that close and unregister. Every driven model covers it.
scenario generate_driven(std::uint64_t seed);

struct inclusion_campaign_settings {
  std::uint64_t seed = 1, count = 1000;
  double seconds = 0;  // 0: no limit
  control_bounds bounds;
  std::size_t keep = 1;  // mismatches that are kept; the campaign ends behind the last
};

struct inclusion_mismatch {
  std::uint64_t seed = 0;
  schedule_file schedule;  // reproduces it
  std::string text;
};

struct inclusion_campaign {
  std::uint64_t runs = 0, events = 0, steps = 0, unknown = 0;
  std::uint64_t stopped = 0;       // by a machine check
  std::uint64_t stopped_both = 0;  // of these: the model's runs end in the run-time error that it stands for
  std::size_t lowered = 0;
  double elapsed_s = 0;
  std::string first_unknown;
  std::vector<inclusion_mismatch> mismatches;
};
inclusion_campaign run_inclusion(script_cache&, const driven_model&, std::string_view variant,
                                 const inclusion_campaign_settings&);

// One scenario under one schedule.
struct judged_schedule {
  controlled_result result;
  inclusion_outcome outcome;
  // The stack and the model end in the same error: behind the longest prefix that the model has, the stack only went round
  // the loop that the model knows to be endless. What other tasks did meanwhile is not compared.
  bool same_error = false;
  std::vector<std::string> actors;
};
judged_schedule judge_schedule(const scripted_model&, const scenario&, std::string_view variant, chooser&,
                               const control_bounds&);

}  // namespace quiesce::conformance
