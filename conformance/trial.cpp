// SPDX-License-Identifier: MIT
#include "conformance/trial.hpp"

#include <exception>

#include "conformance/generate.hpp"
#include "conformance/promise.hpp"

namespace quiesce::conformance {

trial::trial(const rule_book& rules, const refimpl::variant_policy& policy, const driver_entry* driver)
    : rules_(rules), judge_(rules) {
  settings_.policy = policy;
  settings_.driver = driver;
  settings_.sink = [this](const refimpl::event& e, refimpl::stack& on) {
    ++counts_[static_cast<std::size_t>(e.kind)];
    // What the stack does once a machine check is under way is no kernel's: that would have crashed.
    ended_ = ended_ || std::uncaught_exceptions() > 0 || (e.kind == refimpl::event_kind::rtnl_unlock && on.stopped());
    if (ended_) return;
    judge_.push(e, &on);
    if (e.kind == refimpl::event_kind::kernel_warning)
      warnings_.push_back(
          {"warning " + std::string(e.tag), "a kernel would have warned: " + std::string(e.tag), judge_.seen() - 1, {}});
  };
}

void trial::excuse(finding& f, const ast::property& p, const scenario& s) const {
  f.not_promised = not_promised(policy(), p);
  if (f.not_promised.empty()) f.not_promised = beyond_rule(policy(), p.name, s);
  if (!f.not_promised.empty()) return;
  f.not_promised = rules_.known().of(policy().name, p, s);
  f.known = !f.not_promised.empty();
}

std::vector<finding> trial::run(const scenario& s, run_result* result, bool keep) {
  judge_.reset();
  counts_.fill(0);
  warnings_.clear();
  ended_ = false;
  settings_.keep_events = keep;
  run_result own = conformance::run(s, settings_);
  if (own.stopped) judge_.stopped(*own.stopped);
  std::vector<finding> found;
  for (const breach& b : judge_.breaches()) {
    found.push_back({b.property, b.text, b.at, {}});
    excuse(found.back(), *rules_.entries()[rules_.number(b.property)].property, s);
  }
  for (finding& w : warnings_) w.not_promised = beyond_rule(policy(), w.what, s);
  found.insert(found.end(), warnings_.begin(), warnings_.end());
  const std::uint64_t last = judge_.seen() == 0 ? 0 : judge_.seen() - 1;
  if (own.stopped)
    found.push_back({"machine check", std::string(refimpl::name(own.stopped->kind)) + ": " + own.stopped->what, last, {}});
  for (const std::string& line : own.inconsistent)
    found.push_back({"inconsistent " + line.substr(0, line.find(':')), line, last, {}});
  for (const std::string& line : own.complaints) found.push_back({"devices differ", line, last, {}});
  if (!own.leaked.empty()) found.push_back({"leak", "left when everything was deleted: " + own.leaked, last, {}});
  if (result != nullptr) *result = std::move(own);
  return found;
}

bool trial::shows(const scenario& s, const std::string& what) {
  for (const finding& f : run(s))
    if (f.what == what) return true;
  return false;
}

namespace {

bool record(campaign_result& into, const std::vector<finding>& found, const scenario& s, std::uint64_t seed) {
  bool failed = false;
  for (const finding& f : found) {
    auto& table = f.not_promised.empty() ? into.failures : into.not_promised;
    failed = failed || f.not_promised.empty();
    table.try_emplace(f.what, failing{seed, s, f});
  }
  return failed;
}

}  // namespace

campaign_result run_campaign(trial& t, const campaign_settings& settings) {
  using clock = std::chrono::steady_clock;
  campaign_result result;
  const auto begin = clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - begin); };
  for (std::uint64_t seed = settings.seed; result.runs < settings.count; ++seed) {
    if (settings.time && elapsed() >= *settings.time) break;
    const scenario made = generate(seed, settings.kind);
    const scenario s = settings.fit ? settings.fit(made) : made;
    const std::vector<finding> found = t.run(s);
    ++result.runs;
    for (std::uint64_t n : t.counts()) result.events += n;
    result.covered.add(s, t.counts());
    const std::vector<std::uint64_t> matched = t.matched();
    result.matched.resize(matched.size());
    for (std::size_t i = 0; i < matched.size(); ++i) result.matched[i] += matched[i];
    if (record(result, found, s, seed) && settings.stop_at_first) break;
    if (settings.progress && result.runs % 256 == 0) settings.progress(result.runs);
  }
  result.seconds = elapsed().count();
  return result;
}

}  // namespace quiesce::conformance
