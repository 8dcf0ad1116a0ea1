// SPDX-License-Identifier: MIT
// Monitors as code: cells become tables of the state, checks and updates become instructions behind the `emit` they watch.
// Which spans are open is known where an event is emitted, so a span's copy of a cell is a table of its own, one for each
// level.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

using mo = monitors::op;

monitor_weaver::monitor_weaver(shared_lowering& all) : shared_(all) {
  for (const auto& g : all.monitors.ghosts) {
    std::vector<sort_id> index;
    for (const auto& t : g.index) index.push_back(all.s.sort_named(t.sort, {}).id);
    ghosts_.push_back(all.b.variable(g.name, all.event_type(g.type, {}), index, ir::variable_kind::ghost));
    all.s.ghosts[g.name] = ghosts_.back();
  }
}

type_id monitor_weaver::type(const monitors::value_type& t) { return shared_.event_type(t, {}); }

variable_id monitor_weaver::cell_variable(process_code& c, std::uint32_t cell, const open_span* span) {
  const auto key = span ? std::make_pair(c.index, span->level) : std::make_pair(ir::nothing, 0u);
  const auto it = cells_.find({cell, key});
  if (it != cells_.end()) return it->second;
  const monitors::cell& decl = shared_.monitors.cells[cell];
  std::vector<sort_id> index;
  for (const auto& t : decl.keys) {
    if (t.kind != monitors::value_kind::element)
      throw diagnostic("a property keeps count for something that is not an element of a sort: " + decl.name);
    index.push_back(shared_.s.sort_named(t.sort, {}).id);
  }
  std::string name = decl.name;
  if (span) {
    if (c.out.over != ir::nothing) index.push_back(c.out.over);
    name = fmt::format("{} ({} {})", decl.name, c.out.name, span->level);
  }
  const type_id t = decl.counter ? shared_.b.integer(0, decl.cap) : shared_.b.boolean();
  const variable_id v = shared_.b.variable(name, t, index, ir::variable_kind::monitor);
  cells_[{cell, key}] = v;
  for (const auto& u : shared_.monitors.updates)
    if (u.cell == cell && u.act != monitors::action::clear)
      shared_.s.memories.push_back({shared_.monitors.events[u.on.event].name,
                                    span ? shared_.monitors.spans[span->kind].name : "", span ? c.index : ir::nothing,
                                    decl.name, v});
  return v;
}

variable_id monitor_weaver::plain_cell(std::uint32_t cell) const {
  const auto it = cells_.find({cell, {ir::nothing, 0u}});
  return it == cells_.end() ? ir::nothing : it->second;
}

std::vector<expr_id> monitor_weaver::cell_index(process_code& c, std::uint32_t, std::vector<expr_id> keys,
                                                const open_span* span) {
  if (span)
    for (const auto e : c.self_index()) keys.push_back(e);
  return keys;
}

