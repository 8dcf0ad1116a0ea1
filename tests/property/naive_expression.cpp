// SPDX-License-Identifier: MIT
// Declarations and values.
#include "tests/property/naive_model_internal.hpp"

namespace quiesce::test::naive {

// --- declarations
// ----------------------------------------------------------------------------------------------------------

range naive_model::range_of(const ast::type_expr& t) const {
  switch (t.kind) {
    case ast::type_kind::boolean:
      return {0, 1};
    case ast::type_kind::range:
      return {constant(t.bounds[0]), constant(t.bounds[1])};
    case ast::type_kind::named:
      return {0, sorts_.at(t.text) - 1};
    case ast::type_kind::option:
      return {-1, range_of(t.args[0]).high};
    case ast::type_kind::set:
      return {0, (std::int64_t{1} << sorts_.at(t.args[0].text)) - 1};
    default:
      throw std::logic_error("a type that random models do not have");
  }
}

cell_value naive_model::least(const ast::type_expr& t) const {
  if (t.kind == ast::type_kind::seq || t.kind == ast::type_kind::queue) return {};
  return {range_of(t).low};
}

std::vector<std::int64_t> naive_model::values(const ast::type_expr& t) const {
  std::vector<std::int64_t> all;
  for (std::int64_t v = range_of(t).low; v <= range_of(t).high; ++v) all.push_back(v);
  return all;
}

void naive_model::declare(const ast::variable_decl& d) {
  variables_[d.name] = &d;
  std::size_t cells = 1;
  for (const auto& s : d.index) cells *= static_cast<std::size_t>(sorts_.at(s));
  const cell_value start =
      d.initial.empty() ? least(d.type) : cell_value{d.initial[0].value};  // random models start with literals
  first_.globals[d.name] = std::vector<cell_value>(cells, start);
}

void naive_model::declare() {
  for (const auto& item : model_.items) {
    if (const auto* d = std::get_if<ast::sort_decl>(&item)) {
      sorts_[d->name] = d->standard;
      for (const auto& x : d->extras) elements_.emplace(x.name, static_cast<std::int64_t>(elements_.size()));
    }
    if (const auto* d = std::get_if<ast::procedure_decl>(&item)) procedures_[d->name] = d;
    if (const auto* d = std::get_if<ast::lock_decl>(&item)) {
      mutexes_.insert(d->name);
      first_.globals[d->name] = {{0}};
    }
  }
  for (const auto& item : model_.items) {
    if (const auto* d = std::get_if<ast::variable_decl>(&item)) declare(*d);
    const auto* p = std::get_if<ast::process_decl>(&item);
    if (!p) continue;
    const std::int64_t n = p->params.empty() ? 1 : sorts_.at(p->params[0].type[0].text);
    for (std::int64_t i = 0; i < n; ++i) {
      process_state s;
      if (!p->params.empty()) s.names[p->params[0].name] = {i};
      push_block(s, p->body);
      first_.processes.push_back(s);
      instances_.push_back({p, i});
    }
  }
}

// --- expressions
// -----------------------------------------------------------------------------------------------------------

std::size_t naive_model::cell_of(const ast::expr& e, const view& v) const {
  std::size_t at = 0;
  const auto& index = variables_.at(e.text)->index;
  for (std::size_t i = 0; i < index.size(); ++i)
    at = at * static_cast<std::size_t>(sorts_.at(index[i])) + static_cast<std::size_t>(number(e.args[i], v));
  return at;
}

cell_value naive_model::apply(const ast::expr& e, const view& v) const {
  if (variables_.count(e.text)) return v.s.globals.at(e.text)[cell_of(e, v)];
  if (e.text == "min" || e.text == "max") {
    const auto a = number(e.args[0], v), b = number(e.args[1], v);
    return {e.text == "min" ? std::min(a, b) : std::max(a, b)};
  }
  if (e.text == "len") return {static_cast<std::int64_t>(eval(e.args[0], v).size())};
  if (e.text == "card") return {__builtin_popcountll(static_cast<unsigned long long>(number(e.args[0], v)))};
  if (e.text == "locked") return {v.s.globals.at(e.args[0].text)[0][0] != 0};
  if (e.text == "held") return {holds(e.args[0].text, v.s)};
  if (e.text == "value") {
    const auto o = number(e.args[0], v);
    if (o < 0) throw failure{"value_of_none"};
    return {o};
  }
  throw std::logic_error("a function that random models do not use: " + e.text);
}

bool naive_model::is_sequence(const ast::expr& e, const view& v) const {
  (void)v;
  if (e.kind != ek::name || !variables_.count(e.text)) return false;
  const auto kind = variables_.at(e.text)->type.kind;
  return kind == ast::type_kind::seq || kind == ast::type_kind::queue;
}

std::vector<std::int64_t> naive_model::domain(const ast::binder& b, const view& v) const {
  if (!b.type.empty()) return values(b.type[0]);
  const cell_value d = eval(b.domain[0], v);
  if (is_sequence(b.domain[0], v)) return d;
  std::vector<std::int64_t> members;
  for (std::int64_t i = 0; i < 64; ++i)
    if (d[0] >> i & 1) members.push_back(i);
  return members;
}

std::int64_t naive_model::quantified(const ast::expr& e, const view& v) const {
  std::int64_t n = 0;
  const auto all = domain(e.binders[0], v);
  for (const auto x : all) {
    locals names = v.names;
    names[e.binders[0].name] = {x};
    n += number(e.args[0], {v.s, names}) != 0;
  }
  return e.text == "count" ? n : e.text == "all" ? n == static_cast<std::int64_t>(all.size()) : n > 0;
}

std::int64_t naive_model::binary(const ast::expr& e, const view& v) const {
  const std::string& o = e.text;
  const std::int64_t a = number(e.args[0], v);
  if (o == "&&") return a ? number(e.args[1], v) : 0;
  if (o == "||") return a ? 1 : number(e.args[1], v);
  if (o == "=>") return a ? number(e.args[1], v) : 1;
  if (o == "in") {
    const cell_value d = eval(e.args[1], v);
    if (is_sequence(e.args[1], v)) return std::find(d.begin(), d.end(), a) != d.end();
    return d[0] >> a & 1;
  }
  const std::int64_t b = number(e.args[1], v);
  if (o == "<=>" || o == "==") return a == b;
  if (o == "!=") return a != b;
  if (o == "<") return a < b;
  if (o == "<=") return a <= b;
  if (o == ">") return a > b;
  if (o == ">=") return a >= b;
  const bool sets =
      e.args[1].kind == ek::set_literal || e.args[1].kind == ek::set_filter;  // in random models the right operand shows it
  if (o == "+") return sets ? a | b : a + b;
  if (o == "-") return sets ? a & ~b : a - b;
  throw std::logic_error("an operator that random models do not use: " + o);
}

cell_value naive_model::eval(const ast::expr& e, const view& v) const {
  switch (e.kind) {
    case ek::boolean:
    case ek::integer:
      return {e.value};
    case ek::none:
      return {-1};
    case ek::name:
      if (const auto l = v.names.find(e.text); l != v.names.end()) return l->second;
      if (const auto x = elements_.find(e.text); x != elements_.end()) return {x->second};
      return v.s.globals.at(e.text)[0];
    case ek::apply:
      return apply(e, v);
    case ek::unary:
      return {e.text == "!" ? !number(e.args[0], v) : -number(e.args[0], v)};
    case ek::binary:
      return {binary(e, v)};
    case ek::conditional:
      return eval(number(e.args[0], v) ? e.args[1] : e.args[2], v);
    case ek::quantified:
      return {quantified(e, v)};
    case ek::set_literal: {
      std::int64_t set = 0;
      for (const auto& a : e.args) set |= std::int64_t{1} << number(a, v);
      return {set};
    }
    case ek::set_filter: {
      std::int64_t set = 0;
      for (const auto x : values(e.binders[0].type[0])) {
        locals names = v.names;
        names[e.binders[0].name] = {x};
        if (number(e.args[0], {v.s, names})) set |= std::int64_t{1} << x;
      }
      return {set};
    }
    default:
      throw std::logic_error("an expression that random models do not have");
  }
}

bool naive_model::shared(const ast::expr& e) const {
  if (e.text == "locked" && e.kind == ek::apply) return true;
  if (const auto it = variables_.find(e.text);
      (e.kind == ek::name || e.kind == ek::apply) && it != variables_.end() && it->second->guard.empty())
    return true;
  for (const auto& a : e.args)
    if (shared(a)) return true;
  for (const auto& b : e.binders)
    for (const auto& d : b.domain)
      if (shared(d)) return true;
  return false;
}

void naive_model::check_guards(const ast::expr& e, const state& s) const {
  if (const auto it = variables_.find(e.text);
      (e.kind == ek::name || e.kind == ek::apply) && it != variables_.end() && !it->second->guard.empty())
    if (!holds(it->second->guard, s)) throw failure{"lock_misuse"};
  for (const auto& a : e.args) check_guards(a, s);
}

void naive_model::check_range(const ast::type_expr& t, const cell_value& v) const {
  if (t.kind == ast::type_kind::seq || t.kind == ast::type_kind::queue) return;
  if (v[0] < range_of(t).low || v[0] > range_of(t).high) throw failure{"range"};
}

// --- steps
// -----------------------------------------------------------------------------------------------------------------

}  // namespace quiesce::test::naive
