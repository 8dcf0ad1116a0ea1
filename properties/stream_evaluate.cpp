// SPDX-License-Identifier: MIT
// Terms and patterns on the state before an event.

#include <algorithm>

#include "properties/diagnostic.hpp"
#include "properties/stream_internal.hpp"

namespace quiesce::monitors {

const table* stream_monitor::cell_table(std::uint32_t cell, const open_span* span) const {
  if (!span) return &state_.cells[cell];
  auto found = span->cells.find(cell);
  return found == span->cells.end() ? nullptr : &found->second;
}

std::int64_t stream_monitor::evaluate_table(const term& t, environment& env) const {
  table_key key{};
  for (std::size_t i = 0; i < t.kids.size(); ++i) key[i] = evaluate(t.kids[i], env);
  bool ghost = t.code == op::ghost;
  const table* values = ghost ? &state_.ghosts[t.index] : cell_table(t.index, t.span < 0 ? nullptr : &env.span(t.span));
  std::int64_t initial = ghost ? set_.ghosts[t.index].initial : 0;
  if (!values) return initial;
  auto found = values->find(key);
  return found == values->end() ? initial : found->second;
}

std::int64_t stream_monitor::evaluate_named(const term& t, environment& env) const {
  if (t.kids.empty()) {
    auto found = options_.named.find(t.text);
    return found == options_.named.end() ? absent : found->second;
  }
  auto found = options_.constructed.find({t.text, evaluate(t.kids[0], env)});
  return found == options_.constructed.end() ? absent : found->second;
}

void stream_monitor::each_value(const value_type& type, const std::function<void(std::int64_t)>& f) const {
  switch (type.kind) {
    case value_kind::element: {
      for (const stream_state::elements& e : state_.universe)
        for (std::size_t i = 0; e.sort == type.sort && i < e.exists.size(); ++i)
          if (e.exists[i]) f(static_cast<std::int64_t>(i));
      return;
    }
    case value_kind::option:
      f(0);
      each_value(type.inner[0], [&](std::int64_t v) { f(v + 1); });
      return;
    default:
      for (std::int64_t v = type.low; v <= type.high; ++v) f(v);
  }
}

std::int64_t stream_monitor::evaluate_quantifier(const term& t, environment& env) const {
  std::int64_t all = 1, number = 0;
  env.size(t.index + 1);
  each_in(quantifiers_.find(&t)->second, env, [&](std::int64_t v) {
    env.variables[t.index] = v;
    bool holds = evaluate(t.kids[0], env) != 0;
    all = all && holds;
    number += holds;
    return !((t.code == op::all && !all) || (t.code == op::some && number));
  });
  if (t.code == op::all) return all;
  return t.code == op::some ? number != 0 : number;
}

std::int64_t stream_monitor::evaluate(const term& t, environment& env) const {
  auto kid = [&](std::size_t i) { return evaluate(t.kids[i], env); };
  switch (t.code) {
    case op::constant:
      return t.value;
    case op::named:
      return evaluate_named(t, env);
    case op::variable:
      return env.variables[t.index];
    case op::cell:
    case op::ghost:
      return evaluate_table(t, env);
    case op::in_span: {
      const auto& members = env.span(t.span).members;
      return std::binary_search(members.begin(), members.end(), kid(0));
    }
    case op::outermost:
    case op::innermost: {
      std::size_t frame = env.spans[static_cast<std::size_t>(t.span)];
      auto here = env.stack->begin() + static_cast<std::ptrdiff_t>(frame);
      auto same_kind = [&](const open_span& s) { return s.kind == here->kind; };
      if (t.code == op::outermost) return std::none_of(env.stack->begin(), here, same_kind);
      return std::none_of(here + 1, env.stack->end(), same_kind);
    }
    case op::not_:
      return !kid(0);
    case op::and_:
      return kid(0) && kid(1);
    case op::or_:
      return kid(0) || kid(1);
    case op::implies:
      return !kid(0) || kid(1);
    case op::equal:
    case op::not_equal: {
      std::int64_t a = kid(0), b = kid(1);
      bool same = a == b && a != absent;
      return same == (t.code == op::equal);
    }
    case op::less:
      return kid(0) < kid(1);
    case op::less_equal:
      return kid(0) <= kid(1);
    case op::add:
      return kid(0) + kid(1);
    case op::subtract:
      return kid(0) - kid(1);
    case op::multiply:
      return kid(0) * kid(1);
    case op::select:
      return kid(0) ? kid(1) : kid(2);
    case op::is_none:
      return kid(0) == 0;
    case op::wrap: {
      std::int64_t v = kid(0);
      return v == absent ? absent : v + 1;
    }
    case op::value_of: {
      std::int64_t v = kid(0);
      if (v == 0) throw diagnostic("a property takes value(...) of `none`", "test the option for `none` first");
      return v == absent ? absent : v - 1;
    }
    case op::all:
    case op::some:
    case op::count:
      return evaluate_quantifier(t, env);
  }
  return 0;
}

// Binds first, so that a value to be equal to may read any variable of the pattern.
bool stream_monitor::match_arguments(const pattern& p, environment& env) const {
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    const match& m = p.args[i];
    std::int64_t value = (*env.args)[i].value;
    if (m.kind == match_kind::bind_inner && value == 0) return false;
    if (m.kind == match_kind::bind || m.kind == match_kind::bind_inner) {
      env.size(m.variable + 1);
      env.variables[m.variable] = m.kind == match_kind::bind ? value : value - 1;
    }
  }
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    const match& m = p.args[i];
    if (m.kind == match_kind::equal && evaluate(m.value, env) != (*env.args)[i].value) return false;
  }
  return true;
}

}  // namespace quiesce::monitors
