// SPDX-License-Identifier: MIT
// Calls, notifier chains, spans and operations: where one body is put into another.

#include <algorithm>

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

using k = ast::expr_kind;

namespace {
constexpr std::size_t most_nested_calls = 200;
}

// --- procedures ----------------------------------------------------------------------------------------------------------

void process_code::call(const ast::statement& st) {
  const bool has_result = st.kind != ast::statement_kind::call;
  const std::string result = st.kind == ast::statement_kind::let_call ? st.name : has_result ? st.target[0].text : "";
  if (!has_result && (list_statement(st) || container_statement(st) || lock_statement(st) || timer_statement(st))) return;
  if (has_result && try_lock(st, result)) return;
  const auto it = s.procedures.find(st.text);
  if (it == s.procedures.end()) throw diagnostic(st.where, fmt::format("there is no procedure '{}'", st.text));
  if (has_result && it->second->result.empty()) throw diagnostic(st.where, fmt::format("'{}' returns no value", st.text));
  expand(*it->second, st);
}

// A parameter stands for its argument where that cannot change during the call and is in range; else for a copy made at the
// call.
binding process_code::bind_scalar(const std::string& name, const value& v, type_id declared, const ast::statement& st) {
  binding out;
  const ir::type& to = b.type(declared);
  const bool fits = to.kind != ir::type_kind::integer || (b.type(v.type).low >= to.low && b.type(v.type).high <= to.high);
  if (v.fx.stable && !v.fx.binds && v.defined == ir::nothing && fits) {
    out.alias = v;
    out.alias.fx = {};
    return out;
  }
  if (v.fx.shared)
    begin_step(st);
  else
    check_guards(v.fx, st.where);
  check_value(v, st.where);
  variable_id copy;
  out.alias.e = local(name, declared, &copy);
  out.alias.type = declared;
  set(copy, self_index(), v.e, st.where);
  return out;
}

binding process_code::bind_sequence(const std::string& name, const resolved_type& t, const ast::expr& e,
                                    const ast::statement& st) {
  binding out;
  out.kind = binding_kind::sequence;
  out.alias.type = t.type;
  if (e.kind == k::name || e.kind == k::apply) {
    const value v = x.lower(e);
    if (!v.sequence) throw diagnostic(e.where, "a sequence is expected here");
    if (!x.same_type(v.sequence->member, t.type))
      throw diagnostic(e.where, fmt::format("a sequence of {} is expected", x.type_name(t.type)));
    if (v.fx.stable) {
      out.alias.sequence = *v.sequence;
      return out;
    }
  }
  const sequence_place copy = local_sequence(name, t.type, t.capacity, t.queue);
  assign_sequence(copy, e, st);
  out.alias.sequence = copy;
  return out;
}

binding process_code::bind_argument(const ast::param& p, const ast::expr& e, const ast::statement& st) {
  binding out;
  if (p.kind == ast::param_kind::event) {
    if (e.kind != k::name) throw diagnostic(e.where, "an event's name is expected here");
    out.kind = binding_kind::event;
    out.event = event_name(e.text);
    if (out.event != unknown_event && !shared.events.count(out.event))
      throw diagnostic(e.where, fmt::format("there is no event '{}'", e.text));
    return out;
  }
  if (p.kind == ast::param_kind::reference) {
    const auto r = x.list_place(e);
    if (s.spaces[r.space].name != p.node) throw diagnostic(e.where, fmt::format("a list of '{}' is expected here", p.node));
    if (r.fx.shared)
      begin_step(st);
    else
      check_guards(r.fx, e.where);
    out.kind = binding_kind::head;
    out.space = r.space;
    out.address = settled_address(p.name, r, st);
    return out;
  }
  const resolved_type t = s.resolve(p.type[0]);
  if (t.sequence) return bind_sequence(p.name, t, e, st);
  return bind_scalar(p.name, x.coerce(x.lower(e, t.type), t.type, e.where), t.type, st);
}

