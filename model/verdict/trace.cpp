// SPDX-License-Identifier: MIT
#include "model/verdict/trace.hpp"

#include <fmt/format.h>

namespace quiesce {
namespace {

bool observable(const ir::variable& v, bool initial, bool locals) {
  switch (v.kind) {
    case ir::variable_kind::global:
    case ir::variable_kind::ghost: return true;
    case ir::variable_kind::rigid: return initial;
    case ir::variable_kind::local: return locals && !initial;
    default: return false;
  }
}

// Calls visit(index) for each element of the variable's table, in the order of its slots.
template <class F>
void for_each_index(const ir::program& program, const ir::variable& v, F visit) {
  std::vector<std::uint32_t> index(v.index.size(), 0);
  const std::uint64_t count = ir::element_count(program, v);
  for (std::uint64_t n = 0; n < count; ++n) {
    visit(index);
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < program.sorts[v.index[i]].element.size()) break;
      index[i] = 0;
    }
  }
}

std::string indexed_name(const ir::program& program, const ir::variable& v, const std::vector<std::uint32_t>& index) {
  std::string text = v.name;
  for (std::size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "(") + program.sorts[v.index[i]].element[index[i]];
  return index.empty() ? text : text + ")";
}

std::vector<trace_change> changes(const transition_system& system, const word* before, const word* after, bool locals) {
  const ir::program& program = system.program();
  std::vector<trace_change> found;
  for (ir::variable_id id = 0; id < program.variables.size(); ++id) {
    const ir::variable& v = program.variables[id];
    if (!observable(v, before == nullptr, locals)) continue;
    for_each_index(program, v, [&](const std::vector<std::uint32_t>& index) {
      const std::int64_t now = read_variable(system, after, id, index);
      const std::int64_t then = before ? read_variable(system, before, id, index) : now;
      if (before && then == now) return;
      found.push_back({indexed_name(program, v, index), before ? print_value(program, v.type, then) : "",
                       print_value(program, v.type, now)});
    });
  }
  return found;
}

std::string choice_value(const ir::program& program, const recorded_choice& choice) {
  if (choice.sort == ir::nothing) return std::to_string(choice.value);
  return program.sorts[choice.sort].element.at(static_cast<std::size_t>(choice.value));
}

void add_record(const ir::program& program, const step_record& record, step_text& to) {
  for (const recorded_choice& c : record.choices)
    to.choices.push_back({c.note == ir::nothing ? "choice" : program.strings[c.note], choice_value(program, c)});
  for (const recorded_event& e : record.events) {
    const ir::event& declared = program.events[e.event];
    trace_event event{declared.name, {}};
    for (std::size_t i = 0; i < e.args.size(); ++i) event.args.push_back(print_value(program, declared.params[i], e.args[i]));
    to.events.push_back(std::move(event));
  }
}

}  // namespace

std::string process_name(const ir::program& program, std::uint32_t process, std::uint32_t instance) {
  const ir::process& p = program.processes[process];
  return p.over == ir::nothing ? p.name : fmt::format("{}({})", p.name, program.sorts[p.over].element[instance]);
}

step_text describe(const transition_system& system, const word* before, const step& done, const step_record& record,
                    bool locals) {
  const ir::program& program = system.program();
  step_text out;
  add_record(program, record, out);
  out.changes = changes(system, before, done.state, locals);
  if (done.process == ir::nothing) return out;
  const ir::process& process = program.processes[done.process];
  std::vector<std::uint32_t> index;
  if (process.over != ir::nothing) index.push_back(done.instance);
  const auto at = static_cast<std::size_t>(read_variable(system, before, process.pc, index));
  const ir::location& location = process.locations.at(at);
  out.process = process_name(program, done.process, done.instance);
  out.statement = location.statement;
  out.where = location.where;
  out.path = location.path;
  return out;
}

std::string describe_ending(const ir::program& program, const step& s) {
  switch (s.outcome) {
    case step_outcome::state: return "";
    case step_outcome::error: {
      const std::string kind = ir::name(static_cast<ir::error_kind>(s.kind));
      const bool noted = s.at && s.at->note != ir::nothing;
      return noted ? fmt::format("error {}: {}", kind, program.strings[s.at->note]) : "error " + kind;
    }
    case step_outcome::bound: return fmt::format("bound {} reached", ir::name(static_cast<ir::bound_kind>(s.kind)));
    case step_outcome::stuck: return "deadlock of " + process_name(program, s.process, s.instance);
  }
  return "";
}

}  // namespace quiesce
