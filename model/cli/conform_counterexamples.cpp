// SPDX-License-Identifier: MIT
// quiesce conform --counterexamples: what the models break, variant by variant, on the stack.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/counterexample.hpp"
#include "conformance/schedule_run.hpp"
#include "model/cli/conform_schedule.hpp"
#include "model/verdict/verdict.hpp"

namespace quiesce::cli {

using namespace conformance;

namespace {

// Variant and property: what became of the claims about them.
struct row {
  std::string variant, property;
  bool of_stack = false;
  std::vector<counterexample_replay> claims;
  const counterexample_replay& best() const {
    return *std::min_element(claims.begin(), claims.end(),
                             [](const auto& a, const auto& b) { return a.outcome < b.outcome; });
  }
};

std::size_t place_of(const std::string& variant) {
  const auto& all = refimpl::variants();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == variant) return i;
  return all.size();
}

std::vector<row> rows_of(std::vector<counterexample_replay> all) {
  std::vector<row> rows;
  for (counterexample_replay& c : all) {
    auto at = std::find_if(rows.begin(), rows.end(),
                           [&](const row& r) { return r.variant == c.variant && r.property == c.property; });
    if (at == rows.end())
      at = rows.insert(rows.end(), {c.variant, c.property, place_of(c.variant) < refimpl::variants().size(), {}});
    at->claims.push_back(std::move(c));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    return std::pair(place_of(a.variant), a.variant) < std::pair(place_of(b.variant), b.variant);
  });
  return rows;
}

std::string line_of(const row& r, std::size_t width) {
  const counterexample_replay& c = r.best();
  std::string on = name(c.outcome);
  if (c.outcome == replay_outcome::breaks)
    on += fmt::format(": {}, {} device{}{}", c.how, c.devices, c.devices == 1 ? "" : "s",
                      c.schedules > 1 ? fmt::format(", schedule {}", c.schedules) : "");
  else
    on += ": " + c.detail;
  return fmt::format("  {:<{}} {:<40}{:>3}{:>5}  {}\n", r.variant, width, r.property, r.claims.size(),
                     c.steps == 0 ? "-" : std::to_string(c.steps), on);
}

std::string claims_not_shown(const std::vector<row>& rows) {
  std::string out;
  for (const row& r : rows)
    for (const counterexample_replay& c : r.claims)
      if (c.outcome != replay_outcome::breaks && r.best().outcome == replay_outcome::breaks)
        out += fmt::format("  {}: {}: {}\n", c.claim, name(c.outcome),
                           c.detail.empty() ? fmt::format("{} schedules", c.schedules) : c.detail);
  return out.empty() ? out : "\nclaims whose own counterexample is not shown, although another one's is:\n" + out;
}

// What was tried where a variant of the stack does not do what its model does.
std::string scenarios_of(const std::vector<row>& rows) {
  std::string out;
  for (const row& r : rows)
    for (const counterexample_replay& c : r.claims)
      if (c.outcome == replay_outcome::keeps && r.best().outcome == replay_outcome::keeps)
        out += fmt::format("\n# {}\n{}", c.claim, format(c.what));
  return out.empty() ? out : "\nscenarios that do not show it:\n" + out;
}

std::string table(const std::vector<row>& rows, bool of_stack, const char* title) {
  std::string out;
  std::size_t shown = 0, all = 0, width = 10;
  for (const row& r : rows)
    if (r.of_stack == of_stack) width = std::max(width, r.variant.size());
  for (const row& r : rows) {
    if (r.of_stack != of_stack) continue;
    ++all;
    shown += r.best().outcome == replay_outcome::breaks ? 1 : 0;
    out += line_of(r, width);
  }
  if (all == 0) return {};
  return fmt::format("\n{}: {} of {} are broken by the stack too\n  {:<{}} {:<40}{:>3}{:>5}  {}\n{}", title, shown, all,
                     "variant", width, "property", "", "steps", "on the stack", out);
}

}  // namespace

outcome replay_counterexamples(catalogue& inputs, const schedule_request& q, const schedule_run& r) {
  const rule_book rules(inputs);
  replay_effort effort;
  effort.model.threads = 1;
  effort.model.seconds = r.seconds > 0 ? r.seconds : 60;
  effort.model.symmetry = true;
  std::vector<counterexample_replay> all;
  bool known = q.model.empty();
  for (const converted_model& m : converted_models()) known = known || m.name == q.model;
  if (!known) usage_error(fmt::format("counterexamples of a model '{}' are not converted", q.model));
  for (const claim_entry* claim : violated_claims(inputs)) {
    if (!q.model.empty() && claim->claim.model != q.model) continue;
    if (r.variant_given && version_of(claim->claim.model, settings_of(claim->claim)).name != r.variant) continue;
    log_progress(claim->claim.name);
    all.push_back(replay_claim(inputs, rules, *claim, effort));
    const counterexample_replay& last = all.back();
    if (!q.schedule_out.empty() && last.outcome == replay_outcome::breaks && !last.actors.empty() && last.as_is)
      write_file(q.schedule_out, format(schedule_file{last.variant, last.bounds, last.what, last.actors}));
  }
  log_progress("");
  const std::vector<row> rows = rows_of(std::move(all));
  const auto any = [&](replay_outcome o) {
    return std::any_of(rows.begin(), rows.end(), [o](const row& x) { return x.of_stack && x.best().outcome == o; });
  };
  outcome out;
  out.output = fmt::format("quiesce {}\n", QUIESCE_VERSION);
  out.output += table(rows, true, "variants of the stack and what their models break");
  out.output += table(rows, false, "variants that only the models have, mostly mutants");
  out.output += claims_not_shown(rows) + scenarios_of(rows);
  out.status = any(replay_outcome::keeps) ? exit_violated : any(replay_outcome::not_violated) ? exit_unknown : exit_ok;
  return out;
}

}  // namespace quiesce::cli
