// SPDX-License-Identifier: MIT
// The order of lowering: names, then every body once for its types alone, then the code of each process, then what could
// only be known at the end.

#include "model/system/lower.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/system/lower_code.hpp"
#include "model/system/lower_places.hpp"

namespace quiesce {

namespace lowering {

namespace {

constexpr std::size_t most_properties = 64;

void declare(symbols& s) {
  s.declare_sorts();
  s.declare_constants();
  s.declare_processes();
  s.declare_globals();
}

shared_lowering share(symbols& s, const monitors::monitor_set& m, bool dry) {
  shared_lowering all{s, s.b, m, nullptr, dry, {}, {}, {}, {}};
  for (std::uint32_t i = 0; i < m.events.size(); ++i) all.events[m.events[i].name] = i;
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) {
    const ast::process_decl& d = *s.processes[p];
    std::vector<sort_id> over;
    if (!d.params.empty()) over.push_back(s.sort_named(d.params[0].type[0].text, d.where).id);
    all.pc.push_back(s.b.variable(d.name, s.b.boolean(), over, ir::variable_kind::pc, p));
    all.bh_count.push_back(d.cpu.empty() || d.softirq
                               ? ir::nothing
                               : s.b.variable(d.name + ".bh", s.b.integer(0, 7), over, ir::variable_kind::hidden, p));
  }
  return all;
}

// Every procedure, handler, operation and process is checked, also those that this instance never reaches.
void check_types(const loaded_model& m, const instance& wanted, const monitors::monitor_set& set) {
  instance i = wanted;  // types do not depend on how many there are
  for (const auto& item : m.model.items)
    if (const auto* bound = std::get_if<ast::bound_decl>(&item); bound && i.scope.count(bound->name))
      if (i.scope.at(bound->name) == any_number) i.scope.erase(bound->name);
  for (auto& [name, n] : i.scope)
    if (n == any_number) n = 4;
  builder b;
  symbols s(m, i, b);
  declare(s);
  shared_lowering all = share(s, set, true);
  monitor_weaver weaver(all);
  all.weaver = &weaver;
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) process_code(all, p).lower_process(*s.processes[p]);
  if (s.processes.empty())
    throw diagnostic(m.model.where, "the model has no process", "a process, or an environment with one");
  for (const auto* d : s.items<ast::procedure_decl>()) process_code(all, 0).dry_procedure(*d);
  for (const auto* d : s.items<ast::operation_decl>()) process_code(all, 0).dry_operation(*d);
  for (const auto* d : s.items<ast::handler_decl>()) process_code(all, 0).dry_handler(*d);
}

ir::error_kind error_named(const std::string& name, source_range where) {
  for (std::uint32_t e = 0; e <= static_cast<std::uint32_t>(ir::error_kind::division); ++e)
    if (name == ir::name(static_cast<ir::error_kind>(e))) return static_cast<ir::error_kind>(e);
  throw diagnostic(where, fmt::format("there is no run-time error '{}'", name),
                   "range, list_corruption, endless_traversal, lock_misuse, value_of_none, assertion");
}

// A state property: its condition for all values of its binders, and defined.
expr_id state_condition(symbols& s, const ast::property& p, temp_id& temps) {
  expressions x(s);
  x.proving = true;
  x.names.open();
  ast::expr e = p.condition[0];
  if (!p.binders.empty()) {
    ast::expr q;
    q.kind = ast::expr_kind::quantified;
    q.text = p.kind == ast::property_kind::sometimes ? "some" : "all";
    q.where = e.where;
    q.binders = p.binders;
    q.args = {e};
    e = q;
  }
  const value v = x.condition(e);
  temps = std::max(temps, x.temps);
  return v.defined == ir::nothing ? v.e : s.b.both(v.defined, v.e);
}

void add_properties(symbols& s, const std::vector<const ast::property*>& wanted, const monitors::monitor_set& set) {
  temp_id temps = 1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ast::property& p = *wanted[i];
    ir::checked_property out;
    out.name = p.name;
    out.sometimes = p.kind == ast::property_kind::sometimes;
    // What must never happen has no trigger but its violation.
    out.has_trigger = !set.monitors[i].checks.empty() && !out.sometimes && p.kind != ast::property_kind::never;
    const bool on_state = p.kind == ast::property_kind::invariant || (out.sometimes && !p.condition.empty());
    if (on_state) out.invariant = state_condition(s, p, temps);
    for (const auto& e : p.errors) out.errors.push_back(error_named(e, p.where));
    s.b.program.properties.push_back(out);
  }
  s.b.program.invariant_temps = temps;
}

