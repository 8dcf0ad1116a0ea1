// SPDX-License-Identifier: MIT
#pragma once
// One scenario, run and judged; and many.

#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "conformance/coverage.hpp"
#include "conformance/generate.hpp"
#include "conformance/judge.hpp"

namespace quiesce::conformance {

// Something that a run shows to be wrong.
struct finding {
  std::string what;  // a property's name, or "machine check", "warning TAG", "inconsistent RULE", "leak", "devices differ"
  std::string text;  // one line
  std::uint64_t at = 0;      // index of the event after which it is certain
  std::string not_promised;  // why it is no failure of this variant; empty: it is one
  bool known = false;        // it is no failure because the variant's model is known to break it too
};

// Runs scenarios of one variant on one driver. Not copied: a judge keeps its tables from run to run.
class trial {
 public:
  trial(const rule_book& rules, const refimpl::variant_policy& policy, const driver_entry* driver = nullptr);
  // Empty findings: everything held. `result`, if given, gets the run; `events` in it only if `keep`.
  std::vector<finding> run(const scenario& s, run_result* result = nullptr, bool keep = false);
  // Whether the run shows this finding.
  bool shows(const scenario& s, const std::string& what);
  const refimpl::variant_policy& policy() const { return settings_.policy; }
  const event_counts& counts() const { return counts_; }  // of the latest run
  std::vector<std::uint64_t> matched() const { return judge_.matched(); }

 private:
  void excuse(finding& f, const ast::property& p, const scenario& s) const;
  const rule_book& rules_;
  judge judge_;
  run_settings settings_;
  event_counts counts_{};
  std::vector<finding> warnings_;
  bool ended_ = false;
};

struct campaign_settings {
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
  std::optional<std::chrono::duration<double>> time;  // stop then, whatever the count
  bool stop_at_first = true;                          // failure, that is
  std::function<void(std::uint64_t done)> progress;   // now and then
  generator_options kind;
  // The part of a scenario that the driver can do; empty: all of it.
  std::function<scenario(const scenario&)> fit;
};

struct failing {
  std::uint64_t seed = 0;  // generate(seed) shows it
  scenario found;
  finding first;
};

struct campaign_result {
  std::uint64_t runs = 0, events = 0;
  double seconds = 0;
  coverage covered;
  std::map<std::string, failing> failures;      // by finding::what; the first scenario of each
  std::map<std::string, failing> not_promised;  // the same for what the variant does not promise
  std::vector<std::uint64_t> matched;           // by entry of the rule book
};

// Scenario i is generate(seed + i): any of them is reproduced by its own seed with a count of one.
campaign_result run_campaign(trial& t, const campaign_settings& settings);

}  // namespace quiesce::conformance
