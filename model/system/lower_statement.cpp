// SPDX-License-Identifier: MIT
// Statements: assignments, tests, choices, and where a step begins.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

using sk = ast::statement_kind;

void process_code::statement(const ast::statement& st) {
  if (!live_) return;
  here_ = st.where;
  const temp_id mark = x.next_temp;
  const bool labelled = st.at && !st.at->label.empty();
  if (labelled) labels_.push_back(st.at->label);
  try {
    dispatch(st);
  } catch (const diagnostic& problem) {
    if (problem.has_place || !b.parametrised()) throw;
    throw diagnostic(st.where, problem.sentence, problem.hint);
  }
  if (labelled) labels_.pop_back();
  x.next_temp = mark;
}

void process_code::dispatch(const ast::statement& st) {
  switch (st.kind) {
    case sk::skip:
      begin_step(st);
      break;
    case sk::assign:
      assign(st);
      break;
    case sk::let:
      let(st);
      break;
    case sk::head:
      head(st);
      break;
    case sk::call:
      call(st);
      break;
    case sk::assign_call:
    case sk::let_call:
      call(st);
      break;
    case sk::if_:
      if_statement(st);
      break;
    case sk::while_:
      while_statement(st);
      break;
    case sk::repeat:
      repeat_statement(st);
      break;
    case sk::for_:
      for_statement(st);
      break;
    case sk::for_all:
      for_all(st);
      break;
    case sk::list_for_each:
    case sk::list_for_each_safe:
      list_loop(st);
      break;
    case sk::choose:
      choose(st);
      break;
    case sk::either:
      either(st);
      break;
    case sk::wait_until: {
      begin_step(st);
      const value v = x.condition(st.value[0]);
      check_value(v, st.where);
      await(v.e, st.where);
      break;
    }
    case sk::assert_: {
      begin_step(st);
      const value v = x.condition(st.value[0]);
      check_value(v, st.where);
      check(v.e, ir::error_kind::assertion, st.text.empty() ? "the assertion does not hold" : st.text, st.where);
      break;
    }
    case sk::atomic:
      atomic(st);
      break;
    case sk::idle:
      idle(st);
      break;
    case sk::return_:
      return_(st);
      break;
    case sk::break_:
    case sk::continue_:
      if (loops_.empty()) throw diagnostic(st.where, "this is not inside a loop");
      unwind(loops_.back().cleanups);
      jump(st.kind == sk::break_ ? *loops_.back().done : *loops_.back().next);
      break;
    case sk::notify:
      notify(st);
      break;
    case sk::emit:
      emit_statement(st);
      break;
    case sk::span:
      span(st);
      break;
    case sk::perform:
      perform(st);
      break;
    case sk::sleep:
      sleep(st);
      break;
  }
}

// A test of what others may write at any time is a step of its own. A test of guarded variables needs the lock and is none.
expr_id process_code::test(const ast::expr& e, const ast::statement& st) {
  const value v = x.condition(e);
  if (v.fx.shared) begin_step(st);
  check_guards(v.fx, e.where);
  check_value(v, e.where);
  return v.e;
}

void process_code::if_statement(const ast::statement& st) {
  const expr_id c = test(st.value[0], st);
  if (!shared.dry && b.constant_of(c)) return block(b.is_true(c) ? st.body : st.otherwise);
  code_label otherwise, end;
  const bool fresh = fresh_;
  const std::size_t locations = out.locations.size();
  jump_if(b.negated(c), otherwise);
  block(st.body);
  const bool first = !live_ || (fresh_ && out.locations.size() == locations);
  jump(end);
  bind(otherwise);
  fresh_ = fresh;
  block(st.otherwise);
  const bool second = !live_ || (fresh_ && out.locations.size() == locations);
  const bool any = live_ || !end.uses.empty();
  bind(end);
  live_ = any;
  fresh_ = fresh && first && second && out.locations.size() == locations;
}

void process_code::body_of_loop(const ast::statement& st, code_label& next, code_label& done) {
  loops_.push_back({&next, &done, cleanups_.size()});
  block(st.body);
  loops_.pop_back();
}

