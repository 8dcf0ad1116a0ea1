// SPDX-License-Identifier: MIT
// Temporal atoms to cells. Equal cells are shared: a cell pattern has a scope of its own whose variables are numbered by
// first mention, so that patterns that differ only in names are the same.
//
//   P earlier    a flag for each value of P's variables, set by P
//   count P      a counter, incremented by P
//   P since Q    where Q has no variable that P has not: a flag set by P and cleared by Q
//                where Q has more: P earlier, and not (Q since P), a flag set by Q and cleared by P
//                several Q: the conjunction over Q (there was no Q after the last P iff there was none of each kind)

#include <fmt/format.h>

#include <algorithm>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors::detail {

namespace {

scope cell_scope(const scope& outer) {
  scope s;
  s.inside_atom = true;
  for (const auto& v : outer.variables) s.variables.push_back({v.name, v.type, {}, unassigned, true, false});
  for (const auto& r : outer.spans) s.spans.push_back({r.name, r.kind, 0, false});
  return s;
}

// Outer variables that the scope's pattern bound, in order of first mention.
std::vector<std::string> bound_names(const scope& s) {
  std::vector<const scope_variable*> bound;
  for (const auto& v : s.variables)
    if (v.bound) bound.push_back(&v);
  std::sort(bound.begin(), bound.end(), [](auto* a, auto* b) { return a->index < b->index; });
  std::vector<std::string> names;
  for (const auto* v : bound) names.push_back(v->name);
  return names;
}

bool includes(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](const auto& n) { return std::find(all.begin(), all.end(), n) != all.end(); });
}

void require_when(pattern& p, term condition) {
  if (p.when.empty())
    p.when.push_back(std::move(condition));
  else
    p.when[0] = conjunction({std::move(p.when[0]), std::move(condition)});
}

}  // namespace

std::string structure(const term& t) {
  std::string text =
      fmt::format("({}:{}:{}:{}:{}:{}", static_cast<int>(t.code), t.value, t.index, t.span, t.text, print(t.type));
  for (const term& kid : t.kids) text += structure(kid);
  return text + ")";
}

std::string structure(const update& u) {
  std::string text = fmt::format("{}@{}/{}/{}/{}[", static_cast<int>(u.act), u.on.event, static_cast<int>(u.on.place),
                                 u.on.span_kind, u.on.span_variable);
  for (const match& m : u.on.args) {
    text += fmt::format("{}", static_cast<int>(m.kind));
    if (m.kind == match_kind::equal)
      text += structure(m.value);
    else if (m.kind != match_kind::any)
      text += fmt::format("v{}", m.variable);
    text += ",";
  }
  text += "]";
  for (const term& w : u.on.when) text += structure(w);
  for (std::uint32_t k : u.keys) text += fmt::format("k{}", k);
  for (const auto& [index, type] : u.free) text += fmt::format("f{}:{}", index, print(type));
  return text;
}

// Makes `now` not match where `before`, an earlier alternative of the same event, does: an event is counted once.
void compiler::exclude(scope& s, const ast::event_pattern& before, const ast::event_pattern& now, matched& m,
                       const std::vector<value_type>& params) {
  if (before.place != now.place || before.span != now.span)
    throw diagnostic(now.where, "alternatives of one event that are counted together must be in the same span");
  std::vector<term> both;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (before.args[i].kind == ast::expr_kind::wildcard) continue;
    match& a = m.on.args[i];
    if (a.kind == match_kind::any) {
      a.kind = match_kind::bind;
      a.variable = s.fresh();
    }
    term value = a.kind == match_kind::equal        ? a.value
                 : a.kind == match_kind::bind_inner ? apply(op::wrap, params[i], {variable(a.variable, params[i].inner[0])})
                                                    : variable(a.variable, params[i]);
    both.push_back(
        apply(op::equal, boolean_type(), {std::move(value), of_type(s, before.args[i], params[i], "this argument")}));
  }
  if (!before.when.empty()) both.push_back(condition(s, before.when[0]));
  require_when(m.on, negation(conjunction(std::move(both))));
}