process_code::names process_code::bind_params(const std::vector<ast::param>& params, const ast::statement& st) {
  if (st.args.size() != params.size())
    throw diagnostic(st.where, fmt::format("'{}' takes {} argument{}, not {}", st.text, params.size(),
                                           params.size() == 1 ? "" : "s", st.args.size()));
  names out;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!out.emplace(params[i].name, bind_argument(params[i], st.args[i], st)).second)
      throw diagnostic(params[i].where, fmt::format("two parameters are called '{}'", params[i].name));
  return out;
}

// The body of a procedure sees its parameters and the globals, nothing of the caller.
void process_code::enter(const std::string& name, const std::optional<ast::anchor>& at, names params,
                         const std::function<void()>& body) {
  auto caller = x.names.exchange();
  open_scope();
  for (auto& [n, b_] : params)
    if (n != "_") x.names.bind(n, std::move(b_));
  path_.push_back(frame_of(name, at));
  const std::vector<loop> loops = std::move(loops_);
  loops_.clear();
  body();
  loops_ = loops;
  path_.pop_back();
  close_scope();
  x.names.exchange(std::move(caller));
}

void process_code::inline_body(const std::string& name, const std::optional<ast::anchor>& at, names params,
                               const std::vector<ast::statement>& body) {
  enter(name, at, std::move(params), [&] {
    code_label leave;
    calls_.push_back({&leave, cleanups_.size(), std::nullopt, ir::nothing});
    block(body);
    calls_.pop_back();
    const bool fresh = fresh_ && leave.uses.empty();
    bind(leave);
    fresh_ = fresh;
  });
}

void process_code::expand(const ast::procedure_decl& d, const ast::statement& st) {
  open_scope();
  names params = bind_params(d.params, st);
  std::optional<type_id> result_type;
  variable_id result = ir::nothing;
  expr_id result_value = ir::nothing;
  if (!d.result.empty()) {
    const resolved_type t = s.resolve(d.result[0]);
    if (t.sequence) throw diagnostic(d.result[0].where, "a procedure returns a scalar");
    result_type = t.type;
    result_value = local(d.name + ".result", t.type, &result);
    set(result, self_index(), b.constant(b.low(t.type), t.type), st.where);
  }
  const auto running = std::count(active_.begin(), active_.end(), d.name);
  if (!shared.dry) {
    if (running > 0 && d.recursive.empty())
      throw diagnostic(st.where,
                       fmt::format("'{}' calls itself (by way of {}) without being recursive", d.name, active_.back()),
                       "proc NAME(…) recursive N");
    if (!d.recursive.empty() && running >= s.integer_constant(d.recursive[0])) {
      bound(ir::bound_kind::recursion, fmt::format("'{}' is called more than {} deep", d.name, running), st.where);
    } else {
      active_.push_back(d.name);
      enter(d.name, d.at, std::move(params), [&] {
        code_label leave;
        calls_.push_back({&leave, cleanups_.size(), result_type, result});
        block(d.body);
        calls_.pop_back();
        const bool fresh = fresh_ && leave.uses.empty();
        bind(leave);
        if (leave.uses.empty()) fresh_ = fresh;
      });
      active_.pop_back();
    }
  }
  if (result_type && live_) {
    if (st.kind == ast::statement_kind::let_call) {
      binding name;
      name.kind = binding_kind::local;
      name.assignable = true;
      close_scope();
      name.alias.e = local(st.name, *result_type, &name.local);
      name.alias.type = *result_type;
      set(name.local, self_index(), result_value, st.where);
      x.names.bind(st.name, name);
      return;
    }
    if (st.kind == ast::statement_kind::assign_call) {
      const binding* l = x.names.find(st.target[0].text);
      if (!l || l->kind != binding_kind::local || !x.same_type(l->alias.type, *result_type))
        throw diagnostic(st.target[0].where,
                         fmt::format("'{}' is not a local of type {}", st.target[0].text, x.type_name(*result_type)));
      set(l->local, self_index(), result_value, st.where);
    }
  }
  close_scope();
}

