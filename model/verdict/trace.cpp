// SPDX-License-Identifier: MIT
#include "model/verdict/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace quiesce {
namespace {

bool observable(const ir::variable& v, bool initial, bool locals) {
  switch (v.kind) {
    case ir::variable_kind::global:
    case ir::variable_kind::ghost:
      return true;
    case ir::variable_kind::rigid:
      return initial;
    case ir::variable_kind::local:
      return locals && !initial;
    default:
      return false;
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
  for (std::size_t i = 0; i < index.size(); ++i) text += (i ? ", " : "(") + program.sorts[v.index[i]].element[index[i]];
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
  for (const recorded_choice& c : record.choices) {
    const std::string value = choice_value(program, c);
    const std::string what = c.note == ir::nothing ? "choice" : program.strings[c.note];
    to.choices.push_back({what, value, c.sort == ir::nothing ? "" : fmt::format("{} = {}", what, value)});
  }
  for (const recorded_event& e : record.events) {
    const ir::event& declared = program.events[e.event];
    trace_event event{declared.name, {}};
    const std::size_t count = std::min(e.args.size(), declared.params.size());  // the end of a span declares no arguments
    for (std::size_t i = 0; i < count; ++i) event.args.push_back(print_value(program, declared.params[i], e.args[i]));
    to.events.push_back(std::move(event));
  }
}

// "home" of "home(dev0)", "k" of "grow.k".
std::string_view base_name(std::string_view variable) {
  variable = variable.substr(0, variable.find('('));
  const std::size_t dot = variable.rfind('.');
  return dot == std::string_view::npos ? variable : variable.substr(dot + 1);
}

// A choice of a number is a position in a range: where the variable that took it is still there, show that instead.
void show_choices(const std::vector<trace_change>& found, std::vector<trace_choice>& choices) {
  for (trace_choice& c : choices) {
    if (!c.shown.empty()) continue;
    for (const trace_change& change : found)
      if (base_name(change.variable) == c.what)
        c.shown += fmt::format("{}{} = {}", c.shown.empty() ? "" : ", ", c.what, change.after);
  }
}

// The variables that some step or invariant reads. What an option that is off leaves without a reader says nothing of a run.
std::set<std::string_view> names_read(const ir::program& program) {
  std::vector<char> seen(program.exprs.size(), 0);
  std::vector<ir::expr_id> todo;
  const auto add = [&](ir::expr_id e) {
    if (e != ir::nothing && !seen[e]) todo.push_back(e), seen[e] = 1;
  };
  for (const ir::process& p : program.processes)
    for (const ir::instruction& i : p.code) {
      add(i.a);
      for (ir::expr_id e : i.index) add(e);
      for (ir::expr_id e : i.args) add(e);
    }
  for (const ir::checked_property& p : program.properties) add(p.invariant);
  std::set<std::string_view> names;
  while (!todo.empty()) {
    const ir::expr& e = program.exprs[todo.back()];
    todo.pop_back();
    if (e.var != ir::nothing) names.insert(base_name(program.variables[e.var].name));
    for (ir::expr_id kid : e.kids) add(kid);
  }
  return names;
}

// The variables of an initial state that were chosen, each element once.
void show_initial_choices(const ir::program& program, const std::vector<trace_change>& found,
                          std::vector<trace_choice>& choices) {
  const std::set<std::string_view> read = names_read(program);
  for (trace_choice& c : choices) c.shown.clear();
  for (trace_choice& c : choices) {
    const auto same = [&](const trace_choice& other) { return other.what == c.what && !other.shown.empty(); };
    if (std::any_of(choices.begin(), choices.end(), same)) continue;
    for (const trace_change& change : found) {
      const std::string line = fmt::format("{} = {}\n", change.variable, change.after);  // a ghost may have the same name
      if (base_name(change.variable) == c.what && read.count(c.what) && c.shown.find(line) == std::string::npos)
        c.shown += line;
    }
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
  const std::vector<trace_change> all = changes(system, before, done.state, true);
  out.changes = locals || !before ? all : changes(system, before, done.state, false);
  if (done.process == ir::nothing) {
    show_initial_choices(program, all, out.choices);
    return out;
  }
  show_choices(all, out.choices);
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
    case step_outcome::state:
      return "";
    case step_outcome::error: {
      const std::string kind = ir::name(static_cast<ir::error_kind>(s.kind));
      const bool noted = s.at && s.at->note != ir::nothing;
      return noted ? fmt::format("error {}: {}", kind, program.strings[s.at->note]) : "error " + kind;
    }
    case step_outcome::bound:
      return fmt::format("bound {} reached", ir::name(static_cast<ir::bound_kind>(s.kind)));
    case step_outcome::stuck:
      return "deadlock of " + process_name(program, s.process, s.instance);
  }
  return "";
}

}  // namespace quiesce
