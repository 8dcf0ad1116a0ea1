// SPDX-License-Identifier: MIT
// Sequences and the loops over sorts, sets and sequences.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

using k = ast::expr_kind;

void process_code::append(const sequence_place& p, expr_id e, source_range where) {
  const expr_id length = x.sequence_length(p);
  code_label room;
  const bool fresh = fresh_;
  jump_if(b.make(op::less, b.boolean(), {length, b.number(p.capacity)}), room);
  bound(ir::bound_kind::capacity, fmt::format("a sequence would hold more than {} values", p.capacity), where);
  bind(room);
  fresh_ = fresh;
  store_member(p, length, e, where);
  set(p.length, p.index, b.plus(length, b.number(1)), where);
}

// Nothing for `e`: the place is behind the end.
void process_code::store_member(const sequence_place& p, expr_id position, expr_id e, source_range where) {
  auto at = p.index;
  at.push_back(position);
  const type_id stored = s.stored(p.member);
  if (e == ir::nothing)
    e = b.constant(b.low(stored), stored);
  else if (stored != p.member)
    e = x.coerce({e, p.member, {}, ir::nothing, {}}, stored, where).e;
  set(p.members, at, e, where);
}

// Position by position; behind the end stays the least value, so that equal sequences are equal states.
void process_code::copy_sequence(const sequence_place& to, const sequence_place& from, source_range where) {
  if (!x.same_type(to.member, from.member))
    throw diagnostic(where, fmt::format("a sequence of {} where one of {} is expected", x.type_name(from.member),
                                        x.type_name(to.member)));
  const expr_id length = x.sequence_length(from);
  if (from.capacity > to.capacity) {
    code_label fits;
    const bool fresh = fresh_;
    jump_if(b.make(op::less_equal, b.boolean(), {length, b.number(to.capacity)}), fits);
    bound(ir::bound_kind::capacity, fmt::format("a sequence would hold more than {} values", to.capacity), where);
    bind(fits);
    fresh_ = fresh;
  }
  const type_id stored = s.stored(to.member);
  for (std::uint32_t i = 0; i < to.capacity; ++i) {
    auto at = to.index, source = from.index;
    at.push_back(b.constant(i, b.element(s.positions(to.capacity))));
    source.push_back(b.constant(i, b.element(s.positions(from.capacity))));
    set(to.members, at, i < from.capacity ? b.load(from.members, source) : b.constant(b.low(stored), stored), where);
  }
  set(to.length, to.index, length, where);
}

namespace {
// A fresh empty sequence.
void clear(process_code& c, const sequence_place& p, source_range where) {
  c.set(p.length, p.index, c.b.number(0), where);
  for (std::uint32_t i = 0; i < p.capacity; ++i)
    c.store_member(p, c.b.constant(i, c.b.element(c.s.positions(p.capacity))), ir::nothing, where);
}

bool loads(const builder& b, expr_id e, variable_id v) {
  const ir::expr& x = b.at(e);
  if (x.code == op::load && x.var == v) return true;
  for (const auto kid : x.kids)
    if (loads(b, kid, v)) return true;
  return false;
}

}  // namespace

bool mentions(const ast::expr& e, const std::string& name) {
  if ((e.kind == k::name || e.kind == k::apply) && e.text == name) return true;
  for (const auto& a : e.args)
    if (mentions(a, name)) return true;
  for (const auto& bi : e.binders)
    for (const auto& d : bi.domain)
      if (mentions(d, name)) return true;
  return false;
}

// Does the body assign, or pass to a changing statement, the local `name`?
bool changes(const std::vector<ast::statement>& body, const std::string& name) {
  for (const auto& st : body) {
    for (const auto& t : st.target)
      if (t.text == name) return true;
    if (st.kind == ast::statement_kind::call &&
        (st.text == "append" || st.text == "enqueue" || st.text == "dequeue" || st.text == "remove"))
      for (const auto& a : st.args)
        if (mentions(a, name)) return true;
    if (changes(st.body, name) || changes(st.otherwise, name)) return true;
    for (const auto& branch : st.branches)
      if (changes(branch, name)) return true;
  }
  return false;
}