expr_id monitor_weaver::term(process_code& c, const monitors::term& t, environment& env) {
  builder& b = shared_.b;
  std::vector<expr_id> kids;
  const bool binds = t.code == mo::all || t.code == mo::some || t.code == mo::count;
  if (!binds)
    for (const auto& kid : t.kids) kids.push_back(term(c, kid, env));
  const auto logic = [&](op code) { return b.make(code, b.boolean(), kids); };
  const auto arithmetic = [&](op code) { return b.make(code, b.integer(0, 0), kids); };
  switch (t.code) {
    case mo::constant:
      return t.type.kind == monitors::value_kind::integer ? b.number(t.value) : b.constant(t.value, type(t.type));
    case mo::named: {
      symbols& s = shared_.s;
      if (const auto it = s.named_elements.find(t.text); it != s.named_elements.end())
        return b.constant(it->second.second, b.element(s.sorts.at(it->second.first).id));
      const auto it = s.constructors.find(t.text);
      if (it == s.constructors.end() || kids.size() != 1)
        throw diagnostic(fmt::format("the model has no '{}' that a property names", t.text));
      const sort_symbol& sort = s.sorts.at(it->second.first);
      const type_id element = b.element(sort.id);
      if (b.parametrised()) return b.construct(sort.id, sort.extras[it->second.second].first, kids[0]);
      return b.make(op::add, element, {kids[0], b.constant(sort.extras[it->second.second].first, element)});
    }
    case mo::variable:
      return env.variables[t.index];
    case mo::cell: {
      const open_span* span = t.span >= 0 ? env.spans.at(static_cast<std::size_t>(t.span)) : nullptr;
      return b.load(cell_variable(c, t.index, span), cell_index(c, t.index, kids, span));
    }
    case mo::ghost:
      return b.load(ghosts_[t.index], kids);
    case mo::in_span:
      return b.make(op::contains, b.boolean(), {env.spans.at(static_cast<std::size_t>(t.span))->args.at(0), kids[0]});
    case mo::outermost:
      return b.truth(env.spans.at(static_cast<std::size_t>(t.span))->level == 0);
    case mo::innermost: {
      const open_span* bound = env.spans.at(static_cast<std::size_t>(t.span));
      bool deepest = true;
      for (const auto& o : c.open_spans) deepest &= o.kind != bound->kind || o.level <= bound->level;
      return b.truth(deepest);
    }
    case mo::not_:
      return b.negated(kids[0]);
    case mo::and_:
      return logic(op::and_);
    case mo::or_:
      return logic(op::or_);
    case mo::implies:
      return logic(op::implies);
    case mo::equal:
      return logic(op::equal);
    case mo::not_equal:
      return logic(op::not_equal);
    case mo::less:
      return logic(op::less);
    case mo::less_equal:
      return logic(op::less_equal);
    case mo::add:
      return arithmetic(op::add);
    case mo::subtract:
      return arithmetic(op::subtract);
    case mo::multiply:
      return arithmetic(op::multiply);
    case mo::select:
      return b.make(op::select, b.type_of(kids[1]), kids);
    case mo::is_none:
      return b.equal(kids[0], b.constant(0, b.type_of(kids[0])));
    case mo::value_of:
      return b.make(op::unwrap, b.type(b.type_of(kids[0])).inner, kids);
    case mo::wrap:
      return b.make(op::wrap, b.option(b.type_of(kids[0])), kids);
    case mo::all:
    case mo::some:
    case mo::count: {
      const type_id element = type(t.type);
      if (b.type(element).kind != ir::type_kind::element)
        throw diagnostic("a property quantifies over something that is not a sort");
      const sort_id sort = b.type(element).sort;
      const temp_id temp = c.x.take_temp();
      if (env.variables.size() <= t.index) env.variables.resize(t.index + 1, ir::nothing);
      env.variables[t.index] = b.temp(temp, element);
      const expr_id body = term(c, t.kids[0], env);
      const std::int64_t most = b.program.sorts[sort].unbounded ? unlimited : b.size(sort);
      if (t.code == mo::count) return b.over(op::count, b.integer(0, most), sort, temp, body);
      return b.over(t.code == mo::all ? op::all : op::some, b.boolean(), sort, temp, body);
    }
  }
  return b.truth(false);
}

// Binds first, then compares, so that the order of arguments does not matter.
expr_id monitor_weaver::match(process_code& c, const monitors::pattern& p, const std::vector<expr_id>& args,
                              environment& env) {
  builder& b = shared_.b;
  expr_id m = b.truth(true);
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    const monitors::match& a = p.args[i];
    if (a.kind != monitors::match_kind::bind && a.kind != monitors::match_kind::bind_inner) continue;
    expr_id v = args[i];
    if (a.kind == monitors::match_kind::bind_inner) {
      m = b.both(m, b.make(op::not_equal, b.boolean(), {v, b.constant(0, b.type_of(v))}));
      v = b.make(op::unwrap, b.type(b.type_of(v)).inner, {v});
    }
    if (env.variables[a.variable] == ir::nothing)
      env.variables[a.variable] = v;
    else
      m = b.both(m, b.equal(env.variables[a.variable], v));
  }
  for (std::size_t i = 0; i < p.args.size(); ++i)
    if (p.args[i].kind == monitors::match_kind::equal) m = b.both(m, b.equal(args[i], term(c, p.args[i].value, env)));
  for (const auto& w : p.when) m = b.both(m, term(c, w, env));
  return m;
}

// The spans that a pattern may bind at this place: one copy of the check or update for each.
std::vector<const open_span*> monitor_weaver::spans_for(process_code& c, const monitors::pattern& p, bool& applies) {
  applies = true;
  if (p.place == monitors::span_match::none) return {nullptr};
  std::vector<const open_span*> out;
  for (const auto& o : c.open_spans)
    if (static_cast<int>(o.kind) == p.span_kind) out.push_back(&o);
  if (p.place == monitors::span_match::innermost) {
    const bool innermost = !c.open_spans.empty() && static_cast<int>(c.open_spans.back().kind) == p.span_kind;
    out = innermost ? std::vector<const open_span*>{&c.open_spans.back()} : std::vector<const open_span*>{};
  }
  applies = !out.empty();
  return out;
}