// `keys`: the cell's keys where another pattern determines them (clear); else they are the pattern's own variables.
compiler::cell_update compiler::compile_update(scope& outer, const ast::event_pattern& written, action act,
                                               const std::vector<std::string>* keys) {
  scope s = cell_scope(outer);
  matched m = compile_pattern(s, written);
  cell_update made;
  made.names = keys ? *keys : bound_names(s);
  made.span_kind = m.on.span_kind;
  made.span_name = m.on.place == span_match::none ? "" : written.span;
  for (term& g : m.guards) require_when(m.on, std::move(g));
  for (const auto& name : made.names) {
    scope_variable& v = *s.find(name);
    made.code.keys.push_back(s.mention(v, written.where));
    made.key_types += print(v.type) + " ";
    if (!v.bound) made.code.free.emplace_back(v.index, v.type);
    v.bound = true;
  }
  for (const auto& v : s.variables)
    if (v.index != unassigned && !v.bound)
      throw diagnostic(v.where,
                       fmt::format("`{}` cannot be bound by matching `{}`: it is not an argument of the event", v.name,
                                   describe(written)),
                       "a pattern that is remembered may only use variables that are arguments of its event");
  if (made.names.size() > most_keys)
    throw diagnostic(written.where, fmt::format("a pattern may remember at most {} variables", most_keys));
  made.code.on = std::move(m.on);
  made.code.act = act;
  made.code.variables = s.size;
  return made;
}

// The updates of several alternatives, all with the keys of the first.
std::vector<compiler::cell_update> compiler::compile_updates(scope& outer, const std::vector<ast::event_pattern>& patterns,
                                                             action act) {
  std::vector<cell_update> made;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    cell_update u = compile_update(outer, patterns[i], act, nullptr);
    if (i > 0) {
      if (!includes(u.names, made[0].names) || !includes(made[0].names, u.names))
        throw diagnostic(patterns[i].where,
                         "alternatives that are remembered together must have the same variables as arguments",
                         fmt::format("`{}` and `{}` have not", describe(patterns[0]), describe(patterns[i])));
      if (u.span_name != made[0].span_name)
        throw diagnostic(patterns[i].where, "alternatives that are remembered together must be in the same span");
      if (u.names != made[0].names) u = compile_update(outer, patterns[i], act, &made[0].names);
    }
    made.push_back(std::move(u));
  }
  return made;
}

std::uint32_t compiler::add_cell(const std::string& name, bool counter, std::vector<cell_update> updates) {
  std::string key = counter ? "counter" : "flag";
  for (const auto& u : updates) key += u.key_types + structure(u.code);
  auto number = static_cast<std::uint32_t>(out_.cells.size());
  if (auto [found, added] = cell_numbers_.emplace(key, number); !added) return found->second;
  cell made;
  int uses = ++cell_names_[name];
  made.name = uses == 1 ? name : fmt::format("{} #{}", name, uses);
  made.counter = counter;
  made.span = updates[0].span_kind;
  out_.cells.push_back(std::move(made));
  for (auto& u : updates) {
    u.code.cell = number;
    out_.updates.push_back(std::move(u.code));
  }
  return number;
}

// Reads the cell at the outer scope's variables.
term compiler::read_cell(scope& s, std::uint32_t number, const cell_update& like, source_range where) {
  term t = apply(op::cell, boolean_type(), {});
  t.index = number;
  cell& c = out_.cells[number];
  c.keys.clear();
  for (const auto& name : like.names) {
    scope_variable& v = *s.find(name);
    t.kids.push_back(variable(s.mention(v, where), v.type));
    c.keys.push_back(v.type);
  }
  if (c.counter) t.type = integer_type(0, no_bound);
  for (const auto& span : s.spans) {
    if (like.span_name.empty() || span.name != like.span_name) continue;
    if (!span.bound)
      throw diagnostic(
          where,
          fmt::format("span variable `{}` is not bound by the pattern around this: write `in {}` or `within {}` there",
                      span.name, span.name, span.name));
    t.span = span.number;
  }
  return t;
}

term compiler::read_earlier(scope& s, const std::vector<ast::event_pattern>& patterns) {
  auto updates = compile_updates(s, patterns, action::set);
  cell_update like = updates[0];
  std::string name = describe(patterns[0]);
  for (std::size_t i = 1; i < patterns.size(); ++i) name += " | " + describe(patterns[i]);
  return read_cell(s, add_cell(name + " earlier", false, std::move(updates)), like, patterns[0].where);
}

term compiler::read_count(scope& s, const std::vector<ast::event_pattern>& patterns, source_range where) {
  auto updates = compile_updates(s, patterns, action::increment);
  for (std::size_t j = 1; j < patterns.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (patterns[i].event != patterns[j].event) continue;
      scope inner = cell_scope(s);
      matched m = compile_pattern(inner, patterns[j]);
      for (std::size_t k = 0; k < j; ++k)
        if (patterns[k].event == patterns[j].event)
          exclude(inner, patterns[k], patterns[j], m, out_.events[m.on.event].params);
      updates[j].code.on = std::move(m.on);
      updates[j].code.variables = inner.size;
      updates[j].code.keys.clear();
      for (const auto& name : updates[0].names) updates[j].code.keys.push_back(inner.find(name)->index);
      break;
    }
  cell_update like = updates[0];
  std::string name = "count " + describe(patterns[0]);
  for (std::size_t i = 1; i < patterns.size(); ++i) name += " | " + describe(patterns[i]);
  return read_cell(s, add_cell(name, true, std::move(updates)), like, where);
}