std::vector<std::string> add_lemmas(symbols& s, const std::vector<const ast::property*>& lemmas) {
  temp_id temps = s.b.program.invariant_temps;
  std::vector<std::string> left_out;
  for (const ast::property* p : lemmas) {
    const std::size_t questions = s.place_questions.size();
    try {
      s.b.program.lemmas.push_back({p->name, state_condition(s, *p, temps)});
    } catch (const not_in_this_instance&) {
      s.place_questions.resize(questions);
      left_out.push_back(p->name);
    }
  }
  s.b.program.invariant_temps = temps;
  return left_out;
}

// --- time ----------------------------------------------------------------------------------------------------------------

struct counter {
  variable_id var;
  std::vector<expr_id> index;
};

void each_element(builder& b, variable_id v, std::vector<counter>& out) {
  const ir::variable var = b.program.variables[v];
  const std::uint32_t n = var.index.empty() ? 1 : b.size(var.index[0]);
  for (std::uint32_t e = 0; e < n; ++e)
    out.push_back(
        {v, var.index.empty() ? std::vector<expr_id>{} : std::vector<expr_id>{b.constant(e, b.element(var.index[0]))}});
}

ir::instruction set_temp(temp_id t, expr_id e) {
  ir::instruction i;
  i.code = ir::operation::set_temp;
  i.temp = t;
  i.a = e;
  return i;
}

// Time passes where nothing else can: by the least remaining delay, which every armed timer and sleeper then loses.
ir::process clock_process(symbols& s, const std::vector<variable_id>& sleepers, variable_id pc) {
  builder& b = s.b;
  ir::process p;
  p.name = "time";
  p.only_when_stuck = true;
  p.pc = pc;
  p.temps = 2;
  std::vector<counter> all;
  for (const auto& [name, g] : s.globals)
    if (g.kind == global_kind::timer) each_element(b, g.var, all);
  for (const auto v : sleepers) each_element(b, v, all);
  const type_id delay = b.integer(0, s.horizon);
  const type_id wide = b.integer(0, s.horizon + 1);
  const expr_id least = b.temp(1, wide), none = b.constant(s.horizon + 1, wide);
  ir::instruction stop;
  ir::location l;
  l.entry = 1;
  l.resting = true;
  l.statement = "time passes";
  l.path = {{"time", "", "", ""}};
  p.locations.push_back(l);
  p.code.push_back(stop);
  p.code.push_back(set_temp(1, none));
  for (const auto& c : all) {
    const expr_id left = b.load(c.var, c.index);
    const expr_id armed =
        b.make(op::less, b.boolean(), {b.constant(1, b.type_of(left)), left});  // some(0) has expired already
    p.code.push_back(set_temp(
        1, b.make(op::select, wide, {armed, b.make(op::minimum, wide, {least, b.make(op::unwrap, delay, {left})}), least})));
  }
  ir::instruction wait;
  wait.code = ir::operation::await;
  wait.a = b.make(op::not_equal, b.boolean(), {least, none});
  p.code.push_back(wait);
  for (const auto& c : all) {
    const expr_id left = b.load(c.var, c.index);
    const type_id t = b.type_of(left);
    const expr_id less = b.make(op::wrap, t, {b.make(op::subtract, delay, {b.make(op::unwrap, delay, {left}), least})});
    ir::instruction i;
    i.code = ir::operation::set;
    i.var = c.var;
    i.index = c.index;
    i.a = b.make(op::select, t, {b.make(op::less, b.boolean(), {b.constant(1, t), left}), less, left});
    p.code.push_back(i);
  }
  const expr_id now = b.load(s.clock);
  ir::instruction inside;
  inside.code = ir::operation::jump_if;
  inside.a = b.make(op::less_equal, b.boolean(), {b.plus(now, least), b.number(s.horizon)});
  inside.target = static_cast<std::uint32_t>(p.code.size() + 2);
  p.code.push_back(inside);
  ir::instruction over;
  over.code = ir::operation::bound;
  over.which = static_cast<std::uint32_t>(ir::bound_kind::horizon);
  p.code.push_back(over);
  ir::instruction advance;
  advance.code = ir::operation::set;
  advance.var = s.clock;
  advance.a = b.plus(now, least);
  p.code.push_back(advance);
  p.code.push_back(stop);
  return p;
}

