// SPDX-License-Identifier: MIT
// Loops, queues and simultaneous assignments over any number of elements.

#include <fmt/format.h>

#include "model/language/parse.hpp"
#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

using k = ast::expr_kind;

// Any number of turns: before each one it may end.
void process_code::repeat_any(const ast::statement& st) {
  code_label head, done;
  if (atomic_) throw diagnostic(st.where, "any number of turns in one step has no reading");
  if (!(fresh_ && out.code.size() == step_start_)) stop(false, &st);
  head.at = out.locations.back().entry - 1;
  const temp_id t = x.take_temp();
  ir::instruction i;
  i.code = ir::operation::choose;
  i.temp = t;
  i.count = 2;
  i.where = st.where;
  i.note = b.string("goes on");
  emit(i);
  jump_if(b.negated(b.temp(t, b.boolean())), done);
  fresh_ = false;
  body_of_loop(st, head, done);
  jump(head);
  bind(done);
}

// The end where no member is left; else one of them.
void process_code::turn_of_any(const ast::statement& st, const value& turn, sort_id sort, temp_id chosen, code_label& done) {
  const expr_id none = b.equal(turn.e, b.constant(0, turn.type));
  ir::instruction i;
  i.code = ir::operation::choose;
  i.where = st.where;
  if (b.parametrised()) {
    code_label more;
    i.temp = x.take_temp();
    i.count = 2;
    i.note = b.string("goes on");
    emit(i);
    jump_if(b.temp(i.temp, b.boolean()), more);
    await(none, st.where);
    jump(done);
    bind(more);
    i.type = b.element(sort);
  } else {
    jump_if(none, done);
    i.count = b.size(sort);
  }
  i.temp = chosen;
  i.sort = sort;
  i.note = b.string(st.name);
  emit(i);
}

// Before each turn of a loop over any number of elements the process stands still, also inside `atomic`: the steps are finer
// than those of a scope with numbers, so whatever holds in all their states holds there too.
void process_code::any_loop_head(code_label& head, const ast::statement& st) {
  if (index == ir::nothing)
    throw diagnostic(st.where, "a loop in init has no reading for any number of elements", "for all x: S { … }");
  if (!(fresh_ && out.code.size() == step_start_)) stop(false, &st);
  ir::location& l = out.locations.back();
  if (l.statement.empty()) {
    l.statement = language::format_statement_head(st);
    l.where = st.where;
    l.path = path_;
    l.labels = labels_;
  }
  head.at = l.entry - 1;
  fresh_ = false;
}

// A queue or sequence of any number of elements is the set of its members: a loop takes them in any order, so also in
// theirs.
void process_code::for_members(const ast::statement& st, const sequence_place& p, const effects& fx, bool is_global) {
  if (st.iterate == ast::iteration::live)
    throw diagnostic(st.value[0].where,
                     "a live loop over a queue goes by position, which has no reading for any number of elements");
  if (st.iterate == ast::iteration::plain && !is_global && changes(st.body, st.value[0].text))
    throw diagnostic(st.value[0].where, "the body changes this sequence: say snapshot or live");
  value all{b.load(p.members, p.index), b.program.variables[p.members].type, fx, ir::nothing, {}};
  ast::statement plain = st;
  if (st.value.size() > 1) plain.iterate = ast::iteration::plain;  // the filter is read at each turn
  for_set(plain, all);
}

void process_code::fill_members(const sequence_place& to, const ast::expr& e, const ast::statement& st) {
  const type_id set_type = b.program.variables[to.members].type;
  value v{b.constant(0, set_type), set_type, {}, ir::nothing, {}};
  if (e.kind == k::seq_literal) {
    if (e.args.size() > 1)
      throw diagnostic(e.where, "a queue of several values has no reading for any number of elements",
                       "enqueue them one by one");
    for (const auto& a : e.args) {
      const value one = x.coerce(x.lower(a, to.member), to.member, a.where);
      check_value(one, a.where);
      v.e = b.make(op::singleton, set_type, {one.e});
    }
  } else if (e.kind == k::seq_filter) {
    const ast::binder& binder = e.binders[0];
    const sequence_place from = x.sequence(binder.domain[0]);
    if (!x.same_type(to.member, from.member))
      throw diagnostic(e.where, fmt::format("a sequence of {} is expected", x.type_name(to.member)));
    const sort_id sort = b.type(to.member).sort;
    const temp_id t = x.take_temp();
    open_scope();
    binding name;
    name.alias = x.element_value(b.temp(t, to.member), sort);
    x.names.bind(binder.name, name);
    const value c = x.condition(e.args[0]);
    close_scope();
    const expr_id member = b.make(op::contains, b.boolean(), {b.load(from.members, from.index), b.temp(t, to.member)});
    if (c.defined != ir::nothing)
      check(b.over(op::all, b.boolean(), sort, t, b.make(op::implies, b.boolean(), {member, c.defined})),
            ir::error_kind::value_of_none, "a value is taken that is not there", e.where);
    v.e = b.over(op::collect, set_type, sort, t, b.both(member, c.e));
  } else if (e.kind == k::binary) {
    throw diagnostic(e.where, "the concatenation of queues has no reading for any number of elements");
  } else {
    const value from = x.lower(e);
    check_value(from, e.where);
    if (!from.sequence || !x.same_type(to.member, from.sequence->member))
      throw diagnostic(e.where, fmt::format("a sequence of {} is expected", x.type_name(to.member)));
    v.e = b.load(from.sequence->members, from.sequence->index);
  }
  set(to.members, to.index, v.e, st.where);
}

