// SPDX-License-Identifier: MIT
#include "conformance/mutants.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace quiesce::conformance {

namespace {

bool is_property(const rule_book& rules, const std::string& what) {
  return std::any_of(rules.entries().begin(), rules.entries().end(),
                     [&](const rule_book::entry& e) { return e.property->name == what; });
}

}  // namespace

caught_mutant catch_mutant(const rule_book& rules, const refimpl::mutation_entry& mutant, std::uint64_t count) {
  caught_mutant out;
  out.mutant = mutant;
  refimpl::variant_policy policy = refimpl::variant("reference");
  policy.mutant = mutant.value;
  trial t(rules, policy);
  campaign_settings settings;
  settings.count = count;
  const campaign_result result = run_campaign(t, settings);
  out.runs = result.runs;
  out.caught = !result.failures.empty();
  if (!out.caught) return out;
  const auto of_property = std::find_if(result.failures.begin(), result.failures.end(),
                                        [&](const auto& f) { return is_property(rules, f.first); });
  const auto& [what, f] = of_property != result.failures.end() ? *of_property : *result.failures.begin();
  const std::string& wanted = what;
  out.by = what;
  out.text = f.first.text;
  out.seed = f.seed;
  out.small = shrink(f.found, [&](const scenario& s) { return t.shows(s, wanted); });
  return out;
}

std::string format(const caught_mutant& m) {
  const std::string head = fmt::format("{}: {} ({})\n", m.mutant.name, m.mutant.what, m.mutant.place);
  if (!m.caught) return head + fmt::format("  NOT CAUGHT by {} scenarios\n", m.runs);
  std::string out = head + fmt::format("  caught by {}, scenario {}: {}\n", m.by, m.seed, m.text);
  const std::string text = format(m.small);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace quiesce::conformance