// [d in from where c]: in the order of `from`. What the filter reads is not changed by filling the target.
void process_code::filter_sequence(const sequence_place& to, const ast::expr& e, const ast::statement& st) {
  const ast::binder& binder = e.binders[0];
  const sequence_place from = x.sequence(binder.domain[0]);
  if (!x.same_type(to.member, from.member))
    throw diagnostic(e.where, fmt::format("a sequence of {} is expected", x.type_name(to.member)));
  if (from.length == to.length || filter_reads(to, e)) {
    const sequence_place apart = local_sequence("filtered", to.member, to.capacity, false);
    filter_sequence(apart, e, st);
    return copy_sequence(to, apart, st.where);
  }
  const bool fresh = fresh_;
  clear(*this, to, st.where);
  const temp_id t = x.take_temp();
  const type_id position = b.element(s.positions(from.capacity));
  set_temp(t, b.constant(0, position));
  code_label head, next, done;
  head.at = static_cast<std::int64_t>(out.code.size());
  const expr_id i = b.temp(t, position);
  jump_if(b.make(op::less_equal, b.boolean(), {x.sequence_length(from), i}), done);
  open_scope();
  binding name;
  name.alias = {x.sequence_at(from, i), from.member, {}, ir::nothing, {}};
  x.names.bind(binder.name, name);
  const value c = x.condition(e.args[0]);
  check_value(c, e.where);
  close_scope();
  jump_if(b.negated(c.e), next);
  append(to, x.sequence_at(from, i), st.where);
  bind(next);
  set_temp(t, b.make(op::add, position, {i, b.constant(1, position)}));
  jump(head);
  bind(done);
  fresh_ = fresh;
}

bool process_code::filter_reads(const sequence_place& p, const ast::expr& e) {
  const sequence_place from = x.sequence(e.binders[0].domain[0]);
  open_scope();
  binding name;
  name.alias = {b.constant(b.low(from.member), from.member), from.member, {}, ir::nothing, {}};
  x.names.bind(e.binders[0].name, name);
  const value c = x.condition(e.args[0]);
  close_scope();
  return loads(b, c.e, p.length) || loads(b, c.e, p.members);
}

effects process_code::sequence_effects(const sequence_place& to, const ast::expr& e) {
  effects fx;
  if (e.kind == k::seq_literal) {
    for (const auto& a : e.args) fx.add(x.lower(a, to.member).fx);
  } else if (e.kind == k::seq_filter) {
    const ast::binder& binder = e.binders[0];
    if (binder.domain.empty()) throw diagnostic(binder.where, "a sequence is filtered from another: [x in s where c]");
    const sequence_place from = x.sequence(binder.domain[0]);
    fx.add(x.lower(binder.domain[0]).fx);
    open_scope();
    binding name;
    name.alias = {b.constant(b.low(from.member), from.member), from.member, {}, ir::nothing, {}};
    x.names.bind(binder.name, name);
    fx.add(x.condition(e.args[0]).fx);
    close_scope();
  } else if (e.kind == k::binary && e.text == "+") {
    for (const auto& a : e.args) fx.add(sequence_effects(to, a));
  } else {
    fx.add(x.lower(e).fx);
  }
  return fx;
}

// What an assignment to a sequence reads decides whether it is a step; a global target has begun its step before.
void process_code::assign_sequence(const sequence_place& to, const ast::expr& e, const ast::statement& st) {
  const effects fx = sequence_effects(to, e);
  if (b.program.variables[b.parametrised() ? to.members : to.length].kind == ir::variable_kind::local) {
    if (fx.shared)
      begin_step(st);
    else
      check_guards(fx, st.where);
  }
  if (b.parametrised()) return fill_members(to, e, st);
  fill_sequence(to, e, st);
}

