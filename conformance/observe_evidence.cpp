// SPDX-License-Identifier: MIT
#include "conformance/observe_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace quiesce::observe {
namespace {

using kind = ast::expr_kind;
using names = std::vector<std::string>;

void add_events(const std::vector<ast::event_pattern>& patterns, names& to) {
  for (const ast::event_pattern& p : patterns)
    if (std::find(to.begin(), to.end(), p.event) == to.end()) to.push_back(p.event);
}

bool has_count(const ast::expr& e) {
  return e.kind == kind::count_events || std::any_of(e.args.begin(), e.args.end(), has_count);
}

// A conjunction of `count E <= N`: only an E can break it. Collects the events; false: something else can.
bool bounds_from_above(const ast::expr& e, names& events) {
  if (e.kind != kind::binary) return false;
  if (e.text == "&&")
    return std::all_of(e.args.begin(), e.args.end(), [&](const auto& a) { return bounds_from_above(a, events); });
  if ((e.text != "<=" && e.text != "<") || e.args[0].kind != kind::count_events || has_count(e.args[1])) return false;
  add_events(e.args[0].patterns, events);
  return true;
}

std::string joined(const names& all) {
  std::string out;
  for (const std::string& n : all) out += (out.empty() ? "" : ", ") + n;
  return out;
}

}  // namespace

std::string why_vacuous(const ast::property& p, std::uint64_t triggered,
                        const std::function<std::uint64_t(const std::string& event)>& occurred) {
  const auto none = [&](const names& events) {
    return std::none_of(events.begin(), events.end(), [&](const std::string& e) { return occurred(e) > 0; });
  };
  names breaking, trigger;
  bool at_all = true;  // some event can break it by occurring
  switch (p.kind) {
    case ast::property_kind::at_end:
      at_all = !p.condition.empty() && std::all_of(p.condition.begin(), p.condition.end(),
                                                   [&](const auto& e) { return bounds_from_above(e, breaking); });
      if (triggered == 0) return "no span of its kind ended";
      break;
    case ast::property_kind::never:
    case ast::property_kind::at_most:
      add_events(p.patterns, breaking);
      add_events(p.forbidden, breaking);
      break;
    case ast::property_kind::after_never:
      add_events(p.patterns, trigger);
      add_events(p.forbidden, breaking);
      if (triggered == 0)
        return fmt::format("no {}{}", joined(trigger), none(trigger) ? "" : " of the kind that it is about");
      break;
    default:
      add_events(p.patterns, breaking);
      if (triggered == 0)
        return fmt::format("no {}{}", joined(breaking), none(breaking) ? "" : " of the kind that it is about");
      return {};
  }
  return at_all && none(breaking) ? fmt::format("no {}", joined(breaking)) : "";
}

}  // namespace quiesce::observe