// Where the condition takes the value of an option that may be nothing: what must hold for it to mean anything. The event's
// own arguments (`given`) have been judged where they were written.
expr_id monitor_weaver::defined(expr_id e, const std::set<expr_id>& given) {
  builder& b = shared_.b;
  if (given.count(e)) return b.truth(true);
  const ir::expr x = b.at(e);
  const auto kid = [&](std::size_t i) { return defined(x.kids[i], given); };
  switch (x.code) {
    case op::and_:
    case op::implies:
      return b.both(kid(0), b.make(op::implies, b.boolean(), {x.kids[0], kid(1)}));
    case op::or_:
      return b.both(kid(0), b.make(op::or_, b.boolean(), {x.kids[0], kid(1)}));
    case op::select: {
      const expr_id both =
          b.both(b.make(op::implies, b.boolean(), {x.kids[0], kid(1)}), b.make(op::or_, b.boolean(), {x.kids[0], kid(2)}));
      return b.both(kid(0), both);
    }
    case op::all:
    case op::some:
    case op::count:
    case op::collect:
      return b.over(op::all, b.boolean(), x.sort, x.temp, kid(0));
    default:
      break;
  }
  expr_id out = b.truth(true);
  for (const auto k : x.kids) out = b.both(out, defined(k, given));
  if (x.code == op::unwrap)
    out = b.both(out, b.make(op::not_equal, b.boolean(), {x.kids[0], b.constant(0, b.type_of(x.kids[0]))}));
  return out;
}

void monitor_weaver::require_defined(process_code& c, expr_id e, const environment& env, const std::vector<expr_id>& args,
                                     source_range where) {
  std::set<expr_id> given(args.begin(), args.end());
  given.insert(env.variables.begin(), env.variables.end());
  for (const auto* span : env.spans)
    if (span) given.insert(span->args.begin(), span->args.end());
  expr_id is_defined = defined(e, given);
  for (const auto& [temp, sort] : c.each) is_defined = shared_.b.over(op::all, shared_.b.boolean(), sort, temp, is_defined);
  c.check(is_defined, ir::error_kind::value_of_none, "a property takes the value of an option that is none", where);
}

void monitor_weaver::check_event(process_code& c, std::uint32_t monitor, const monitors::check& check,
                                 const std::vector<expr_id>& args, source_range where) {
  builder& b = shared_.b;
  bool applies;
  for (const auto* span : spans_for(c, check.on, applies)) {
    if (!applies) break;
    environment env;
    env.variables.assign(check.variables, ir::nothing);
    if (check.on.span_variable >= 0) {
      env.spans.resize(static_cast<std::size_t>(check.on.span_variable) + 1);
      env.spans.back() = span;
    }
    const expr_id m = match(c, check.on, args, env);
    require_defined(c, m, env, args, where);
    std::vector<std::pair<sort_id, temp_id>> free;
    for (const auto& [v, t] : check.free) {
      const type_id element = type(t);
      if (b.type(element).kind != ir::type_kind::element)
        throw diagnostic("a property quantifies over something that is not a sort");
      free.emplace_back(b.type(element).sort, c.x.take_temp());
      env.variables[v] = b.temp(free.back().second, element);
    }
    const bool wanted = shared_.monitors.monitors[monitor].sometimes;
    expr_id good = term(c, check.condition, env);
    for (auto it = free.rbegin(); it != free.rend(); ++it) {
      good = b.over(wanted ? op::some : op::all, b.boolean(), it->first, it->second, good);
    }
    ir::instruction hit;
    hit.which = monitor;
    hit.where = where;
    code_label skip;
    if (b.parametrised()) {  // conditions instead of branches: every branch would be an action of its own
      require_defined(c, b.make(op::implies, b.boolean(), {m, good}), env, args, where);
      hit.code = ir::operation::mark;
      hit.a = wanted ? b.both(m, good) : m;
      if (!b.is_false(m)) c.emit(hit);
      hit.code = ir::operation::violate;
      hit.a = b.both(m, b.negated(good));
      if (!wanted && !b.is_false(hit.a)) c.emit(hit);
      continue;
    }
    c.jump_if(b.negated(m), skip);
    hit.code = ir::operation::mark;
    if (c.live()) require_defined(c, good, env, args, where);
    if (wanted) {
      c.jump_if(b.negated(good), skip);
      if (c.live()) c.emit(hit);
    } else if (c.live()) {
      c.emit(hit);
      code_label fine;
      c.jump_if(good, fine);
      hit.code = ir::operation::violate;
      if (c.live()) c.emit(hit);
      c.bind(fine);
    }
    c.bind(skip);
  }
}