// All of `e` is read before `to` changes.
void process_code::fill_sequence(const sequence_place& to, const ast::expr& e, const ast::statement& st) {
  if (e.kind == k::seq_literal) {
    std::vector<expr_id> members;
    for (const auto& a : e.args) {
      const value v = x.coerce(x.lower(a, to.member), to.member, a.where);
      check_value(v, a.where);
      members.push_back(v.e);
      if (b.constant_of(v.e)) continue;
      const temp_id t = x.take_temp();
      set_temp(t, v.e);
      members.back() = b.temp(t, v.type);
    }
    if (members.size() > to.capacity)
      throw diagnostic(e.where, fmt::format("this sequence holds at most {} values", to.capacity));
    clear(*this, to, st.where);
    for (const auto m : members) append(to, m, st.where);
  } else if (e.kind == k::seq_filter) {
    filter_sequence(to, e, st);
  } else if (e.kind == k::binary && e.text == "+") {  // concatenation, left to right
    const sequence_place tail = local_sequence("tail", to.member, to.capacity, false);
    fill_sequence(tail, e.args[1], st);
    fill_sequence(to, e.args[0], st);
    const temp_id t = x.take_temp();
    const type_id position = b.element(s.positions(tail.capacity));
    set_temp(t, b.constant(0, position));
    code_label head, done;
    head.at = static_cast<std::int64_t>(out.code.size());
    const expr_id i = b.temp(t, position);
    const bool fresh = fresh_;
    jump_if(b.make(op::less_equal, b.boolean(), {x.sequence_length(tail), i}), done);
    append(to, x.sequence_at(tail, i), st.where);
    set_temp(t, b.make(op::add, position, {i, b.constant(1, position)}));
    jump(head);
    bind(done);
    fresh_ = fresh;
  } else {
    const sequence_place from = x.sequence(e);
    check_value(x.lower(e), e.where);
    copy_sequence(to, from, e.where);
  }
}

// append(s, x); enqueue(q, x); dequeue(q);   dequeue drops the first member.
bool process_code::container_statement(const ast::statement& st) {
  if (st.text != "append" && st.text != "enqueue" && st.text != "dequeue") return false;
  const std::size_t arity = st.text == "dequeue" ? 1 : 2;
  if (st.args.size() != arity)
    throw diagnostic(st.where, fmt::format("'{}' takes {} argument{}", st.text, arity, arity == 1 ? "" : "s"));
  const sequence_place p = x.sequence(st.args[0]);
  const value place = x.lower(st.args[0]);
  const auto it = s.globals.find(st.args[0].text);
  const bool global = !x.names.find(st.args[0].text) && it != s.globals.end();
  if (const binding* l = x.names.find(st.args[0].text); l && !l->assignable)
    throw diagnostic(st.args[0].where, fmt::format("'{}' cannot be changed", st.args[0].text));
  if (global) {
    begin_step(st);
    check_write(it->second, st.where);
  }
  check_value(place, st.args[0].where);
  if (st.text == "dequeue" && b.parametrised()) return change_members(p, ir::nothing, st), true;
  if (st.text == "dequeue") {
    check(b.make(op::less, b.boolean(), {b.number(0), x.sequence_length(p)}), ir::error_kind::value_of_none,
          "the sequence is empty", st.where);
    for (std::uint32_t i = 0; i < p.capacity; ++i) {
      const type_id position = b.element(s.positions(p.capacity));
      auto at = p.index, next = p.index;
      at.push_back(b.constant(i, position));
      next.push_back(b.constant(i + 1, position));
      const type_id stored = s.stored(p.member);
      set(p.members, at, i + 1 < p.capacity ? b.load(p.members, next) : b.constant(b.low(stored), stored), st.where);
    }
    set(p.length, p.index, b.make(op::subtract, b.integer(0, 0), {x.sequence_length(p), b.number(1)}), st.where);
    return true;
  }
  const value v = x.coerce(x.lower(st.args[1], p.member), p.member, st.args[1].where);
  if (!global) {
    if (v.fx.shared)
      begin_step(st);
    else
      check_guards(v.fx, st.where);
  }
  check_value(v, st.where);
  if (st.text == "append") {
    if (p.queue) throw diagnostic(st.where, "a queue is filled by enqueue");
    if (b.parametrised()) return change_members(p, v.e, st), true;
    append(p, v.e, st.where);
    return true;
  }
  if (!p.queue) throw diagnostic(st.where, "enqueue needs a queue");
  if (b.parametrised()) return change_members(p, v.e, st), true;
  const temp_id t = x.take_temp();
  const sort_id positions = s.positions(p.capacity);
  const expr_id at = b.temp(t, b.element(positions));
  const expr_id there =
      b.over(op::some, b.boolean(), positions, t,
             b.both(b.make(op::less, b.boolean(), {at, x.sequence_length(p)}), b.equal(x.sequence_at(p, at), v.e)));
  code_label done;
  const bool fresh = fresh_;
  jump_if(there, done);
  append(p, v.e, st.where);
  bind(done);
  fresh_ = fresh;
  return true;
}

