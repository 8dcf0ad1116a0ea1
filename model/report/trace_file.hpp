// SPDX-License-Identifier: MIT
#pragma once
// Runs as files: written by check --trace-out and simulate, read by replay. Text and JSON say the same.
//
// The text form, one item a line; `#` starts a comment, which is where everything stands that replay does not need:
//
//   quiesce-trace 1
//   model NAME_OR_PATH
//   variant NAME                (none: options as declared)
//   option NAME = VALUE
//   environment NAME
//   scope NAME = NUMBER
//   properties PATH             (--properties)
//   property NAME
//   initial
//     choose WHAT = VALUE
//   step PROCESS
//     choose WHAT = VALUE
//   loop                        the steps below are repeated for ever; none: nothing can move any more
//   end OUTCOME                 violated, deadlock, reached, nothing, error KIND, bound KIND

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/language/source.hpp"
#include "model/system/lower.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce::report {

struct trace_file {
  std::string model;
  instance settings;
  std::vector<std::string> property_files;
  std::vector<std::string> properties;
  run_text run;                 // a file that was read has processes and choices only
  std::string outcome = "nothing";
};

std::string write_trace_text(const trace_file&);
std::string write_trace_json(const trace_file&);
// Either form. Throws diagnostic with the place.
trace_file read_trace(const language::source_set&, std::uint32_t file);

nlohmann::json steps_json(const run_text&);

}  // namespace quiesce::report
