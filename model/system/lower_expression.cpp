// SPDX-License-Identifier: MIT
#include "model/system/lower_expression.hpp"

#include <fmt/format.h>

namespace quiesce::lowering {

using k = ast::expr_kind;

const binding* name_scopes::find(const std::string& name) const {
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
    if (const auto f = it->find(name); f != it->end()) return &f->second;
  return nullptr;
}

temp_id expressions::take_temp() {
  const temp_id t = next_temp++;
  if (next_temp > temps) temps = next_temp;
  return t;
}

std::string expressions::type_name(type_id t) const {
  const ir::type& ty = b.type(t);
  switch (ty.kind) {
    case ir::type_kind::boolean:
      return "bool";
    case ir::type_kind::integer:
      return "an integer";
    case ir::type_kind::enumeration:
      return fmt::format("{{{}}}", fmt::join(ty.labels, ", "));
    case ir::type_kind::element:
      return b.program.sorts[ty.sort].name;
    case ir::type_kind::option:
      return fmt::format("option<{}>", type_name(ty.inner));
    case ir::type_kind::set:
      return fmt::format("set<{}>", b.program.sorts[ty.sort].name);
  }
  return "?";
}

bool expressions::same_type(type_id x, type_id y) const {
  if (x == y) return true;
  const auto& a = b.type(x);
  const auto& c = b.type(y);
  return a.kind == ir::type_kind::integer && c.kind == ir::type_kind::integer;
}

expr_id expressions::both_defined(expr_id x, expr_id y) const {
  if (x == ir::nothing) return y;
  if (y == ir::nothing) return x;
  return b.both(x, y);
}

value expressions::make(op code, type_id t, const std::vector<value>& parts) {
  value out;
  std::vector<expr_id> kids;
  for (const auto& p : parts) {
    kids.push_back(p.e);
    out.fx.add(p.fx);
    out.defined = both_defined(out.defined, p.defined);
  }
  out.e = b.make(code, t, kids);
  out.type = b.type_of(out.e);
  return out;
}

value expressions::coerce(value v, type_id to, source_range where) {
  if (v.sequence) throw diagnostic(where, fmt::format("a sequence where {} is expected", type_name(to)));
  if (same_type(v.type, to)) return v;
  const ir::type& t = b.type(to);
  if (t.kind == ir::type_kind::option && same_type(v.type, t.inner)) {
    value out = v;
    const ir::type& inner = b.type(t.inner);
    const ir::type& from = b.type(v.type);
    if (inner.kind == ir::type_kind::integer && (from.low < inner.low || from.high > inner.high)) {
      const expr_id fits = b.both(b.make(op::less_equal, b.boolean(), {b.number(inner.low), v.e}),
                                  b.make(op::less_equal, b.boolean(), {v.e, b.number(inner.high)}));
      out.defined = both_defined(out.defined, fits);
    }
    const auto c = b.constant_of(v.e);
    out.e = c ? b.constant(1 + *c - b.low(t.inner), to) : b.make(op::wrap, to, {v.e});
    out.type = to;
    return out;
  }
  throw diagnostic(where, fmt::format("this is {}, but {} is expected", type_name(v.type), type_name(to)));
}

value expressions::condition(const ast::expr& e) {
  value v = lower(e, b.boolean());
  if (v.sequence || v.type != b.boolean()) throw diagnostic(e.where, "a condition must be of type bool");
  return v;
}

value expressions::integer(const ast::expr& e) {
  value v = lower(e);
  if (v.sequence || b.type(v.type).kind != ir::type_kind::integer) throw diagnostic(e.where, "an integer is expected here");
  return v;
}

value expressions::lower(const ast::expr& e, std::optional<type_id> expected) {
  value v;
  switch (e.kind) {
    case k::boolean:
      v = {b.truth(e.value != 0), b.boolean(), {}, ir::nothing, {}};
      break;
    case k::integer:
      v.e = b.number(e.value);
      v.type = b.type_of(v.e);
      break;
    case k::none:
      v = label(e, "none", expected);
      break;
    case k::name:
      v = name(e, expected);
      break;
    case k::apply:
      v = apply(e, expected);
      break;
    case k::unary:
      v = unary(e);
      break;
    case k::binary:
      v = binary(e, expected);
      break;
    case k::conditional:
      v = conditional(e, expected);
      break;
    case k::quantified:
      v = quantified(e);
      break;
    case k::is_named:
      v = is_named(e);
      break;
    case k::set_literal:
      v = set_literal(e, expected);
      break;
    case k::set_filter:
      v = set_filter(e);
      break;
    case k::index: {
      const sequence_place p = sequence(e.args[0]);
      value i = integer(e.args[1]);
      const value whole = lower(e.args[0]);
      const expr_id inside = b.both(b.make(op::less_equal, b.boolean(), {b.number(0), i.e}),
                                    b.make(op::less, b.boolean(), {i.e, sequence_length(p)}));
      v.e = sequence_at(p, i.e);
      v.type = p.member;
      v.fx = whole.fx;
      v.fx.add(i.fx);
      v.defined = both_defined(both_defined(whole.defined, i.defined), inside);
      break;
    }
    case k::seq_literal:
    case k::seq_filter:
      throw diagnostic(e.where, "a sequence can only be assigned, iterated over, or passed by name");
    case k::earlier:
    case k::since:
    case k::count_events:
      throw diagnostic(e.where, "past events can only be asked for in a property");
    case k::member:
      if (proving) {
        v = member_of_process(e);
        break;
      }
      throw diagnostic(e.where, fmt::format("there is no member '{}' in a model", e.text));
    case k::wildcard:
      throw diagnostic(e.where, "'_' can only be an argument of an event pattern");
    case k::any:
      throw diagnostic(e.where, "'any' can only be an initialiser or an argument of perform");
  }
  if (expected && !v.sequence && !same_type(v.type, *expected) && b.type(*expected).kind == ir::type_kind::option)
    v = coerce(v, *expected, e.where);
  return v;
}

value expressions::label(const ast::expr& e, const std::string& text, std::optional<type_id> expected) {
  if (text == "none" && expected && b.type(*expected).kind == ir::type_kind::option)
    return {b.constant(0, *expected), *expected, {}, ir::nothing, {}};
  const auto all = s.labels(text);
  if (expected)
    for (const auto& [t, n] : all)
      if (t == *expected) return {b.constant(n, t), t, {}, ir::nothing, {}};
  if (all.size() == 1) return {b.constant(all[0].second, all[0].first), all[0].first, {}, ir::nothing, {}};
  if (all.size() > 1)
    throw diagnostic(
        e.where, fmt::format("'{}' is a label of several enumerations: write it beside something of the one meant", text));
  if (text == "none") throw diagnostic(e.where, "'none' needs something beside it that tells its type");
  throw diagnostic(e.where, fmt::format("there is no name '{}' here", text));
}

value expressions::name(const ast::expr& e, std::optional<type_id> expected) {
  if (const binding* l = names.find(e.text)) {
    if (l->kind == binding_kind::head) throw diagnostic(e.where, fmt::format("'{}' is a list head, not a value", e.text));
    if (l->kind == binding_kind::event) throw diagnostic(e.where, fmt::format("'{}' is an event, not a value", e.text));
    return l->alias;
  }
  if (const auto it = s.constants.find(e.text); it != s.constants.end())
    return {it->second, b.type_of(it->second), {}, ir::nothing, {}};
  if (const auto it = s.named_elements.find(e.text); it != s.named_elements.end()) {
    const sort_symbol& sort = s.sorts.at(it->second.first);
    return element_value(b.constant(it->second.second, b.element(sort.id)), sort.id);
  }
  if (const auto it = s.globals.find(e.text); it != s.globals.end()) return global_read(it->second, e);
  if (e.text == "now" && s.clock != ir::nothing) {
    value v{b.load(s.clock), b.program.variables[s.clock].type, {}, ir::nothing, {}};
    v.fx.shared = true;
    v.fx.stable = false;
    return v;
  }
  return label(e, e.text, expected);
}

std::vector<expr_id> expressions::index_of(const std::vector<sort_id>& index, const ast::expr& e, value& into) {
  if (e.args.size() != index.size())
    throw diagnostic(e.where, fmt::format("'{}' takes {} argument{}", e.text, index.size(), index.size() == 1 ? "" : "s"));
  std::vector<expr_id> out;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const value v = coerce(lower(e.args[i], b.element(index[i])), b.element(index[i]), e.args[i].where);
    out.push_back(v.e);
    into.fx.add(v.fx);
    into.defined = both_defined(into.defined, v.defined);
  }
  return out;
}

