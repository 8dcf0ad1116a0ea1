// SPDX-License-Identifier: MIT
// Quantifiers, sets, sequences and the built-in functions of expressions.

#include <fmt/format.h>

#include "model/system/lower_expression.hpp"

namespace quiesce::lowering {

using k = ast::expr_kind;

sequence_place expressions::sequence(const ast::expr& e) {
  if (e.kind == k::name || e.kind == k::apply) {
    const value v = lower(e);
    if (v.sequence) return *v.sequence;
  }
  throw diagnostic(e.where, "a sequence is expected here");
}

expr_id expressions::sequence_at(const sequence_place& p, expr_id position) {
  if (b.parametrised()) throw diagnostic("a position in a queue has no reading for any number of elements");
  auto index = p.index;
  index.push_back(position);
  const expr_id stored = b.load(p.members, index);
  return s.stored(p.member) == p.member ? stored : b.make(op::unwrap, p.member, {stored});
}

value expressions::quantified(const ast::expr& e) { return quantify(e, 0); }

// Binder number `n` and those behind it. A domain that is a sequence is quantified over its positions.
value expressions::quantify(const ast::expr& e, std::size_t n) {
  if (n == e.binders.size()) {
    if (e.args.size() < 2) return condition(e.args[0]);
    const value where = condition(e.args[1]), body = condition(e.args[0]);
    value v = make(e.text == "all" ? op::implies : op::and_, b.boolean(), {where, body});
    v.defined = where.defined;
    if (body.defined != ir::nothing)
      v.defined = both_defined(v.defined, b.make(op::implies, b.boolean(), {where.e, body.defined}));
    return v;
  }
  const ast::binder& binder = e.binders[n];
  const temp_id t = take_temp();
  names.open();
  sort_id sort = 0;
  value inside{b.truth(true), b.boolean(), {}, ir::nothing, {}};
  binding name;
  if (!binder.type.empty()) {
    const resolved_type ty = s.resolve(binder.type[0]);
    if (ty.sequence || b.type(ty.type).kind != ir::type_kind::element)
      throw diagnostic(binder.type[0].where, "a quantifier ranges over a sort, a set or a sequence");
    sort = b.type(ty.type).sort;
    name.alias = element_value(b.temp(t, ty.type), sort);
  } else {
    value domain = lower(binder.domain[0]);
    if (domain.sequence && b.parametrised()) {
      domain.e = b.load(domain.sequence->members, domain.sequence->index);
      domain.type = b.type_of(domain.e);
      domain.sequence.reset();
    }
    if (domain.sequence) {
      sort = s.positions(domain.sequence->capacity);
      const expr_id at = b.temp(t, b.element(sort));
      inside.e = b.make(op::less, b.boolean(), {at, sequence_length(*domain.sequence)});
      inside.defined = domain.defined;
      name.alias = {sequence_at(*domain.sequence, at), domain.sequence->member, domain.fx, ir::nothing, {}};
    } else if (b.type(domain.type).kind == ir::type_kind::set) {
      sort = b.type(domain.type).sort;
      name.alias = element_value(b.temp(t, b.element(sort)), sort);
      inside.e = b.make(op::contains, b.boolean(), {domain.e, name.alias.e});
      inside.defined = domain.defined;
    } else {
      throw diagnostic(binder.domain[0].where, "a quantifier ranges over a sort, a set or a sequence");
    }
    inside.fx = domain.fx;
  }
  names.bind(binder.name, name);
  const value body = quantify(e, n + 1);
  names.close();
  const bool counts = e.text == "count";
  if (counts && e.binders.size() != 1) throw diagnostic(e.where, "count has one binder");
  value v;
  v.fx = inside.fx;
  v.fx.add(body.fx);
  v.fx.binds = true;
  const op code = e.text == "all" ? op::all : counts ? op::count : op::some;
  const std::int64_t most = b.program.sorts[sort].unbounded ? unlimited : b.size(sort);
  const type_id ty = counts ? b.integer(0, most) : b.boolean();
  v.e = b.over(code, ty, sort, t, b.make(e.text == "all" ? op::implies : op::and_, b.boolean(), {inside.e, body.e}));
  v.type = counts ? ty : b.boolean();
  if (body.defined != ir::nothing)
    v.defined = b.over(op::all, b.boolean(), sort, t, b.make(op::implies, b.boolean(), {inside.e, body.defined}));
  v.defined = both_defined(inside.defined, v.defined);
  return v;
}

value expressions::is_named(const ast::expr& e) {
  const value v = lower(e.args[0]);
  if (v.sequence || b.type(v.type).kind != ir::type_kind::element)
    throw diagnostic(e.args[0].where, "'is' asks about an element of a sort");
  const sort_symbol* sort = s.sort_of(b.type(v.type).sort);
  if (const auto it = s.named_elements.find(e.text); it != s.named_elements.end() && sort && it->second.first == sort->name)
    return make(op::equal, b.boolean(), {v, element_value(b.constant(it->second.second, v.type), sort->id)});
  const auto it = s.constructors.find(e.text);
  if (it == s.constructors.end() || !sort || it->second.first != sort->name)
    throw diagnostic(e.where, fmt::format("sort {} has no '{}'", type_name(v.type), e.text));
  const auto& extra = sort->extras[it->second.second];
  if (b.parametrised()) {
    value made = v;
    made.e = b.constructed(sort->id, extra.first, v.e);
    made.type = b.boolean();
    return made;
  }
  const auto last = extra.first + b.size(extra.over) - 1;
  const value low = element_value(b.constant(extra.first, v.type), sort->id),
              high = element_value(b.constant(last, v.type), sort->id);
  return make(op::and_, b.boolean(),
              {make(op::less_equal, b.boolean(), {low, v}), make(op::less_equal, b.boolean(), {v, high})});
}

value expressions::membership(const ast::expr& e) {
  const ast::expr& domain = e.args[1];
  if (domain.kind == k::seq_literal || (domain.kind == k::set_literal && !domain.args.empty())) {
    value v{b.truth(false), b.boolean(), {}, ir::nothing, {}};
    for (const auto& x : domain.args) {
      ast::expr equal;
      equal.kind = k::binary;
      equal.text = "==";
      equal.where = x.where;
      equal.args = {e.args[0], x};
      v = make(op::or_, b.boolean(), {v, comparison(equal)});
    }
    return v;
  }
  const value d = lower(domain);
  if (d.sequence && b.parametrised()) {
    value set = d;
    set.e = b.load(d.sequence->members, d.sequence->index);
    set.type = b.type_of(set.e);
    set.sequence.reset();
    const type_id member = d.sequence->member;
    return make(op::contains, b.boolean(), {set, coerce(lower(e.args[0], member), member, e.args[0].where)});
  }
  if (d.sequence) {
    const value x = coerce(lower(e.args[0], d.sequence->member), d.sequence->member, e.args[0].where);
    const temp_id t = take_temp();
    const sort_id sort = s.positions(d.sequence->capacity);
    const expr_id at = b.temp(t, b.element(sort));
    value v;
    v.e = b.over(op::some, b.boolean(), sort, t,
                 b.both(b.make(op::less, b.boolean(), {at, sequence_length(*d.sequence)}),
                        b.equal(sequence_at(*d.sequence, at), x.e)));
    v.fx = d.fx;
    v.fx.add(x.fx);
    v.fx.binds = true;
    v.defined = both_defined(d.defined, x.defined);
    return v;
  }
  if (b.type(d.type).kind != ir::type_kind::set) throw diagnostic(domain.where, "'in' asks about a set or a sequence");
  const type_id member = b.element(b.type(d.type).sort);
  return make(op::contains, b.boolean(), {d, coerce(lower(e.args[0], member), member, e.args[0].where)});
}

value expressions::set_literal(const ast::expr& e, std::optional<type_id> expected) {
  if (e.args.empty()) {
    if (!expected || b.type(*expected).kind != ir::type_kind::set)
      throw diagnostic(e.where, "the empty set needs something beside it that tells its type");
    return {b.constant(0, *expected), *expected, {}, ir::nothing, {}};
  }
  value out;
  for (const auto& x : e.args) {
    const value v = lower(x);
    if (v.sequence || b.type(v.type).kind != ir::type_kind::element)
      throw diagnostic(x.where, "a set holds elements of a sort");
    const value one = make(op::singleton, b.set(b.type(v.type).sort), {v});
    if (out.e != ir::nothing && out.type != one.type) throw diagnostic(x.where, "the members of a set are of one sort");
    out = out.e == ir::nothing ? one : make(op::unite, one.type, {out, one});
  }
  return out;
}

value expressions::set_filter(const ast::expr& e) {
  const ast::binder& binder = e.binders[0];
  const resolved_type ty = s.resolve(binder.type[0]);
  if (ty.sequence || b.type(ty.type).kind != ir::type_kind::element)
    throw diagnostic(binder.type[0].where, "a set holds elements of a sort");
  const sort_id sort = b.type(ty.type).sort;
  const temp_id t = take_temp();
  names.open();
  binding name;
  name.alias = element_value(b.temp(t, ty.type), sort);
  names.bind(binder.name, name);
  const value c = condition(e.args[0]);
  names.close();
  value v;
  v.type = b.set(sort);
  v.e = b.over(op::collect, v.type, sort, t, c.e);
  v.fx = c.fx;
  v.fx.binds = true;
  if (c.defined != ir::nothing) v.defined = b.over(op::all, b.boolean(), sort, t, c.defined);
  return v;
}

expr_id expressions::lock_owner(const ast::expr& e, const global** lock, std::vector<expr_id>* index, value& place) {
  const auto it = s.globals.find(e.text);
  if ((e.kind != k::name && e.kind != k::apply) || it == s.globals.end() || it->second.kind != global_kind::lock)
    throw diagnostic(e.where, "a lock is expected here");
  const auto at = index_of(it->second.index, e, place);
  if (lock) *lock = &it->second;
  if (index) *index = at;
  return b.load(it->second.var, at);
}

expr_id expressions::timer_state(const ast::expr& e, const global** timer, std::vector<expr_id>* index, value& place) {
  const auto it = s.globals.find(e.text);
  if ((e.kind != k::name && e.kind != k::apply) || it == s.globals.end() || it->second.kind != global_kind::timer)
    throw diagnostic(e.where, "a timer is expected here");
  const auto at = index_of(it->second.index, e, place);
  if (timer) *timer = &it->second;
  if (index) *index = at;
  return b.load(it->second.var, at);
}

expr_id expressions::process_ended(const ast::expr& e, value& place) {
  std::uint32_t p = 0;
  while (p < s.processes.size() && s.processes[p]->name != e.text) ++p;
  if ((e.kind != k::name && e.kind != k::apply) || p == s.processes.size())
    throw diagnostic(e.where, "a process is expected here");
  std::vector<sort_id> over;
  if (!s.processes[p]->params.empty()) over.push_back(s.sort_named(s.processes[p]->params[0].type[0].text, e.where).id);
  const auto at = index_of(over, e, place);
  const expr_id reserved = b.reserve(b.boolean());
  s.end_questions.push_back({reserved, p, at.empty() ? ir::nothing : at[0]});
  return reserved;
}

std::optional<value> expressions::builtin(const ast::expr& e) {
  if (proving) {
    if (auto v = about_process(e)) return v;
    if (auto v = about_events(e)) return v;
  }
  const auto arity = [&](std::size_t n) {
    if (e.args.size() != n) throw diagnostic(e.where, fmt::format("'{}' takes {} argument{}", e.text, n, n == 1 ? "" : "s"));
  };
  value v;
  if (e.text == "size") {
    arity(1);
    v.e = b.number(b.size(s.sort_named(e.args[0].text, e.args[0].where).id));
  } else if (e.text == "len") {
    arity(1);
    const value whole = lower(e.args[0]);
    v.e = sequence_length(sequence(e.args[0]));
    v.fx = whole.fx;
    v.defined = whole.defined;
  } else if (e.text == "card") {
    arity(1);
    const value set = lower(e.args[0]);
    if (set.sequence || b.type(set.type).kind != ir::type_kind::set) throw diagnostic(e.args[0].where, "card counts a set");
    const sort_id of = b.type(set.type).sort;
    v = make(op::cardinality, b.integer(0, b.program.sorts[of].unbounded ? unlimited : b.size(of)), {set});
  } else if (e.text == "value") {
    arity(1);
    const value o = lower(e.args[0]);
    if (o.sequence || b.type(o.type).kind != ir::type_kind::option)
      throw diagnostic(e.args[0].where, "value() takes an option");
    v = make(op::unwrap, b.type(o.type).inner, {o});
    v.type = b.type(o.type).inner;
    v.defined = both_defined(o.defined, b.make(op::not_equal, b.boolean(), {o.e, b.constant(0, o.type)}));
    return v;
  } else if (e.text == "held" || e.text == "locked") {
    arity(1);
    const expr_id owner = lock_owner(e.args[0], nullptr, nullptr, v);
    if (e.text == "held" && self == ir::nothing)
      throw diagnostic(e.where, "held() asks about the running process: there is none here");
    const expr_id none = b.constant(0, b.type_of(owner));
    v.e = e.text == "held" ? b.equal(owner, self) : b.make(op::not_equal, b.boolean(), {owner, none});
    // Whether one holds a lock oneself, nobody else can change.
    v.fx.shared |= e.text == "locked";
    v.fx.stable = false;
  } else if (e.text == "ended") {
    arity(1);
    v.e = process_ended(e.args[0], v);
    v.fx.shared = true;
    v.fx.stable = false;
  } else if (e.text == "timer_pending") {
    arity(1);
    const expr_id state = timer_state(e.args[0], nullptr, nullptr, v);
    v.e = s.urgent ? b.make(op::not_equal, b.boolean(), {state, b.constant(0, b.type_of(state))}) : state;
    v.fx.shared = true;
    v.fx.stable = false;
  } else {
    return std::nullopt;
  }
  v.type = b.type_of(v.e);
  return v;
}

expressions::node_reference expressions::list_place(const ast::expr& e) {
  if (e.kind == k::name) {
    if (const binding* l = names.find(e.text); l && l->kind == binding_kind::head)
      return {l->space, l->address, l->alias.fx};
    const auto it = s.globals.find(e.text);
    if (it != s.globals.end() && it->second.kind == global_kind::list) {
      node_reference r{it->second.space, b.constant(it->second.address, b.element(s.spaces[it->second.space].sort)), {}};
      return r;
    }
  }
  if (e.kind == k::apply) {
    const auto it = s.globals.find(e.text);
    if (it != s.globals.end() && it->second.kind == global_kind::node) {
      value at;
      if (b.parametrised())
        throw diagnostic(e.where, "pointer lists have no reading for any number of elements", "a queue has one");
      const auto index = index_of(it->second.index, e, at);
      const type_id address = b.element(s.spaces[it->second.space].sort);
      const auto c = b.constant_of(index[0]);
      const expr_id a =
          c ? b.constant(*c + first_node, address) : b.make(op::add, address, {index[0], b.constant(first_node, address)});
      return {it->second.space, a, at.fx, at.defined};
    }
  }
  throw diagnostic(e.where, "a list head or a list node is expected here");
}

std::optional<value> expressions::list_function(const ast::expr& e) {
  const bool contains = e.text == "list_contains";
  if (!contains && e.text != "list_empty" && e.text != "list_initialised" && e.text != "list_on") return std::nullopt;
  if (e.args.size() != (contains ? 2u : 1u))
    throw diagnostic(e.where, fmt::format("'{}' takes {}", e.text, contains ? "a head and a node" : "one argument"));
  if (b.parametrised())
    throw diagnostic(e.where, "pointer lists have no reading for any number of elements", "a queue has one");
  const node_reference x = list_place(e.args[0]);
  const pointer_space& space = s.spaces[x.space];
  const type_id address = b.element(space.sort);
  const auto at = [&](std::uint32_t a) { return b.constant(a, address); };
  const expr_id next = b.load(space.next, {x.address}), prev = b.load(space.prev, {x.address});
  value v;
  v.type = b.boolean();
  v.fx = x.fx;
  v.defined = x.defined;
  v.fx.stable = false;
  if (space.guard >= 0)
    v.fx.guards |= std::uint64_t{1} << space.guard;
  else
    v.fx.shared = true;
  if (e.text == "list_empty") {
    v.e = b.equal(next, x.address);
  } else if (e.text == "list_initialised") {
    v.e = b.both(b.make(op::not_equal, b.boolean(), {next, at(null_address)}),
                 b.make(op::not_equal, b.boolean(), {prev, at(null_address)}));
  } else if (e.text == "list_on") {
    // The kernel sees a pointer, not whether its target still exists: dangling counts as linked.
    const auto differs = [&](expr_id to) { return b.make(op::not_equal, b.boolean(), {next, to}); };
    v.e = b.both(b.both(differs(at(null_address)), differs(at(poison_address))), differs(x.address));
  } else {
    const node_reference y = list_place(e.args[1]);
    if (y.space != x.space) throw diagnostic(e.where, "the head and the node are of different lists");
    // A walk of at most as many links as there are nodes: anything longer is not a list.
    std::vector<expr_id> walk{next};
    for (std::uint32_t i = 1; i < b.size(space.owner); ++i) walk.push_back(b.load(space.next, {walk.back()}));
    expr_id found = b.truth(false);
    for (std::size_t i = walk.size(); i-- > 0;) {
      const expr_id inside = b.both(b.make(op::less_equal, b.boolean(), {at(first_node), walk[i]}),
                                    b.make(op::not_equal, b.boolean(), {walk[i], x.address}));
      found = b.either(b.equal(walk[i], y.address), b.both(inside, found));
    }
    v.e = found;
    v.fx.add(y.fx);
    v.defined = both_defined(v.defined, y.defined);
  }
  return v;
}

}  // namespace quiesce::lowering
