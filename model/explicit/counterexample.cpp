// SPDX-License-Identifier: MIT
#include "model/explicit/counterexample.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace quiesce {

namespace {

std::uint32_t location_of(const transition_system& s, const word* state, std::uint32_t process, std::uint32_t instance) {
  if (process == ir::nothing) return 0;
  const ir::process& q = s.program().processes[process];
  if (q.pc == ir::nothing) return 0;
  return static_cast<std::uint32_t>(get(state, s.state_layout().slots()[s.program().variables[q.pc].first_slot + instance]));
}

trace_step labelled(const transition_system& s, const word* before, const step& x, const step_record& record) {
  trace_step out;
  out.process = x.process;
  out.instance = x.instance;
  out.outcome = x.outcome;
  out.kind = x.kind;
  out.violated = x.violated;
  out.marked = x.marked;
  out.at = x.at;
  out.record = record;
  out.state.assign(x.state, x.state + s.state_layout().words());
  if (before) {
    out.from = location_of(s, before, x.process, x.instance);
    out.changes = differences(s, before, x.state);
  }
  out.to = location_of(s, x.state, x.process, x.instance);
  return out;
}

std::optional<trace_step> first_accepted(const transition_system& s, const word* before, stepper& steps,
                                         const step_filter& accept) {
  struct enough {};
  std::optional<trace_step> found;
  const auto visit = [&](const step& x, const step_record& record) {
    if (!accept(x)) return;
    found = labelled(s, before, x, record);
    throw enough{};
  };
  try {
    before ? steps.successors_recorded(before, visit) : steps.initial_recorded(visit);
  } catch (const enough&) {
  }
  return found;
}

}  // namespace

trace run_trace(const transition_system& s, const std::vector<step_filter>& filters) {
  trace out;
  auto stepper = s.make_stepper();
  for (const step_filter& accept : filters) {
    const word* before = out.steps.empty() ? nullptr : out.steps.back().state.data();
    auto next = first_accepted(s, before, *stepper, accept);
    if (!next) throw std::logic_error("a counterexample does not replay");
    out.steps.push_back(std::move(*next));
  }
  return out;
}

std::vector<change> differences(const transition_system& s, const word* before, const word* after) {
  std::vector<change> out;
  const ir::program& p = s.program();
  const auto& slots = s.state_layout().slots();
  for (ir::variable_id v = 0; v < p.variables.size(); ++v) {
    const ir::variable& x = p.variables[v];
    if (x.kind == ir::variable_kind::pc) continue;
    std::uint64_t n = ir::element_count(p, x);
    std::int64_t low = ir::low(p, x.type);
    for (std::uint64_t i = 0; i < n; ++i) {
      word a = get(before, slots[x.first_slot + i]), b = get(after, slots[x.first_slot + i]);
      if (a == b) continue;
      std::vector<std::uint32_t> index(x.index.size());
      std::uint64_t rest = i;
      for (std::size_t k = index.size(); k-- > 0;) {
        std::uint64_t size = p.sorts[x.index[k]].element.size();
        index[k] = static_cast<std::uint32_t>(rest % size);
        rest /= size;
      }
      out.push_back({v, std::move(index), static_cast<std::int64_t>(a) + low, static_cast<std::int64_t>(b) + low});
    }
  }
  return out;
}

bool replays(const transition_system& s, const trace& t) {
  auto stepper = s.make_stepper();
  const word* before = nullptr;
  for (const trace_step& wanted : t.steps) {
    bool found = false;
    auto visit = [&](const step& x) {
      found = found || (x.process == wanted.process && x.instance == wanted.instance && x.outcome == wanted.outcome &&
                        x.kind == wanted.kind && x.violated == wanted.violated && x.marked == wanted.marked &&
                        std::equal(wanted.state.begin(), wanted.state.end(), x.state));
    };
    if (before)
      stepper->successors(before, visit);
    else
      stepper->initial(visit);
    if (!found) return false;
    before = wanted.state.data();
  }
  return !t.steps.empty();
}

}  // namespace quiesce