// --- events --------------------------------------------------------------------------------------------------------------

type_id shared_lowering::event_type(const monitors::value_type& t, source_range where) const {
  switch (t.kind) {
    case monitors::value_kind::boolean:
      return b.boolean();
    case monitors::value_kind::integer:
      return b.integer(t.low, t.high);
    case monitors::value_kind::element:
      return b.element(s.sort_named(t.sort, where).id);
    case monitors::value_kind::set:
      return b.set(s.sort_named(t.sort, where).id);
    case monitors::value_kind::option:
      return b.option(event_type(t.inner[0], where));
  }
  return b.boolean();
}

std::string process_code::event_name(const std::string& name) const {
  const binding* l = x.names.find(name);
  return l && l->kind == binding_kind::event ? l->event : name;
}

std::vector<expr_id> process_code::event_args(const std::string& event, const ast::statement& st, effects& fx) {
  if (event == unknown_event) {
    for (const auto& a : st.args) x.lower(a);
    return {};
  }
  const auto it = shared.events.find(event);
  if (it == shared.events.end())
    throw diagnostic(st.where, fmt::format("there is no event '{}'", event), "properties/events.prop lists the events");
  const auto& params = shared.monitors.events[it->second].params;
  if (params.size() != st.args.size())
    throw diagnostic(st.where, fmt::format("'{}' takes {} argument{}", event, params.size(), params.size() == 1 ? "" : "s"));
  std::vector<expr_id> out;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const type_id t = shared.event_type(params[i], st.args[i].where);
    const value v = x.coerce(x.lower(st.args[i], t), t, st.args[i].where);
    check_value(v, st.args[i].where);
    fx.add(v.fx);
    out.push_back(v.e);
    if (!v.fx.binds) continue;  // its bound variable must not meet those of the monitors: evaluated once, here
    const temp_id saved = x.take_temp();
    set_temp(saved, v.e);
    out.back() = b.temp(saved, v.type);
  }
  return out;
}

void process_code::emit_event(const std::string& event, const std::vector<expr_id>& args, source_range where) {
  if (!live_ || event == unknown_event) return;
  const std::uint32_t number = shared.events.at(event);
  ir::instruction i;
  i.code = ir::operation::emit;
  i.which = number;
  i.args = args;
  i.where = where;
  emit(i);
  if (!shared.dry) shared.weaver->weave(*this, number, args, where);
}

void process_code::emit_statement(const ast::statement& st) {
  refuse_event_in_init(st);
  begin_step(st);
  effects fx;
  const temp_id mark = x.next_temp;
  const std::string event = event_name(st.text);
  emit_event(event, event_args(event, st, fx), st.where);
  x.next_temp = mark;
}

// What a property may know of the initial states, `ghost_init` says.
void process_code::refuse_event_in_init(const ast::statement& st) const {
  if (index == ir::nothing)
    throw diagnostic(st.where, "no event happens in init", "ghost_init says what properties know of the initial states");
}

void process_code::notify(const ast::statement& st) {
  refuse_event_in_init(st);
  begin_step(st);
  effects fx;
  const std::string event = event_name(st.text);
  const temp_id mark = x.next_temp;
  std::vector<expr_id> args = event_args(event, st, fx);
  open_scope();
  const bool keep = fx.stable && !fx.binds;
  for (std::size_t i = 0; !keep && i < args.size(); ++i) {  // handlers see what the notifier was called with
    variable_id copy;
    const expr_id saved = local(fmt::format("notify.{}", i), b.type_of(args[i]), &copy);
    set(copy, self_index(), args[i], st.where);
    args[i] = saved;
  }
  x.next_temp = mark;
  emit_event(event, args, st.where);
  for (const auto* h : s.handlers) run_handler(*h, event, args, st);
  close_scope();
}