// --- loops ---------------------------------------------------------------------------------------------------------------

void process_code::for_statement(const ast::statement& st) {
  const ast::expr& domain = st.value[0];
  open_scope();
  if (domain.kind == k::name && s.sorts.count(domain.text) && !x.names.find(domain.text)) {
    const sort_id sort = s.sorts.at(domain.text).id;
    value all;
    all.type = b.set(sort);
    if (b.parametrised()) {
      all.e = b.whole(sort, x.take_temp());
      for_set(st, all);
      return close_scope();
    }
    const auto n = b.size(sort);
    all.e = b.constant(static_cast<std::int64_t>(n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1), all.type);
    for_set(st, all);
  } else if (domain.kind == k::seq_literal || domain.kind == k::seq_filter ||
             (domain.kind == k::binary && domain.text == "+")) {
    throw diagnostic(domain.where, "name this sequence first", "let NAME : seq<T> := …");
  } else {
    const value d = x.lower(domain);
    if (d.sequence && st.iterate != ast::iteration::live) {
      if (d.fx.shared) begin_step(st);
      check_value(d, domain.where);
    }
    const bool settled = d.fx.stable || st.iterate != ast::iteration::plain;
    if (!settled)
      throw diagnostic(domain.where, "this may change during the loop: say whether it is read once or at each turn",
                       "for x in snapshot …, or for x in live …");
    if (d.sequence && b.parametrised()) {
      for_members(st, *d.sequence, d.fx, !d.fx.stable);
    } else if (d.sequence) {
      for_sequence(st, *d.sequence, d.fx, !d.fx.stable);
    } else if (b.type(d.type).kind == ir::type_kind::set) {
      for_set(st, d);
    } else {
      throw diagnostic(domain.where, "a loop runs over a sort, a set or a sequence");
    }
  }
  close_scope();
}

