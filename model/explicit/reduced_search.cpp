// SPDX-License-Identifier: MIT
#include "model/explicit/reduced_search.hpp"

#include <algorithm>
#include <stdexcept>

namespace quiesce {

namespace {

template <class visitor>
void each_finding(search_result& r, visitor&& visit) {
  for (auto& f : r.properties)
    if (f) visit(*f);
  for (auto& [kind, f] : r.errors) visit(f);
  for (auto& [kind, f] : r.bounds) visit(f);
  if (r.deadlock) visit(*r.deadlock);
}

// The same thing, as the other search found it; null: it did not come so far.
const finding* counterpart(const search_result& r, const finding& f) {
  const auto in = [](const auto& all, auto kind) {
    const auto at = all.find(kind);
    return at == all.end() ? nullptr : &at->second;
  };
  switch (f.kind) {
    case finding_kind::violation:
    case finding_kind::reached:
      return r.properties[f.property] ? &*r.properties[f.property] : nullptr;
    case finding_kind::error:
      return in(r.errors, static_cast<ir::error_kind>(f.which));
    case finding_kind::bound:
      return in(r.bounds, static_cast<ir::bound_kind>(f.which));
    case finding_kind::deadlock:
      return r.deadlock ? &*r.deadlock : nullptr;
  }
  return nullptr;
}

}  // namespace

search_result explore_reduced(const transition_system& s, const search_options& o,
                              search_result (*once)(const transition_system&, const search_options&)) {
  search_options with = o;
  with.traces = true;
  search_result found = once(s, with);
  search_options without = o;
  without.reduce = {};
  without.checkpoint = {};
  without.examine = nullptr;
  without.stop_at_first = false;
  without.wanted = 0;
  without.max_depth = 0;
  without.check_deadlock = found.deadlock.has_value();
  each_finding(found, [&](finding& f) {
    without.max_depth = std::max(without.max_depth, f.depth + 1);
    if (f.kind == finding_kind::violation || f.kind == finding_kind::reached)
      without.wanted |= std::uint64_t{1} << f.property;
  });
  if (without.max_depth == 0) return found;
  if (o.timeout_s > 0) without.timeout_s = std::max(1.0, o.timeout_s - found.elapsed_s);
  without.enough = [&](const search_result& now) {
    bool all = true;
    each_finding(found, [&](const finding& f) { all = all && counterpart(now, f); });
    return all;
  };
  const search_result again = once(s, without);
  found.states_again = again.states;
  found.elapsed_s += again.elapsed_s;
  each_finding(found, [&](finding& f) {
    if (const finding* shortest = counterpart(again, f)) {
      f = *shortest;
      return;
    }
    if (again.ended_by == budget::none) throw std::logic_error("a reduction found what is not there without it");
    f.minimal = false;
    if (!o.traces) f.run = {};
  });
  return found;
}

}  // namespace quiesce