// The vocabulary speaks of sorts that a small model does not have.
bool has_sorts(const symbols& s, const monitors::value_type& t) {
  if (!t.sort.empty() && !s.sorts.count(t.sort)) return false;
  return t.inner.empty() || has_sorts(s, t.inner[0]);
}

// --- the end -------------------------------------------------------------------------------------------------------------

bool labels(const std::vector<ast::statement>& body, const std::string& name) {
  for (const auto& st : body) {
    if (st.at && st.at->label == name) return true;
    if (labels(st.body, name) || labels(st.otherwise, name)) return true;
    for (const auto& branch : st.branches)
      if (labels(branch, name)) return true;
  }
  return false;
}

// Somewhere in the model, if not in what this instance reaches.
bool has_label(const symbols& s, const std::string& name) {
  for (const auto* d : s.processes)
    if (labels(d->body, name)) return true;
  for (const auto* h : s.handlers) {
    if (h->name == name) return true;
    for (const auto& c : h->clauses)
      if (labels(c.body, name)) return true;
  }
  for (const auto& [n, d] : s.procedures)
    if (labels(d->body, name)) return true;
  for (const auto& [n, d] : s.operations)
    if (labels(d->begin, name) || labels(d->body, name) || labels(d->otherwise, name)) return true;
  return false;
}

std::string places_of(const ir::process& p) {
  std::set<std::string> all;
  for (const auto& l : p.locations) {
    for (const auto& f : l.path)
      if (!f.procedure.empty()) all.insert(f.procedure);
    all.insert(l.labels.begin(), l.labels.end());
  }
  return fmt::format("it has {}", fmt::join(all, ", "));
}

// Now the places of every process are known: the types of the program counters, and who is away from rest.
void finish(shared_lowering& all) {
  builder& b = all.b;
  for (std::uint32_t p = 0; p < b.program.processes.size(); ++p) {
    std::vector<std::string> labels;
    for (std::size_t l = 0; l < b.program.processes[p].locations.size(); ++l)
      labels.push_back(fmt::format("{}#{}", b.program.processes[p].name, l));
    b.program.variables[b.program.processes[p].pc].type = b.enumeration(labels);
  }
  for (const auto& a : all.pending) {
    const ir::process& p = b.program.processes[a.process];
    const expr_id pc = b.load(p.pc, p.over == ir::nothing ? std::vector<expr_id>{} : std::vector<expr_id>{a.element});
    expr_id rests = b.truth(false);
    for (std::size_t l = 0; l < p.locations.size(); ++l)
      if (p.locations[l].resting)
        rests = b.either(rests, b.equal(pc, b.constant(static_cast<std::int64_t>(l), b.type_of(pc))));
    b.patch(a.reserved, b.negated(rests));
  }
  for (const auto& e : all.s.end_questions) {
    const ir::process& p = b.program.processes[e.process];
    const expr_id pc = b.load(p.pc, p.over == ir::nothing ? std::vector<expr_id>{} : std::vector<expr_id>{e.element});
    expr_id ended = b.truth(false);
    for (std::size_t l = 0; l < p.locations.size(); ++l)
      if (p.locations[l].ended)
        ended = b.either(ended, b.equal(pc, b.constant(static_cast<std::int64_t>(l), b.type_of(pc))));
    b.patch(e.reserved, ended);
  }
  std::map<expr_id, place_set> places;
  for (const auto& e : all.s.place_questions) {
    const ir::process& p = b.program.processes[e.process];
    place_set there{e.process, e.element, {}};
    for (std::size_t l = 0; l < p.locations.size(); ++l)
      if (is_inside(p.locations[l], e.name)) there.locations.insert(l);
    if (there.locations.empty() && !is_place(all.s, e.name))
      throw diagnostic(e.where, fmt::format("process '{}' is never inside '{}'", p.name, e.name), places_of(p));
    places.emplace(e.reserved, std::move(there));
  }
  patch_places(b, std::move(places));
  if (b.parametrised()) return;
  for (const auto& space : all.s.spaces) b.patch(space.size, b.number(b.size(space.sort)));
  for (const auto& v : all.b.program.variables)
    if (b.type(v.type).kind == ir::type_kind::set && b.size(b.type(v.type).sort) > 64)
      throw diagnostic(fmt::format("'{}' would be a set of more than 64 elements", v.name));
}

}  // namespace