void process_code::while_statement(const ast::statement& st) {
  code_label head, done;
  const bool rests = !st.body.empty() && st.body.back().kind == sk::idle && decl_ && decl_->softirq;
  if (rests && atomic_) throw diagnostic(st.body.back().where, "a process cannot idle inside atomic");
  loop_head(head, rests, x.condition(st.value[0]).fx.shared);
  const expr_id c = test(st.value[0], st);
  jump_if(b.negated(c), done);
  loops_.push_back({&head, &done, cleanups_.size()});
  if (rests) {
    ast::statement trimmed = st;
    trimmed.body.pop_back();
    block(trimmed.body);
  } else {
    block(st.body);
  }
  loops_.pop_back();
  jump(head);
  bind(done);
}

void process_code::repeat_statement(const ast::statement& st) {
  const std::int64_t n = s.integer_constant(st.value[0]);
  if (is_unlimited(n)) return repeat_any(st);
  if (n < 0 || n > 1000) throw diagnostic(st.value[0].where, fmt::format("{} is not a number of turns", n));
  code_label next, done;
  if (n == 0 && !shared.dry) return;
  if (n <= 1) {
    body_of_loop(st, next, done);
    bind(next);
    bind(done);
    return;
  }
  open_scope();
  variable_id counter;
  const expr_id turn = local("turn", b.integer(0, n), &counter);
  set(counter, self_index(), b.number(0), st.where);
  code_label head;
  loop_head(head, false);
  jump_if(b.equal(turn, b.number(n)), done);
  body_of_loop(st, next, done);
  bind(next);
  set(counter, self_index(), b.plus(turn, b.number(1)), st.where);
  jump(head);
  bind(done);
  close_scope();
}

// --- assignments ---------------------------------------------------------------------------------------------------------

void process_code::check_write(const global& g, source_range where) {
  if (g.rigid && index != ir::nothing) throw diagnostic(where, fmt::format("'{}' is rigid: it never changes", g.name));
  if (g.guard < 0) return;
  effects fx;
  fx.guards = std::uint64_t{1} << g.guard;
  check_guards(fx, where);
}

void process_code::assign(const ast::statement& st) {
  const ast::expr& target = st.target[0];
  if (const binding* l = x.names.find(target.text); l && target.kind == ast::expr_kind::name) {
    if (!l->assignable)
      throw diagnostic(target.where, fmt::format("'{}' cannot be assigned", target.text),
                       "parameters and loop variables keep their value");
    if (l->kind == binding_kind::sequence) {
      const sequence_place to = *l->alias.sequence;
      return assign_sequence(to, st.value[0], st);
    }
    const binding local = *l;
    const value v = x.coerce(x.lower(st.value[0], local.alias.type), local.alias.type, st.value[0].where);
    if (v.fx.shared)
      begin_step(st);
    else
      check_guards(v.fx, st.where);
    check_value(v, st.where);
    set(local.local, self_index(), v.e, st.where);
    return;
  }
  const auto it = s.globals.find(target.text);
  if (it == s.globals.end() || (it->second.kind != global_kind::scalar && it->second.kind != global_kind::sequence))
    throw diagnostic(target.where, fmt::format("'{}' is not a variable", target.text));
  const value place = x.lower(target);
  begin_step(st);
  check_write(it->second, st.where);
  if (place.sequence) return assign_sequence(*place.sequence, st.value[0], st);
  const value v = x.coerce(x.lower(st.value[0], place.type), place.type, st.value[0].where);
  check_value(place, target.where);
  check_value(v, st.where);
  const auto at = b.at(place.e).kids;
  set(it->second.var, at, v.e, st.where);
}

