// SPDX-License-Identifier: MIT
#pragma once
// A campaign in words: for people, as KTAP, as JUnit XML, as JSON.

#include <optional>
#include <string>

#include "conformance/trial.hpp"

namespace quiesce::conformance {

struct report_input {
  const rule_book& rules;
  trial& on;  // runs the scenarios of failures again, to show their events
  const campaign_result& result;
  std::string variant, driver;
  std::uint64_t seed = 0;
  std::string scenario_file;               // the campaign was this one scenario
  std::map<std::string, scenario> shrunk;  // by failure: its smallest scenario
  bool coverage = false;
  // The running kernel beside the stack: whether it agreed, and what was found; absent: not compared.
  struct kernel_part {
    bool agrees = false;
    std::string text;
  };
  std::optional<kernel_part> kernel;
};

// The failure to name first: the one that the smallest scenario with a device shows. before: there is one.
std::string headline(const report_input& in);

// The command line that shows one failure again.
std::string reproduction(const report_input& in, const failing& f);

std::string to_text(const report_input& in);
// One test for each property, and one for what is no property's: machine checks, warnings, leaks. What the variant does not
// promise, what nothing here decides and what no scenario triggered is skipped, with the reason.
std::string to_ktap(const report_input& in);
std::string to_junit(const report_input& in);
// The same tests as objects: name, outcome, reason; a failure has the rule, the claim that says so of the model, the
// scenario as text, and the command that shows it again.
std::string to_json(const report_input& in);

}  // namespace quiesce::conformance