// Any order: at each turn one of the members that are left, and that the filter lets through now.
void process_code::for_set(const ast::statement& st, const value& domain) {
  const bool live = st.iterate == ast::iteration::live;
  const sort_id sort = b.type(domain.type).sort;
  variable_id left_var, name_var;
  const expr_id left = local(st.name + ".left", domain.type, &left_var);  // live: those that were visited
  const type_id element = b.element(sort);
  const auto filter = [&](expr_id among) {
    if (st.value.size() < 2) return value{among, domain.type, {}, ir::nothing, {}};
    const temp_id t = x.take_temp();
    x.names.open();
    binding candidate;
    candidate.alias = x.element_value(b.temp(t, element), sort);
    x.names.bind(st.name, candidate);
    value c = x.condition(st.value[1]);
    x.names.close();
    const expr_id candidates = b.make(op::contains, b.boolean(), {among, b.temp(t, element)});
    c.e = b.over(op::collect, domain.type, sort, t, b.both(candidates, c.e));
    if (c.defined != ir::nothing)
      c.defined = b.over(op::all, b.boolean(), sort, t, b.make(op::implies, b.boolean(), {candidates, c.defined}));
    c.fx.binds = true;
    return c;
  };
  value start = domain;
  if (st.iterate == ast::iteration::snapshot && st.value.size() > 1) {
    const value f = filter(domain.e);
    start.e = f.e;
    start.fx.add(f.fx);
    start.defined = x.both_defined(start.defined, f.defined);
  }
  if (!live) {
    if (start.fx.shared) begin_step(st);
    check_guards(start.fx, st.where);
    check_value(start, st.value[0].where);
  }
  set(left_var, self_index(), live ? b.constant(0, domain.type) : start.e, st.where);
  value turn{left, domain.type, {}, ir::nothing, {}};
  if (live) {
    turn = filter(b.make(op::subtract_set, domain.type, {domain.e, left}));
    turn.fx.add(domain.fx);
    turn.defined = x.both_defined(domain.defined, turn.defined);
  } else if (st.iterate == ast::iteration::plain) {
    turn = filter(left);
  }
  code_label head, done;
  if (b.parametrised()) {
    any_loop_head(head, st);
  } else {
    loop_head(head, false, turn.fx.shared);
  }
  if (turn.fx.shared) begin_step(st);
  check_guards(turn.fx, st.where);
  check_value(turn, st.where);
  const temp_id members = x.take_temp();
  set_temp(members, turn.e);
  turn.e = b.temp(members, domain.type);
  const temp_id t = x.take_temp();
  turn_of_any(st, turn, sort, t, done);
  await(b.make(op::contains, b.boolean(), {turn.e, b.temp(t, element)}), st.where);
  binding name;
  name.alias = x.element_value(local(st.name, element, &name_var), sort);
  set(name_var, self_index(), b.temp(t, element), st.where);
  const expr_id one = b.make(op::singleton, domain.type, {name.alias.e});
  set(left_var, self_index(), b.make(live ? op::unite : op::subtract_set, domain.type, {left, one}), st.where);
  x.names.bind(st.name, name);
  code_label next;
  body_of_loop(st, head, done);
  (void)next;
  jump(head);
  bind(done);
}

void process_code::for_sequence(const ast::statement& st, const sequence_place& given, const effects& fx, bool is_global) {
  sequence_place p = given;
  if (st.iterate == ast::iteration::snapshot || (!is_global && changes(st.body, st.value[0].text))) {
    if (!is_global && st.iterate == ast::iteration::plain)
      throw diagnostic(st.value[0].where, "the body changes this sequence: say snapshot or live");
    check_guards(fx, st.where);
    p = local_sequence(st.name + ".all", given.member, given.capacity, false);
    copy_sequence(p, given, st.where);
  }
  const bool live = st.iterate == ast::iteration::live;
  variable_id at_var;
  const type_id position = b.integer(0, p.capacity);
  const expr_id at = local(st.name + ".at", position, &at_var);
  set(at_var, self_index(), b.number(0), st.where);
  code_label head, next, done;
  loop_head(head, false, live && fx.shared);
  if (live) {
    if (fx.shared) begin_step(st);
    check_guards(fx, st.where);
    check_value(x.lower(st.value[0]), st.value[0].where);
  }
  jump_if(b.make(op::less_equal, b.boolean(), {x.sequence_length(p), at}), done);
  binding name;
  if (live) {  // the sequence may shift under the body: this turn's member is copied
    variable_id copy;
    name.alias = {local(st.name, p.member, &copy), p.member, {}, ir::nothing, {}};
    set(copy, self_index(), x.sequence_at(p, at), st.where);
  } else {
    name.alias = {x.sequence_at(p, at), p.member, {}, ir::nothing, {}};
  }
  x.names.bind(st.name, name);
  if (st.value.size() > 1) jump_if(b.negated(test(st.value[1], st)), next);
  body_of_loop(st, next, done);
  bind(next);
  set(at_var, self_index(), b.plus(at, b.number(1)), st.where);
  jump(head);
  bind(done);
}

// --- simultaneous assignment ---------------------------------------------------------------------------------------------