namespace {

void same_span(const ast::event_pattern& p, const ast::event_pattern& q) {
  bool p_placed = p.place != ast::placement::anywhere, q_placed = q.place != ast::placement::anywhere;
  if (p_placed != q_placed || (p_placed && p.span != q.span))
    throw diagnostic(q.where, "both sides of `since` must be in the same span, or both in none");
}

}  // namespace

term compiler::since_form(scope& s, const ast::event_pattern& p, const std::vector<const ast::event_pattern*>& qs) {
  std::vector<cell_update> updates;
  cell_update set = compile_update(s, p, action::set, nullptr);
  std::string name = describe(p) + " since ";
  for (const auto* q : qs) {
    updates.push_back(compile_update(s, *q, action::clear, &set.names));
    name += (q == qs[0] ? "" : " | ") + describe(*q);
  }
  cell_update like = set;
  updates.push_back(std::move(set));  // an event that is both P and Q leaves the flag set: that Q is not after that P
  return read_cell(s, add_cell(name, false, std::move(updates)), like, p.where);
}

term compiler::not_since_form(scope& s, const ast::event_pattern& p, const ast::event_pattern& q) {
  std::vector<cell_update> updates;
  updates.push_back(compile_update(s, q, action::set, nullptr));
  cell_update like = updates[0];
  updates.push_back(compile_update(s, p, action::clear, &like.names));
  std::string name = fmt::format("{} after the last {}", describe(q), describe(p));
  return read_cell(s, add_cell(name, false, std::move(updates)), like, p.where);
}

term compiler::read_since(scope& s, const ast::expr& e) {
  const ast::event_pattern& p = e.patterns[0];
  std::vector<const ast::event_pattern*> fewer;
  std::vector<term> parts;
  scope p_scope = cell_scope(s);
  compile_pattern(p_scope, p);
  auto p_names = bound_names(p_scope);
  bool p_read = false;
  for (std::size_t i = 1; i < e.patterns.size(); ++i) {
    const ast::event_pattern& q = e.patterns[i];
    same_span(p, q);
    scope q_scope = cell_scope(s);
    compile_pattern(q_scope, q);
    auto q_names = bound_names(q_scope);
    if (includes(p_names, q_names)) {
      fewer.push_back(&q);
    } else if (includes(q_names, p_names)) {
      if (!p_read) parts.push_back(read_earlier(s, {p}));
      p_read = true;
      parts.push_back(negation(not_since_form(s, p, q)));
    } else {
      throw diagnostic(q.where, "the variables of one side of `since` must include those of the other",
                       fmt::format("`{}` and `{}` each have one that the other has not", describe(p), describe(q)));
    }
  }
  if (!fewer.empty()) parts.push_back(since_form(s, p, fewer));
  return conjunction(std::move(parts));
}

// P leads to Q: a flag for each value of P's variables, set by P and cleared by Q. An event that is both clears it.
std::uint32_t compiler::due_cell(const ast::property& p, std::vector<std::string>& keys) {
  scope s = property_scope(p);
  for (const auto& b : p.binders)
    if (!b.domain.empty() || !s.find(b.name))
      throw diagnostic(b.where, "a variable of `leads to` ranges over a sort");
  std::vector<cell_update> updates = compile_updates(s, p.patterns, action::set);
  const cell_update like = updates[0];
  keys = like.names;
  std::string name = describe(p.patterns[0]) + " leads to " + describe(p.answers[0]);
  for (const ast::event_pattern& q : p.answers) {
    scope own = cell_scope(s);
    compile_pattern(own, q);
    for (const auto& bound : bound_names(own))
      if (!includes(keys, {bound}))
        throw diagnostic(q.where, fmt::format("`{}` is no argument of `{}`, which is to be answered", bound, describe(p.patterns[0])),
                         "write `_` where any value will do");
    updates.push_back(compile_update(s, q, action::clear, &keys));
  }
  const std::uint32_t cell = add_cell(name, false, std::move(updates));
  read_cell(s, cell, like, p.where);
  return cell;
}

typed compiler::atom(scope& s, const ast::expr& e) {
  typed made;
  made.where = e.where;
  if (e.kind == ast::expr_kind::count_events) {
    made.code = read_count(s, e.patterns, e.where);
    made.type = made.code.type;
    made.counters = {made.code.index};
  } else {
    made.code = e.kind == ast::expr_kind::earlier ? read_earlier(s, e.patterns) : read_since(s, e);
  }
  return made;
}

}  // namespace quiesce::monitors::detail