namespace {
struct pending_set {
  temp_id when;
  bool conditional;
  ir::instruction set;
};
}  // namespace

// One call for each choice of elements for the keys that a clear leaves free; one call without, where there are none.
void monitor_weaver::for_each_free(process_code& c, const monitors::update& u,
                                   const std::function<void(const std::vector<expr_id>&)>& each) {
  builder& b = shared_.b;
  std::vector<expr_id> chosen;
  if (b.parametrised()) {
    for (const auto& [variable, t] : u.free) {
      const type_id element = type(t);
      if (b.type(element).kind != ir::type_kind::element)
        throw diagnostic("a property quantifies over something that is not a sort");
      c.each.emplace_back(c.x.take_temp(), b.type(element).sort);
      chosen.push_back(b.temp(c.each.back().first, element));
    }
    each(chosen);
    return c.each.clear();
  }
  const std::function<void(std::size_t)> from = [&](std::size_t n) {
    if (n == u.free.size()) return each(chosen);
    const type_id element = type(u.free[n].second);
    if (b.type(element).kind != ir::type_kind::element)
      throw diagnostic("a property quantifies over something that is not a sort");
    for (std::uint32_t e = 0; e < b.size(b.type(element).sort); ++e) {
      chosen.push_back(b.constant(e, element));
      from(n + 1);
      chosen.pop_back();
    }
  };
  from(0);
}

void monitor_weaver::weave(process_code& c, std::uint32_t event, const std::vector<expr_id>& args, source_range where) {
  builder& b = shared_.b;
  const temp_id mark = c.x.next_temp;
  for (std::uint32_t m = 0; m < shared_.monitors.monitors.size(); ++m)
    for (const auto& check : shared_.monitors.monitors[m].checks)
      if (check.on.event == event) check_event(c, m, check, args, where);
  // All updates see the values before the event: conditions and values first, then the assignments.
  std::vector<pending_set> sets;
  const auto plan = [&](expr_id when, variable_id v, std::vector<expr_id> at, expr_id to) {
    if (b.is_false(when)) return;
    if (b.parametrised()) {
      const type_id kind = b.program.variables[v].type;
      pending_set one{0, false, {}};
      one.set.code = ir::operation::set;
      one.set.var = v;
      one.set.index = at;
      one.set.where = where;
      one.set.each = c.each;
      if (c.each.empty() && !b.constant_of(when)) {
        const temp_id t = c.x.take_temp();
        c.set_temp(t, when);
        when = b.temp(t, b.boolean());
      }
      one.set.a = b.make(op::select, kind, {when, to, b.load(v, at)});
      sets.push_back(one);
      return;
    }
    pending_set p{0, !b.is_true(when), {}};
    if (p.conditional) {
      p.when = c.x.take_temp();
      c.set_temp(p.when, when);
    }
    p.set.code = ir::operation::set;
    p.set.var = v;
    p.set.index = std::move(at);
    p.set.where = where;
    if (b.constant_of(to)) {
      p.set.a = to;
    } else {
      const temp_id t = c.x.take_temp();
      const type_id kind = b.type_of(to);
      // Where nothing matches, the value is not even looked at: its indexes may be none.
      if (p.conditional) to = b.make(op::select, kind, {b.temp(p.when, b.boolean()), to, b.constant(b.low(kind), kind)});
      c.set_temp(t, to);
      p.set.a = b.temp(t, kind);
    }
    sets.push_back(p);
  };
  for (const auto& u : shared_.monitors.updates) {
    if (u.on.event != event) continue;
    bool applies;
    for (const auto* span : spans_for(c, u.on, applies)) {
      if (!applies) break;
      const monitors::cell& cell = shared_.monitors.cells[u.cell];
      const open_span* copy = cell.span >= 0 ? span : nullptr;
      const variable_id v = cell_variable(c, u.cell, copy);
      for_each_free(c, u, [&](const std::vector<expr_id>& chosen) {
        environment env;
        env.variables.assign(u.variables, ir::nothing);
        if (u.on.span_variable >= 0) {
          env.spans.resize(static_cast<std::size_t>(u.on.span_variable) + 1);
          env.spans.back() = span;
        }
        for (std::size_t i = 0; i < u.free.size(); ++i) env.variables[u.free[i].first] = chosen[i];
        const expr_id m = match(c, u.on, args, env);
        require_defined(c, m, env, args, where);
        std::vector<expr_id> keys;
        for (const auto key : u.keys) keys.push_back(env.variables[key]);
        const auto at = cell_index(c, u.cell, keys, copy);
        expr_id to = b.truth(u.act == monitors::action::set);
        if (cell.counter)
          to = u.act == monitors::action::clear
                   ? b.number(0)
                   : b.make(op::minimum, b.integer(0, 0), {b.plus(b.load(v, at), b.number(1)), b.number(cell.cap)});
        plan(m, v, at, to);
      });
    }
  }
  for (const auto& g : shared_.monitors.ghost_updates) {
    if (g.on.event != event) continue;
    environment env;
    env.variables.assign(g.variables, ir::nothing);
    const expr_id m = match(c, g.on, args, env);
    require_defined(c, m, env, args, where);
    std::vector<expr_id> at;
    for (const auto& i : g.index) at.push_back(term(c, i, env));
    plan(m, ghosts_[g.ghost], at, term(c, g.value, env));
  }
  for (auto& p : sets) {
    code_label skip;
    if (p.conditional) c.jump_if(b.negated(b.temp(p.when, b.boolean())), skip);
    if (c.live()) c.emit(p.set);
    c.bind(skip);
  }
  c.x.next_temp = mark;
}

