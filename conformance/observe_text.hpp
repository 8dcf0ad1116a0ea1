// SPDX-License-Identifier: MIT
#pragma once
// The report on a trace, as text and as JSON.

#include <string>
#include <vector>

#include "conformance/observe_batches.hpp"
#include "conformance/observe_rules.hpp"

namespace quiesce::observe {

// Whether the trace is a run of the model of its kernel.
struct model_answer {
  enum class verdict : std::uint8_t { a_run, not_a_run, unknown, not_asked } is = verdict::not_asked;
  std::string model;   // "teardown K61"
  std::string reason;  // of unknown and not_asked
  std::uint64_t events = 0, batches = 0;
  struct left_out {
    std::string why;
    std::vector<std::string> what;  // events of the model
  };
  std::vector<left_out> not_compared;
  std::uint64_t line = 0;   // of the first event that the model does not explain
  std::string explanation;  // several lines
};

struct trace_report {
  std::string path;
  source_summary source;
  std::string kernel;          // as judged; empty: not known
  std::vector<batch> batches;  // those that are kept
  std::uint64_t more_batches = 0;
  std::vector<rule_result> rules;
  model_answer model;
};

std::string happened_text(const trace_report&);  // what the source contained, batch by batch
std::string text_of(const trace_report&);        // that, the rules and the model
std::string json_of(const std::vector<trace_report>&);

// holds, does not hold, ... for a rule of this kernel and for one that it never promised.
std::string answer_text(const rule_result&);

}  // namespace quiesce::observe