void process_code::let(const ast::statement& st) {
  const ast::expr& e = st.value[0];
  const bool declared = !st.type.empty();
  const resolved_type ty = declared ? s.resolve(st.type[0]) : resolved_type{};
  const bool literal = e.kind == ast::expr_kind::seq_literal || e.kind == ast::expr_kind::seq_filter;
  std::optional<value> v;
  if (!literal) v = x.lower(e, declared && !ty.sequence ? std::optional(ty.type) : std::nullopt);
  binding name;
  name.assignable = true;
  if (literal || (declared && ty.sequence) || (v && v->sequence)) {
    resolved_type t = ty;
    if (!declared) {
      if (v && v->sequence)
        t = {true, v->sequence->queue, v->sequence->member, v->sequence->capacity};
      else if (e.kind == ast::expr_kind::seq_filter) {
        const sequence_place from = x.sequence(e.binders[0].domain[0]);
        t = {true, false, from.member, from.capacity};
      } else {
        throw diagnostic(st.where, "the type of this sequence must be declared", "let NAME : seq<T> := …");
      }
    }
    name.kind = binding_kind::sequence;
    const sequence_place place = local_sequence(st.name, t.type, t.capacity, t.queue);
    assign_sequence(place, e, st);
    name.alias.sequence = place;
    name.alias.type = t.type;
    x.names.bind(st.name, name);
    return;
  }
  type_id type = declared ? ty.type : v->type;
  if (!declared && b.type(type).kind == ir::type_kind::integer && b.constant_of(v->e))
    throw diagnostic(st.where, "the range of this integer must be declared",
                     fmt::format("let {} : LOW..HIGH := …", st.name));
  *v = x.coerce(*v, type, e.where);
  if (v->fx.shared)
    begin_step(st);
  else
    check_guards(v->fx, st.where);
  check_value(*v, st.where);
  name.kind = binding_kind::local;
  name.alias.e = local(st.name, type, &name.local);
  name.alias.type = type;
  set(name.local, self_index(), v->e, st.where);
  x.names.bind(st.name, name);
}

// --- choices -------------------------------------------------------------------------------------------------------------

void process_code::choose_into(variable_id v, std::vector<expr_id> at, type_id type, source_range where,
                               const std::string& note) {
  const auto n = b.cardinality(type);
  if (b.parametrised()) {
    ir::instruction i;
    i.code = ir::operation::choose;
    i.temp = x.take_temp();
    i.where = where;
    i.note = b.string(note);
    i.type = type;
    emit(i);
    return set(v, std::move(at), b.temp(i.temp, type), where);
  }
  if (!n) throw diagnostic(where, "there are too many values to choose from");
  const temp_id t = x.take_temp();
  ir::instruction i;
  i.code = ir::operation::choose;
  i.temp = t;
  i.where = where;
  i.note = b.string(note);
  const bool element = b.type(type).kind == ir::type_kind::element;
  i.sort = element ? b.type(type).sort : ir::nothing;
  i.count = static_cast<std::uint32_t>(*n);
  emit(i);
  expr_id chosen = b.temp(t, element ? type : b.integer(0, static_cast<std::int64_t>(*n) - 1));
  if (b.low(type) != 0) chosen = b.plus(chosen, b.number(b.low(type)));
  set(v, std::move(at), chosen, where);
}

// Every sequence without repetition: again and again either stop, or append a value that is not there yet. `prefix` holds of
// every prefix of a sequence that is wanted, so a choice that can come to nothing ends early.
void process_code::choose_sequence(const sequence_place& p, source_range where, const std::string& note,
                                   const std::function<expr_id()>& prefix) {
  const bool fresh = fresh_;
  if (b.parametrised()) return choose_into(p.members, p.index, b.program.variables[p.members].type, where, note);
  set(p.length, p.index, b.number(0), where);
  for (std::uint32_t i = 0; i < p.capacity; ++i)
    store_member(p, b.constant(i, b.element(s.positions(p.capacity))), ir::nothing, where);
  code_label head, done;
  head.at = static_cast<std::int64_t>(out.code.size());
  const temp_id more = x.take_temp();
  ir::instruction i;
  i.code = ir::operation::choose;
  i.temp = more;
  i.where = where;
  i.note = b.string(note + " goes on");
  i.count = 2;
  emit(i);
  jump_if(b.negated(b.temp(more, b.boolean())), done);
  const expr_id length = x.sequence_length(p);
  await(b.make(op::less, b.boolean(), {length, b.number(p.capacity)}), where);
  variable_id candidate;
  open_scope();
  const expr_id chosen = local(note + ".next", p.member, &candidate);
  choose_into(candidate, self_index(), p.member, where, note);
  const temp_id q = x.take_temp();
  const expr_id position = b.temp(q, b.element(s.positions(p.capacity)));
  await(b.over(op::all, b.boolean(), s.positions(p.capacity), q,
               b.make(op::implies, b.boolean(),
                      {b.make(op::less, b.boolean(), {position, length}),
                       b.make(op::not_equal, b.boolean(), {x.sequence_at(p, position), chosen})})),
        where);
  store_member(p, length, chosen, where);
  set(p.length, p.index, b.plus(length, b.number(1)), where);
  close_scope();
  if (prefix) await(prefix(), where);
  jump(head);
  bind(done);
  fresh_ = fresh;
}

