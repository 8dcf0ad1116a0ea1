// SPDX-License-Identifier: MIT
#include "model/verdict/range_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/system/failed_store.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce {
namespace {

bool is_failed_store(const step& s) {
  return s.outcome == step_outcome::error && static_cast<ir::error_kind>(s.kind) == ir::error_kind::range && s.at &&
         s.at->code == ir::operation::set && s.at->var != ir::nothing;
}

bool same_choices(const step_record& a, const step_record& b) {
  return std::equal(a.choices.begin(), a.choices.end(), b.choices.begin(), b.choices.end(),
                    [](const auto& x, const auto& y) { return x.value == y.value; });
}

// The steppers of a system have the same steps, at the same instructions.
std::optional<failed_store> failure_of(const transition_system& system, const word* before, const step& s,
                                       const step_record& record) {
  const auto steps = system.make_stepper();
  const auto* teller = dynamic_cast<const failed_store_teller*>(steps.get());
  std::optional<failed_store> out;
  if (!teller) return out;
  const record_visitor look = [&](const step& x, const step_record& r) {
    const bool same = x.at == s.at && x.process == s.process && x.instance == s.instance && same_choices(r, record);
    if (same && !out) out = teller->last_failed_store();
  };
  before ? steps->successors_recorded(before, look) : steps->initial_recorded(look);
  return out;
}

std::string name_of(const ir::program& p, const ir::variable& v, std::uint64_t element) {
  std::string inside;
  if (element == failed_store::not_told) return v.name;
  for (std::size_t i = v.index.size(); i-- > 0;) {
    const auto& elements = p.sorts[v.index[i]].element;
    inside = elements[element % elements.size()] + (inside.empty() ? "" : ", ") + inside;
    element /= elements.size();
  }
  return inside.empty() ? v.name : fmt::format("{}({})", v.name, inside);
}

}  // namespace

std::string range_error_text(const transition_system& system, const word* before, const step& s, const step_record& record) {
  if (!is_failed_store(s)) return "";
  const std::optional<failed_store> failed = failure_of(system, before, s, record);
  if (!failed) return "";
  const ir::program& p = system.program();
  const ir::variable& v = p.variables[s.at->var];
  const ir::type& type = p.types[v.type];
  const std::string name = name_of(p, v, failed->element);
  // Of an option only that there is no code for the value is known.
  if (type.kind == ir::type_kind::integer)
    return fmt::format(": {} would be {}, beyond {}..{}", name, failed->value, type.low, type.high);
  if (type.kind == ir::type_kind::option && p.types[type.inner].kind == ir::type_kind::integer)
    return fmt::format(": {} would be beyond {}..{}", name, p.types[type.inner].low, p.types[type.inner].high);
  return fmt::format(": {} would be beyond its type", name);
}

std::string ending_text(const transition_system& system, const trace& run) {
  if (run.steps.empty()) return "";
  const trace_step& s = run.steps.back();
  const word* before = run.steps.size() < 2 ? nullptr : run.steps[run.steps.size() - 2].state.data();
  const step last{s.state.data(), s.outcome, s.kind, s.process, s.instance, 0, 0, s.at};
  return describe_ending(system.program(), last) + range_error_text(system, before, last, s.record);
}

}  // namespace quiesce