// enqueue or append of `e`; dequeue, of any member, where `e` is nothing. A sequence is the set of its members as long as it
// holds no value twice: an append that would is a bound, which a proof has to exclude.
void process_code::change_members(const sequence_place& p, expr_id e, const ast::statement& st) {
  const type_id set_type = b.program.variables[p.members].type;
  const expr_id now = b.load(p.members, p.index);
  op how = op::unite;
  if (st.text == "append") {
    code_label ok;
    const bool fresh = fresh_;
    jump_if(b.negated(b.make(op::contains, b.boolean(), {now, e})), ok);
    bound(ir::bound_kind::capacity, "a sequence that is read as a set would hold a value twice", st.where);
    bind(ok);
    fresh_ = fresh;
  }
  if (e == ir::nothing) {
    check(b.make(op::not_equal, b.boolean(), {now, b.constant(0, set_type)}), ir::error_kind::value_of_none,
          "the sequence is empty", st.where);
    ir::instruction i;
    i.code = ir::operation::choose;
    i.temp = x.take_temp();
    i.type = p.member;
    i.where = st.where;
    emit(i);
    e = b.temp(i.temp, p.member);
    await(b.make(op::contains, b.boolean(), {now, e}), st.where);
    how = op::subtract_set;
  }
  set(p.members, p.index, b.make(how, set_type, {now, b.make(op::singleton, set_type, {e})}), st.where);
}

// One instruction for all elements; a later assignment must not read what an earlier one wrote.
void process_code::for_all_at_once(const ast::statement& st) {
  open_scope();
  std::vector<std::pair<temp_id, sort_id>> bound;
  for (const auto& binder : st.binders) {
    if (binder.type.empty()) throw diagnostic(binder.where, "'for all' binds elements of a sort: x: S");
    const resolved_type ty = s.resolve(binder.type[0]);
    if (ty.sequence || b.type(ty.type).kind != ir::type_kind::element)
      throw diagnostic(binder.where, "'for all' binds elements of a sort");
    bound.emplace_back(x.take_temp(), b.type(ty.type).sort);
    binding name;
    name.alias = x.element_value(b.temp(bound.back().first, ty.type), bound.back().second);
    x.names.bind(binder.name, name);
  }
  const auto everywhere = [&](expr_id e) {
    for (auto it = bound.rbegin(); it != bound.rend(); ++it) e = b.over(op::all, b.boolean(), it->second, it->first, e);
    return e;
  };
  value where{b.truth(true), b.boolean(), {}, ir::nothing, {}};
  if (!st.value.empty()) where = x.condition(st.value[0]);
  if (where.defined != ir::nothing) check_value({ir::nothing, 0, {}, everywhere(where.defined), {}}, st.value[0].where);
  for (std::size_t i = 0; i < st.body.size(); ++i) {
    const auto& a = st.body[i];
    for (std::size_t j = 0; j < i; ++j)
      if (mentions(a.value[0], st.body[j].target[0].text) ||
          (!st.value.empty() && mentions(st.value[0], st.body[j].target[0].text)))
        throw diagnostic(a.where,
                         "this reads what the same 'for all' assigns: it has no reading for any number of elements");
    const auto it = s.globals.find(a.target[0].text);
    const value place = x.lower(a.target[0]);
    if (place.sequence) throw diagnostic(a.where, "'for all' assigns scalars");
    if (it == s.globals.end()) throw diagnostic(a.where, "'for all' assigns global functions");
    const value v = x.coerce(x.lower(a.value[0], place.type), place.type, a.value[0].where);
    if (v.defined != ir::nothing)
      check_value({ir::nothing, 0, {}, everywhere(b.make(op::implies, b.boolean(), {where.e, v.defined})), {}}, a.where);
    check_write(it->second, a.where);
    each = bound;
    set(it->second.var, b.at(place.e).kids, b.make(op::select, place.type, {where.e, v.e, place.e}), a.where);
    each.clear();
  }
  close_scope();
}

}  // namespace quiesce::lowering