value expressions::global_read(const global& g, const ast::expr& e) {
  value v;
  if (g.kind == global_kind::lock || g.kind == global_kind::timer || g.kind == global_kind::node ||
      g.kind == global_kind::list)
    throw diagnostic(e.where, fmt::format("'{}' is not a value", g.name),
                     "held(l), locked(l), timer_pending(t), list_empty(x) ask for its state");
  const auto index = index_of(g.index, e, v);
  if (g.kind == global_kind::sequence) {
    v.sequence = sequence_place{g.length, g.members, index, g.type.type, g.type.capacity, g.type.queue};
    v.type = g.type.type;
  } else {
    v.e = b.load(g.var, index);
    v.type = g.type.type;
  }
  if (!g.rigid) {
    v.fx.stable = false;
    if (g.guard >= 0)
      v.fx.guards |= std::uint64_t{1} << g.guard;
    else
      v.fx.shared = true;
  }
  return v;
}

value expressions::apply(const ast::expr& e, std::optional<type_id> expected) {
  if (const auto it = s.globals.find(e.text); it != s.globals.end()) return global_read(it->second, e);
  if (const auto it = s.constructors.find(e.text); it != s.constructors.end()) {
    const sort_symbol& sort = s.sorts.at(it->second.first);
    const auto& extra = sort.extras[it->second.second];
    value v;
    const auto of = index_of({extra.over}, e, v);
    if (b.parametrised()) {
      v.e = b.construct(sort.id, extra.first, of[0]);
      v.type = b.element(sort.id);
      return v;
    }
    const auto c = b.constant_of(of[0]);
    v.e = c ? b.constant(*c + extra.first, b.element(sort.id))
            : b.make(op::add, b.element(sort.id), {of[0], b.constant(extra.first, b.element(sort.id))});
    v.type = b.element(sort.id);
    return v;
  }
  if ((e.text == "min" || e.text == "max") && e.args.size() == 2)
    return make(e.text == "min" ? op::minimum : op::maximum, b.integer(0, 0), {integer(e.args[0]), integer(e.args[1])});
  if (auto v = builtin(e)) return *v;
  if (auto v = list_function(e)) return *v;
  (void)expected;
  throw diagnostic(e.where, fmt::format("there is no function '{}'", e.text));
}