namespace {
// `hidden`: a quantifier inside has taken the name of a bound variable for another.
void refuse_dependence(const ast::expr& e, const ast::expr& target, bool hidden = false) {
  if ((e.kind == k::name || e.kind == k::apply) && e.text == target.text) {
    bool same = !hidden && e.args.size() == target.args.size();
    for (std::size_t i = 0; same && i < e.args.size(); ++i)
      same = e.args[i].kind == k::name && e.args[i].text == target.args[i].text;
    if (!same)
      throw diagnostic(e.where, fmt::format("'{}' is assigned here: it can only be read at the same arguments", e.text));
  }
  for (const auto& binder : e.binders) {
    for (const auto& d : binder.domain) refuse_dependence(d, target, hidden);
    for (const auto& a : target.args) hidden |= a.text == binder.name;
  }
  for (const auto& a : e.args) refuse_dependence(a, target, hidden);
}
}  // namespace

void process_code::for_all(const ast::statement& st) {
  for (const auto& a : st.body) {
    if (a.kind != ast::statement_kind::assign || a.target[0].kind != k::apply)
      throw diagnostic(a.where, "'for all' holds assignments f(x) := … only");
    if (a.target[0].args.size() != st.binders.size())
      throw diagnostic(a.target[0].where, "the assigned function must be at exactly the bound variables");
    for (std::size_t i = 0; i < st.binders.size(); ++i)
      if (a.target[0].args[i].kind != k::name || a.target[0].args[i].text != st.binders[i].name)
        throw diagnostic(a.target[0].args[i].where,
                         "the assigned function must be at exactly the bound variables, in their order");
    for (const auto& other : st.body) {
      refuse_dependence(other.value[0], a.target[0]);
      for (const auto& w : st.value) refuse_dependence(w, a.target[0]);
    }
  }
  begin_step(st);
  if (b.parametrised()) return for_all_at_once(st);
  const bool fresh = fresh_;
  for_all_binder(st, 0);
  fresh_ = fresh;
}

void process_code::for_all_binder(const ast::statement& st, std::size_t n) {
  if (n < st.binders.size()) {
    const ast::binder& binder = st.binders[n];
    if (binder.type.empty()) throw diagnostic(binder.where, "'for all' binds elements of a sort: x: S");
    const resolved_type ty = s.resolve(binder.type[0]);
    if (ty.sequence || b.type(ty.type).kind != ir::type_kind::element)
      throw diagnostic(binder.where, "'for all' binds elements of a sort");
    const temp_id t = x.take_temp();
    open_scope();
    binding name;
    name.alias = x.element_value(b.temp(t, ty.type), b.type(ty.type).sort);
    x.names.bind(binder.name, name);
    set_temp(t, b.constant(0, ty.type));
    code_label head;
    head.at = static_cast<std::int64_t>(out.code.size());
    for_all_binder(st, n + 1);
    set_temp(t, b.make(op::add, ty.type, {name.alias.e, b.constant(1, ty.type)}));
    jump_if(b.make(op::less, b.boolean(), {name.alias.e, b.constant(b.size(b.type(ty.type).sort), ty.type)}), head);
    close_scope();
    return;
  }
  code_label skip;
  if (!st.value.empty()) {
    const value c = x.condition(st.value[0]);
    check_value(c, st.value[0].where);
    jump_if(b.negated(c.e), skip);
  }
  std::vector<std::pair<temp_id, type_id>> news;
  for (const auto& a : st.body) {
    const value place = x.lower(a.target[0]);
    if (place.sequence) throw diagnostic(a.where, "'for all' assigns scalars");
    const value v = x.coerce(x.lower(a.value[0], place.type), place.type, a.value[0].where);
    check_value(v, a.where);
    news.emplace_back(x.take_temp(), place.type);
    set_temp(news.back().first, v.e);
  }
  for (std::size_t i = 0; i < st.body.size(); ++i) {
    const auto it = s.globals.find(st.body[i].target[0].text);
    if (it == s.globals.end()) throw diagnostic(st.body[i].where, "'for all' assigns global functions");
    check_write(it->second, st.body[i].where);
    const auto at = b.at(x.lower(st.body[i].target[0]).e).kids;
    set(it->second.var, at, b.temp(news[i].first, news[i].second), st.body[i].where);
  }
  bind(skip);
}

}  // namespace quiesce::lowering
