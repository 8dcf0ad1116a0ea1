// SPDX-License-Identifier: MIT
// Properties to monitors: one check for each alternative of the trigger.

#include "properties/compiled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "properties/compile_internal.hpp"

namespace quiesce::monitors {
namespace detail {

compiler::compiler(const ast::vocabulary& v) : vocabulary_(v) {
  std::set<std::string> sorts;
  for (const auto& s : v.sorts)
    if (!sorts.insert(s.name).second) throw diagnostic(s.where, fmt::format("sort `{}` is declared twice", s.name));
  declare_events();
  declare_ghosts();
  declare_ghost_updates();
}

// Every binder, numbered in order; spans apart.
scope compiler::property_scope(const ast::property& p) {
  scope s;
  for (const auto& b : p.binders) {
    bool taken = s.find(b.name) || find_ghost(b.name) != unassigned;
    for (const auto& r : s.spans) taken = taken || r.name == b.name;
    if (taken) throw diagnostic(b.where, fmt::format("`{}` is a name already", b.name));
    bool span = !b.type.empty() && b.type[0].kind == ast::type_kind::named && span_numbers_.count(b.type[0].text);
    if (span) {
      s.spans.push_back({b.name, span_numbers_.at(b.type[0].text), static_cast<int>(s.spans.size()), false});
      continue;
    }
    scope known = s;  // only the type is wanted here; whether the span is bound is checked with the guard
    for (auto& r : known.spans) r.bound = true;
    std::uint32_t index = s.fresh();
    s.variables.push_back({b.name, binder_type(known, b, index).first, b.where, index, false, false});
  }
  return s;
}

std::vector<term> compiler::domain_guards(scope& s, const ast::property& p) {
  std::vector<term> guards;
  for (const auto& b : p.binders)
    if (!b.domain.empty())
      for (term& g : binder_type(s, b, s.find(b.name)->index).second) guards.push_back(std::move(g));
  return guards;
}

void compiler::add_check(monitor& m, scope s, const ast::property& p, const matched& at, term wanted) {
  for (const auto& b : p.binders)
    for (const auto& r : s.spans)
      if (r.name == b.name && !r.bound)
        throw diagnostic(b.where, fmt::format("span variable `{}` is not bound by the trigger", r.name),
                         fmt::format("write `in {0}` or `within {0}` behind each triggering event", r.name));
  check made;
  made.on = at.on;
  std::vector<term> guards = at.guards;
  for (term& g : domain_guards(s, p)) {
    if (mentions_unbound(s, g, nullptr, nullptr))
      guards.push_back(std::move(g));
    else if (made.on.when.empty())
      made.on.when.push_back(std::move(g));
    else
      made.on.when[0] = conjunction({std::move(made.on.when[0]), std::move(g)});
  }
  if (!guards.empty())
    wanted =
        apply(m.sometimes ? op::and_ : op::implies, boolean_type(), {conjunction(std::move(guards)), std::move(wanted)});
  made.condition = std::move(wanted);
  for (const auto& v : s.variables) {
    bool used = false;
    each_term(made.condition, [&](term& t) { used = used || (t.code == op::variable && t.index == v.index); });
    if (used && !v.bound) made.free.emplace_back(v.index, v.type);
  }
  made.variables = s.size;
  m.checks.push_back(std::move(made));
}

// What must be true at a trigger that `s` has bound.
term compiler::wanted_at(scope& s, const ast::property& p) {
  switch (p.kind) {
    case ast::property_kind::requires_:
      return condition(s, p.condition[0]);
    case ast::property_kind::after_never:
      return negation(read_earlier(s, p.patterns));
    case ast::property_kind::sometimes:
    case ast::property_kind::leads_to:
      return constant(1);
    case ast::property_kind::at_most: {
      if (p.limit < 0 || p.limit > largest_cap)
        throw diagnostic(p.where, fmt::format("`at most` takes a number from 0 to {}", largest_cap));
      term count = read_count(s, p.patterns, p.where);
      cell& c = out_.cells[count.index];
      c.cap = std::max(c.cap, p.limit);
      return apply(op::less, boolean_type(), {std::move(count), constant(p.limit, integer_type(p.limit, p.limit))});
    }
    default:
      return constant(0);
  }
}

void compiler::triggered(monitor& m, const ast::property& p, const std::vector<ast::event_pattern>& triggers) {
  for (const auto& trigger : triggers) {
    scope s = property_scope(p);
    matched at = compile_pattern(s, trigger);
    term wanted = wanted_at(s, p);
    add_check(m, std::move(s), p, at, std::move(wanted));
  }
}

void compiler::at_end(monitor& m, const ast::property& p) {
  scope s = property_scope(p);
  auto span = std::find_if(s.spans.begin(), s.spans.end(), [&](const auto& r) { return r.name == p.span; });
  if (span == s.spans.end())
    throw diagnostic(p.where, fmt::format("`at end of {}`: `{}` is not a span variable", p.span, p.span));
  span->bound = true;
  matched at;
  at.on.event = out_.spans[static_cast<std::size_t>(span->kind)].end;
  at.on.place = span_match::innermost;
  at.on.span_kind = span->kind;
  at.on.span_variable = span->number;
  term wanted = condition(s, p.condition[0]);
  add_check(m, std::move(s), p, at, std::move(wanted));
}

void compiler::add(const ast::property& p) {
  monitor m;
  m.source = &p;
  m.sometimes = p.kind == ast::property_kind::sometimes;
  switch (p.kind) {
    case ast::property_kind::invariant:
      for (const ast::expr& e : p.condition) note_named_ghosts(e);
      break;
    case ast::property_kind::no_error:
      break;
    case ast::property_kind::at_end:
      at_end(m, p);
      break;
    case ast::property_kind::after_never:
      triggered(m, p, p.forbidden);
      break;
    case ast::property_kind::leads_to:
      if (p.patterns.empty()) break;  // between states
      triggered(m, p, p.patterns);
      m.due = static_cast<int>(due_cell(p, m.due_for));
      break;
    default:
      triggered(m, p, p.patterns);
      break;
  }
  out_.monitors.push_back(std::move(m));
}

monitor_set compiler::finish() {
  // A `when` reads only cells with smaller numbers than its own cell's: see compiled.hpp.
  std::stable_sort(out_.updates.begin(), out_.updates.end(),
                   [](const update& a, const update& b) { return a.cell > b.cell; });
  keep_used_ghosts();
  return std::move(out_);
}

}  // namespace detail

monitor_set compile(const ast::vocabulary& vocabulary, const std::vector<const ast::property*>& properties) {
  detail::compiler c(vocabulary);
  std::set<std::string> names;
  for (const ast::property* p : properties) {
    if (!names.insert(p->name).second) throw diagnostic(p->where, fmt::format("property `{}` is declared twice", p->name));
    c.add(*p);
  }
  return c.finish();
}

}  // namespace quiesce::monitors