void process_code::run_handler(const ast::handler_decl& h, const std::string& event, const std::vector<expr_id>& args,
                               const ast::statement& st) {
  if (!live_ || shared.dry) return;
  if (path_.size() > most_nested_calls)
    throw diagnostic(st.where, fmt::format("'{}' is notified from its own handlers again and again", event),
                     "only a recursive procedure may lead back to itself");
  const ast::handler_clause* clause = nullptr;
  for (const auto& c : h.clauses)
    if (c.event == event) clause = &c;
  if (!clause)
    for (const auto& c : h.clauses)
      if (c.event.empty() && c.params.size() <= args.size()) clause = &c;
  if (!clause) return;
  if (clause->params.size() > args.size())
    throw diagnostic(clause->where, fmt::format("'{}' has {} parameter(s)", event, args.size()));
  code_label skip;
  if (!h.when.empty()) {
    auto caller = x.names.exchange();
    x.names.open();
    const expr_id c = test(h.when[0], st);
    x.names.exchange(std::move(caller));
    if (b.is_false(c)) return;
    jump_if(b.negated(c), skip);
  }
  names params;
  for (std::size_t i = 0; i < clause->params.size(); ++i) {
    binding p;
    p.alias = {args[i], b.type_of(args[i]), {}, ir::nothing, {}};
    if (clause->params[i] != "_") params[clause->params[i]] = p;
  }
  inline_body(h.name, h.at, std::move(params), clause->body);
  if (!skip.uses.empty()) bind(skip);
}

// --- spans ---------------------------------------------------------------------------------------------------------------

void process_code::span(const ast::statement& st) {
  refuse_event_in_init(st);
  std::uint32_t kind = 0;
  while (kind < shared.monitors.spans.size() && shared.monitors.spans[kind].name != st.text) ++kind;
  if (kind == shared.monitors.spans.size()) throw diagnostic(st.where, fmt::format("there is no span '{}'", st.text));
  begin_step(st);
  open_scope();
  effects fx;
  const std::string begin = shared.monitors.events[shared.monitors.spans[kind].begin].name;
  const temp_id mark = x.next_temp;
  std::vector<expr_id> args = event_args(begin, st, fx);
  if (fx.shared || fx.guards) check_guards(fx, st.where);
  for (std::size_t i = 0; i < args.size(); ++i) {
    variable_id copy;
    if (b.constant_of(args[i])) continue;
    const expr_id saved = local(fmt::format("{}.{}", st.text, i), b.type_of(args[i]), &copy);
    set(copy, self_index(), args[i], st.where);
    args[i] = saved;
  }
  x.next_temp = mark;
  open_span o;
  o.kind = kind;
  for (const auto& other : open_spans) o.level += other.kind == kind;
  o.args = args;
  o.end.kind = ast::statement_kind::emit;
  o.end.text = shared.monitors.events[shared.monitors.spans[kind].end].name;
  o.end.where = st.where;
  o.end.args = st.args;
  open_spans.push_back(o);
  emit_event(begin, args, st.where);
  const std::size_t mine = open_spans.size() - 1;
  cleanups_.push_back({cleanup::kind::span, 0, ir::nothing, mine});
  block(st.body);
  labels_.push_back("end_of_" + st.text);
  begin_step(o.end);
  labels_.pop_back();
  end_span(mine, st.where);
  cleanups_.pop_back();
  open_spans.pop_back();
  close_scope();
}

void process_code::end_span(std::size_t which, source_range where) {
  if (!live_) return;
  const open_span o = open_spans[which];
  const std::vector<open_span> inner(open_spans.begin() + static_cast<std::ptrdiff_t>(which) + 1,
                                     open_spans.end());  // a return leaves these before
  open_spans.resize(which + 1);
  emit_event(shared.monitors.events[shared.monitors.spans[o.kind].end].name, {}, where);
  if (!shared.dry) shared.weaver->reset_span(*this, o);
  open_spans.insert(open_spans.end(), inner.begin(), inner.end());
}

}  // namespace quiesce::lowering