namespace {
// Every element of a table whose leading indexes are free and whose last is `rest`.
void clear_table(process_code& c, variable_id v, std::size_t free, const std::vector<expr_id>& rest) {
  builder& b = c.b;
  const ir::variable var = b.program.variables[v];
  if (b.parametrised()) {
    std::vector<expr_id> index;
    for (std::size_t i = 0; i < free; ++i) {
      c.each.emplace_back(c.x.take_temp(), var.index[i]);
      index.push_back(b.temp(c.each.back().first, b.element(var.index[i])));
    }
    index.insert(index.end(), rest.begin(), rest.end());
    c.set(v, index, b.constant(b.low(var.type), var.type), {});
    return c.each.clear();
  }
  std::vector<std::uint32_t> at(free, 0);
  for (;;) {
    std::vector<expr_id> index;
    for (std::size_t i = 0; i < free; ++i) index.push_back(b.constant(at[i], b.element(var.index[i])));
    index.insert(index.end(), rest.begin(), rest.end());
    c.set(v, index, b.constant(b.low(var.type), var.type), {});
    std::size_t i = free;
    while (i > 0 && ++at[i - 1] == b.size(var.index[i - 1])) at[--i] = 0;
    if (i == 0) return;
  }
}
}  // namespace

void monitor_weaver::reset_span(process_code& c, const open_span& span) {
  for (std::uint32_t cell = 0; cell < shared_.monitors.cells.size(); ++cell) {
    if (shared_.monitors.cells[cell].span != static_cast<int>(span.kind)) continue;
    clear_table(c, cell_variable(c, cell, &span), shared_.monitors.cells[cell].keys.size(), c.self_index());
  }
}

// What a ghost is in the initial states; a ghost that the model does not initialise starts as declared.
void monitor_weaver::ghost_init(process_code& c, const std::vector<const ast::ghost_init_decl*>& given) {
  builder& b = shared_.b;
  for (std::size_t g = 0; g < shared_.monitors.ghosts.size(); ++g) {
    const ir::variable var = b.program.variables[ghosts_[g]];
    const ast::ghost_init_decl* init = nullptr;
    for (const auto* d : given)
      if (d->name == shared_.monitors.ghosts[g].name) init = d;
    if (init && init->params.size() != var.index.size())
      throw diagnostic(init->where, fmt::format("ghost '{}' takes {} argument(s)", init->name, var.index.size()));
    std::vector<std::uint32_t> at(var.index.size(), 0);
    for (bool more = true; more;) {
      std::vector<expr_id> index;
      c.x.names.open();
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (b.parametrised()) c.each.emplace_back(c.x.take_temp(), var.index[i]);
        const type_id element = b.element(var.index[i]);
        index.push_back(b.parametrised() ? b.temp(c.each.back().first, element) : b.constant(at[i], element));
        binding name;
        name.alias = c.x.element_value(index.back(), var.index[i]);
        if (init) c.x.names.bind(init->params[i], name);
      }
      expr_id v = b.constant(shared_.monitors.ghosts[g].initial, var.type);
      if (init) v = c.x.coerce(c.x.lower(init->value, var.type), var.type, init->value.where).e;
      c.x.names.close();
      c.set(ghosts_[g], index, v, init ? init->where : source_range{});
      c.each.clear();
      if (b.parametrised()) break;
      std::size_t i = at.size();
      while (i > 0 && ++at[i - 1] == b.size(var.index[i - 1])) at[--i] = 0;
      more = i > 0;
    }
  }
}

}  // namespace quiesce::lowering