void process_code::choose(const ast::statement& st) {
  begin_step(st);
  const resolved_type ty = s.resolve(st.type[0]);
  binding name;
  name.assignable = true;
  if (ty.sequence) {
    name.kind = binding_kind::sequence;
    const sequence_place p = local_sequence(st.name, ty.type, ty.capacity, ty.queue);
    choose_sequence(p, st.where, st.name);
    name.alias.sequence = p;
  } else {
    name.kind = binding_kind::local;
    name.alias.e = local(st.name, ty.type, &name.local);
    choose_into(name.local, self_index(), ty.type, st.where, st.name);
  }
  name.alias.type = ty.type;
  x.names.bind(st.name, name);
  if (st.value.empty()) return;
  const value c = x.condition(st.value[0]);
  check_value(c, st.where);
  await(c.e, st.where);
}

void process_code::either(const ast::statement& st) {
  begin_step(st);
  const temp_id t = x.take_temp();
  ir::instruction i;
  i.code = ir::operation::choose;
  i.temp = t;
  i.count = static_cast<std::uint32_t>(st.branches.size());
  i.where = st.where;
  i.note = b.string("branch");
  emit(i);
  const expr_id k = b.temp(t, b.integer(0, i.count - 1));
  code_label end;
  for (std::size_t n = 0; n < st.branches.size(); ++n) {
    code_label next;
    if (n + 1 < st.branches.size())
      jump_if(b.make(op::not_equal, b.boolean(), {k, b.number(static_cast<std::int64_t>(n))}), next);
    fresh_ = !atomic_ && index != ir::nothing;
    block(st.branches[n]);
    jump(end);
    bind(next);
  }
  bind(end);
  fresh_ = false;
}

void process_code::atomic(const ast::statement& st) {
  begin_step(st);
  ++atomic_;
  block(st.body);
  --atomic_;
}

void process_code::idle(const ast::statement& st) {
  if (atomic_ || index == ir::nothing) throw diagnostic(st.where, "a process cannot idle inside atomic");
  if (!(fresh_ && out.code.size() == step_start_)) stop(true, &st);
  out.locations.back().resting = true;
  if (out.locations.back().statement.empty()) out.locations.back().statement = "idle";
  await(b.truth(false), st.where);
  ir::instruction never;
  never.code = ir::operation::stuck;
  emit(never);
  live_ = false;
}

void process_code::return_(const ast::statement& st) {
  if (calls_.empty()) throw diagnostic(st.where, "'return' outside a procedure");
  const call_frame frame = calls_.back();
  if (frame.result_type.has_value() != !st.value.empty())
    throw diagnostic(st.where, frame.result_type ? "this procedure returns a value" : "this procedure returns no value");
  if (frame.result_type) {
    const value v = x.coerce(x.lower(st.value[0], *frame.result_type), *frame.result_type, st.value[0].where);
    if (v.fx.shared)
      begin_step(st);
    else
      check_guards(v.fx, st.where);
    check_value(v, st.where);
    set(frame.result, self_index(), v.e, st.where);
  }
  unwind(frame.cleanups);
  jump(*frame.exit);
}

}  // namespace quiesce::lowering