value expressions::unary(const ast::expr& e) {
  if (e.text == "!") return make(op::not_, b.boolean(), {condition(e.args[0])});
  return make(op::negate, b.integer(0, 0), {integer(e.args[0])});
}

value expressions::binary(const ast::expr& e, std::optional<type_id> expected) {
  if (e.text == "&&" || e.text == "||" || e.text == "=>" || e.text == "<=>") return logical(e);
  if (e.text == "in") return membership(e);
  if (e.text == "+" || e.text == "-" || e.text == "*") return arithmetic(e, expected);
  return comparison(e);
}

// The right side is evaluated only where the left does not decide; so it only has to be defined there.
value expressions::logical(const ast::expr& e) {
  const value l = condition(e.args[0]), r = condition(e.args[1]);
  if (e.text == "<=>") return make(op::equal, b.boolean(), {l, r});
  const op code = e.text == "&&" ? op::and_ : e.text == "||" ? op::or_ : op::implies;
  value v = make(code, b.boolean(), {l, r});
  v.defined = l.defined;
  if (r.defined != ir::nothing)
    v.defined = both_defined(v.defined, b.make(e.text == "||" ? op::or_ : op::implies, b.boolean(), {l.e, r.defined}));
  return v;
}

bool expressions::needs_context(const ast::expr& e) const {
  if (e.kind == k::none || e.kind == k::set_literal) return true;
  return e.kind == k::name && !names.find(e.text) && !s.constants.count(e.text) && !s.named_elements.count(e.text) &&
         !s.globals.count(e.text) && !(e.text == "now" && s.clock != ir::nothing);
}