bool is_inside(const ir::location& l, const std::string& name) {
  if (name == "end") return l.ended;
  for (const auto& f : l.path)
    if (f.procedure == name) return true;
  return std::find(l.labels.begin(), l.labels.end(), name) != l.labels.end();
}

bool is_place(const symbols& s, const std::string& name) {
  return s.procedures.count(name) || s.operations.count(name) || has_label(s, name);
}

lowered lower_with(const loaded_model& m, const instance& i, const std::vector<const ast::property*>& properties,
                   const std::vector<const ast::property*>& lemmas, const addition& add) {
  if (properties.size() > most_properties) throw diagnostic("more than 64 properties at once");
  const monitors::monitor_set set = monitors::compile(m.vocabulary, properties);
  check_types(m, i, set);
  builder b;
  symbols s(m, i, b);
  declare(s);
  shared_lowering all = share(s, set, false);
  monitor_weaver weaver(all);
  all.weaver = &weaver;
  for (const auto& e : set.events) {
    ir::event out;
    out.name = e.name;
    for (const auto& t : e.params)
      if (has_sorts(s, t)) out.params.push_back(all.event_type(t, {}));  // else no statement can emit it
    b.program.events.push_back(out);
  }
  std::vector<variable_id> sleepers;
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) {
    process_code code(all, p);
    code.lower_process(*s.processes[p]);
    sleepers.insert(sleepers.end(), code.sleepers().begin(), code.sleepers().end());
    b.program.processes.push_back(code.take());
  }
  if (s.urgent) {
    const variable_id pc =
        b.variable("time", b.boolean(), {}, ir::variable_kind::pc, static_cast<std::uint32_t>(s.processes.size()));
    b.program.processes.push_back(clock_process(s, sleepers, pc));
  }
  process_code init(all, ir::nothing);
  init.lower_init();
  weaver.ghost_init(init, s.items<ast::ghost_init_decl>());
  init.reset_locals();
  ir::instruction stop;
  init.emit(stop);
  ir::process code = init.take();
  b.program.init = std::move(code.code);
  b.program.init_temps = code.temps;
  add_properties(s, properties, set);
  std::vector<std::string> left_out = add_lemmas(s, lemmas);
  if (add) add(all, weaver);
  finish(all);
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) reset_dead_locals(b, b.program.processes[p], p);
  return {std::move(b.program), s.scope, std::move(left_out)};
}

}  // namespace lowering

lowered lower(const loaded_model& m, const instance& i, const std::vector<const ast::property*>& properties,
              const std::vector<const ast::property*>& lemmas) {
  for (const ast::property* p : properties)
    if (p->kind == ast::property_kind::leads_to)
      throw diagnostic(p->where, fmt::format("'{}' is about runs without end: only the exploration of all states decides it", p->name),
                       "`quiesce check` does, in a finite scope");
  return lowering::lower_with(m, i, properties, lemmas, {});
}

}  // namespace quiesce
