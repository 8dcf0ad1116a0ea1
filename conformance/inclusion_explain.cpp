// SPDX-License-Identifier: MIT
// What a mismatch says: what the model would allow, and why each process does not do what came.

#include <algorithm>

#include <fmt/format.h>

#include "conformance/inclusion_internal.hpp"
#include "model/explicit/counterexample.hpp"
#include "model/verdict/trace.hpp"

namespace quiesce::conformance {

namespace {

std::string text_of(const seen_value& v) {
  if (v.what == seen_value::kind::unknown) return "_";
  if (v.what == seen_value::kind::none) return "none";
  if (v.what == seen_value::kind::value) return std::to_string(v.value);
  return fmt::format("{{{}}}", fmt::join(v.members, ", "));
}

std::string kernel_of(const ir::location& l) {
  for (std::size_t i = l.path.size(); i-- > 0;) {
    const ir::frame& f = l.path[i];
    if (f.kernel_function.empty()) continue;
    return fmt::format("{} ({}{}{})", f.kernel_function, f.kernel_file, f.kernel_version.empty() ? "" : ", ",
                       f.kernel_version);
  }
  return {};
}

const ir::location& location_of(const transition_system& s, const word* state, process_place at) {
  const ir::process& p = s.program().processes[at.process];
  std::vector<std::uint32_t> index;
  if (p.over != ir::nothing) index.push_back(at.instance);
  return p.locations.at(static_cast<std::size_t>(read_variable(s, state, p.pc, index)));
}

// The instructions of the step behind a location, in the order of a walk over its branches.
std::vector<const ir::instruction*> step_code(const ir::process& p, const ir::location& l) {
  std::vector<const ir::instruction*> out;
  std::vector<bool> met(p.code.size());
  std::vector<std::uint32_t> todo = {l.entry};
  while (!todo.empty()) {
    const std::uint32_t at = todo.back();
    todo.pop_back();
    if (at >= p.code.size() || met[at]) continue;
    met[at] = true;
    const ir::instruction& i = p.code[at];
    out.push_back(&i);
    using enum ir::operation;
    if (i.code == stop || i.code == error || i.code == bound || i.code == stuck) continue;
    if (i.code == jump || i.code == jump_if) todo.push_back(i.target);
    if (i.code != jump) todo.push_back(at + 1);
  }
  return out;
}

const ir::instruction* first_wait(const ir::process& p, const ir::location& l) {
  for (const ir::instruction* i : step_code(p, l))
    if (i->code == ir::operation::await) return i;
  return nullptr;
}

// What the process would show next from the state: the first visible event of each of its steps.
struct next_steps {
  std::size_t count = 0;
  bool hidden = false;
  std::vector<model_event> shown;
};

next_steps next_of(const stuck_point& s, std::optional<process_place> only) {
  next_steps out;
  if (s.at.ended != 0) return out;
  s.system.make_stepper()->successors_recorded(s.at.state.data(), [&](const step& done, const step_record& record) {
    const process_place by{done.process, done.instance};
    if (only && by != *only) return;
    ++out.count;
    for (const recorded_event& e : record.events)
      if (s.visible[e.event]) return out.shown.push_back({e.event, by, e.args});
    out.hidden = out.hidden || done.outcome == step_outcome::state;
  });
  return out;
}

std::string guard_text(const stuck_point& s, const next_steps& next) {
  std::vector<std::string> same, other;
  for (const model_event& e : next.shown)
    (s.came != nullptr && e.event == s.came->event ? same : other).push_back(conformance::text_of(s.system.program(), e));
  for (auto* list : {&same, &other}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  if (!same.empty()) return fmt::format("does it for other arguments or another task: {}", fmt::join(same, " or "));
  if (!other.empty()) return fmt::format("does {} first", fmt::join(other, " or "));
  return "its next step shows nothing";
}

}  // namespace

std::string text_of(const seen_event& e) {
  std::string args;
  for (const seen_value& v : e.args) args += (args.empty() ? "" : ", ") + text_of(v);
  return fmt::format("{}{}({})", e.task ? fmt::format("[task {}] ", *e.task) : "", e.name, args);
}

std::string text_of(const ir::program& p, const model_event& e) {
  std::string args;
  for (std::size_t i = 0; i < e.args.size(); ++i)
    args += (args.empty() ? "" : ", ") + print_value(p, p.events[e.event].params[i], e.args[i]);
  return fmt::format("[{}] {}({})", process_name(p, e.by.process, e.by.instance), p.events[e.event].name, args);
}

allowed_event describe_allowed(const transition_system& s, const model_event& e, const word* before) {
  allowed_event out{
      text_of(s.program(), e), process_name(s.program(), e.by.process, e.by.instance), "(the step is taken already)", {}};
  if (before == nullptr) return out;
  const ir::location& l = location_of(s, before, e.by);
  out.statement = l.statement;
  out.kernel = kernel_of(l);
  return out;
}

bool has_hidden_step(const stuck_point& s) { return next_of(s, std::nullopt).hidden; }

std::vector<refusal> refusals(const stuck_point& s) {
  std::vector<refusal> out;
  for (std::uint32_t number = 0; number < s.names.processes(); ++number) {
    const process_place at = s.names.process_at(number);
    const ir::process& p = s.system.program().processes[at.process];
    const ir::location& l = location_of(s.system, s.at.state.data(), at);
    if (l.ended) continue;
    refusal r{process_name(s.system.program(), at.process, at.instance), l.statement, {}, false, l.where, kernel_of(l)};
    for (const model_event& e : s.at.pending)
      if (e.by == at && r.guard.empty()) r.guard = "has yet to show " + text_of(s.system.program(), e);
    const next_steps next = next_of(s, at);
    if (r.guard.empty() && next.count > 0) r.guard = guard_text(s, next);
    if (r.guard.empty() && next.count == 0) {
      const ir::instruction* wait = first_wait(p, l);
      r.waits = wait != nullptr;
      if (wait != nullptr && wait->where.end > wait->where.begin) r.where = wait->where;
      r.guard = wait != nullptr ? "waits: its condition is false" : l.resting ? "rests" : "has no step";
    }
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<std::string> state_text(const stuck_point& s) {
  std::vector<std::string> out;
  const ir::program& p = s.system.program();
  for (const change& c : differences(s.system, s.start.data(), s.at.state.data())) {
    const ir::variable& v = p.variables[c.variable];
    if (v.kind == ir::variable_kind::monitor || v.kind == ir::variable_kind::hidden || v.kind == ir::variable_kind::local)
      continue;
    std::string index;
    for (std::size_t i = 0; i < c.index.size(); ++i)
      index += (index.empty() ? "" : ", ") + p.sorts[v.index[i]].element[c.index[i]];
    out.push_back(fmt::format("{}{} = {}", v.name, index.empty() ? "" : "(" + index + ")", print_value(p, v.type, c.after)));
  }
  return out;
}

std::string explain(const inclusion_result& r, const std::vector<seen_event>& trace, const place_text& place,
                    std::size_t context) {
  if (r.verdict == inclusion_verdict::included) return {};
  std::string out = fmt::format("{}: {} of {} events are a run of the model\n", name(r.verdict), r.matched, trace.size());
  if (!r.reason.empty()) out += "  " + r.reason + "\n";
  for (std::size_t i = r.matched - std::min(r.matched, context); i < r.matched; ++i)
    out += fmt::format("  {:>5}  {}\n", i + 1, text_of(trace[i]));
  out += r.matched < trace.size()
             ? fmt::format("  {:>5}  {}   <- no run of the model goes on so\n", r.matched + 1, text_of(trace[r.matched]))
             : std::string("         (the end)   <- no run of the model comes to rest here\n");
  if (!r.allowed.empty()) out += "the model would allow\n";
  for (const allowed_event& a : r.allowed)
    out += fmt::format("  {}   at `{}`{}\n", a.event, a.statement, a.kernel.empty() ? "" : " in " + a.kernel);
  if (!r.refused.empty()) out += "who refuses what came\n";
  for (const refusal& f : r.refused) {
    out += fmt::format("  {} at `{}`{}: {}\n", f.process, f.statement, f.kernel.empty() ? "" : " in " + f.kernel, f.guard);
    if (place) out += fmt::format("    {}\n", place(f.where));
  }
  if (!r.state.empty()) out += "the state there\n";
  for (const std::string& s : r.state) out += "  " + s + "\n";
  return out;
}

}  // namespace quiesce::conformance