value expressions::comparison(const ast::expr& e) {
  const bool right_first = needs_context(e.args[0]) && !needs_context(e.args[1]);
  const ast::expr& x = e.args[right_first ? 1 : 0];
  const ast::expr& y = e.args[right_first ? 0 : 1];
  value first = lower(x);
  if (first.sequence) throw diagnostic(x.where, "sequences are not compared");
  value second = lower(y, first.type);
  if (second.sequence) throw diagnostic(y.where, "sequences are not compared");
  if (b.type(second.type).kind == ir::type_kind::option && b.type(first.type).kind != ir::type_kind::option)
    first = coerce(first, second.type, x.where);
  second = coerce(second, first.type, y.where);
  value l = right_first ? second : first, r = right_first ? first : second;
  if (e.text == "==") return make(op::equal, b.boolean(), {l, r});
  if (e.text == "!=") return make(op::not_equal, b.boolean(), {l, r});
  if (b.type(l.type).kind != ir::type_kind::integer)
    throw diagnostic(e.where, fmt::format("'{}' compares integers", e.text), "the elements of a sort have no order");
  if (e.text == ">" || e.text == ">=") std::swap(l, r);
  return make(e.text == "<" || e.text == ">" ? op::less : op::less_equal, b.boolean(), {l, r});
}

value expressions::arithmetic(const ast::expr& e, std::optional<type_id> expected) {
  const std::optional<type_id> set = expected && b.type(*expected).kind == ir::type_kind::set ? expected : std::nullopt;
  const bool right_first = needs_context(e.args[0]) && !set;
  value r = right_first ? lower(e.args[1]) : value{};
  const value l = lower(e.args[0], right_first ? std::optional(r.type) : set);
  if (l.sequence)
    throw diagnostic(e.args[0].where, "sequences have no arithmetic", "append(s, x) and enqueue(s, x) are statements");
  if (b.type(l.type).kind == ir::type_kind::set && e.text != "*") {
    r = lower(e.args[1], l.type);
    r = coerce(r, l.type, e.args[1].where);
    return make(e.text == "+" ? op::unite : op::subtract_set, l.type, {l, r});
  }
  if (b.type(l.type).kind != ir::type_kind::integer)
    throw diagnostic(e.args[0].where, fmt::format("'{}' needs integers or sets", e.text));
  return make(e.text == "+"   ? op::add
              : e.text == "-" ? op::subtract
                              : op::multiply,
              b.integer(0, 0), {l, integer(e.args[1])});
}

value expressions::conditional(const ast::expr& e, std::optional<type_id> expected) {
  const value c = condition(e.args[0]);
  // Options decide between what has a reading for any number of elements and what has none.
  if (b.parametrised() && b.constant_of(c.e)) return lower(e.args[b.is_true(c.e) ? 1 : 2], expected);
  value x = lower(e.args[1], expected), y = lower(e.args[2], expected ? expected : std::optional(x.type));
  if (x.sequence || y.sequence) throw diagnostic(e.where, "a sequence cannot be chosen by ?:");
  y = coerce(y, x.type, e.args[2].where);
  type_id t = x.type;
  if (b.type(t).kind == ir::type_kind::integer)
    t = b.integer(std::min(b.type(x.type).low, b.type(y.type).low), std::max(b.type(x.type).high, b.type(y.type).high));
  value v = make(op::select, t, {c, x, y});
  v.type = t;
  v.defined = c.defined;
  if (x.defined != ir::nothing) v.defined = both_defined(v.defined, b.make(op::implies, b.boolean(), {c.e, x.defined}));
  if (y.defined != ir::nothing) v.defined = both_defined(v.defined, b.make(op::or_, b.boolean(), {c.e, y.defined}));
  return v;
}

}  // namespace quiesce::lowering
