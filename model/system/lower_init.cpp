// SPDX-License-Identifier: MIT
// The initial states: initialisers in order of declaration, then the init blocks.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"
#include "model/system/lower_filter.hpp"

namespace quiesce::lowering {

namespace {

// One instruction for all elements of a parametrised table.
template <class F>
void at_all(process_code& c, const std::vector<sort_id>& index, F each) {
  std::vector<expr_id> at;
  std::vector<std::pair<temp_id, sort_id>> bound;
  for (const sort_id s : index) {
    bound.emplace_back(c.x.take_temp(), s);
    at.push_back(c.b.temp(bound.back().first, c.b.element(s)));
  }
  c.each = bound;
  each(at);
  c.each.clear();
}

// Calls `each` with the constant index of every element of the table.
template <class F>
void for_each_index(process_code& c, const std::vector<sort_id>& index, F each) {
  if (c.b.parametrised()) return at_all(c, index, each);
  builder& b = c.b;
  std::vector<std::uint32_t> at(index.size(), 0);
  for (;;) {
    std::vector<expr_id> out;
    for (std::size_t i = 0; i < at.size(); ++i) out.push_back(b.constant(at[i], b.element(index[i])));
    each(out);
    std::size_t i = at.size();
    while (i > 0 && ++at[i - 1] == b.size(index[i - 1])) at[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace

// Each value of each element that the condition allows.
void process_code::choose_table(const ast::variable_decl& d, variable_id var, type_id type) {
  std::optional<value> c;
  if (!d.filter.empty()) c = x.condition(d.filter[0]);
  const std::vector<sort_id> index = b.program.variables[var].index;
  std::vector<element_condition> early;
  if (c && c->defined == ir::nothing && !b.parametrised()) early = element_conditions(b, c->e, var);
  if (b.parametrised())
    set(var, {}, ir::nothing, d.where);
  else
    for_each_index(*this, index, [&](const std::vector<expr_id>& at) {
      choose_into(var, at, type, d.where, d.name);
      for (const element_condition& e : early) {
        set_temp(e.element, at[0]);
        await(e.condition, d.filter[0].where);
      }
    });
  if (!c) return;
  check_value(*c, d.filter[0].where);
  await(c->e, d.filter[0].where);
}

void process_code::init_values() {
  for (const auto* d : s.items<ast::variable_decl>()) {
    const global g = s.globals.at(d->name);
    const bool any = d->rigid || (!d->initial.empty() && d->initial[0].kind == ast::expr_kind::any);
    if (g.kind == global_kind::sequence) {
      if (any) throw diagnostic(d->where, "a sequence cannot start with any value");
      if (!d->initial.empty())
        for_each_index(*this, g.index, [&](const std::vector<expr_id>& at) {
          ast::statement st;
          st.where = d->where;
          assign_sequence({g.length, g.members, at, g.type.type, g.type.capacity, g.type.queue}, d->initial[0], st);
        });
      continue;
    }
    if (any) {
      choose_table(*d, g.var, g.type.type);
    } else if (!d->initial.empty()) {
      const value v = x.coerce(x.lower(d->initial[0], g.type.type), g.type.type, d->initial[0].where);
      check_value(v, d->where);
      for_each_index(*this, g.index, [&](const std::vector<expr_id>& at) { set(g.var, at, v.e, d->where); });
    }
  }
}

// The locals of the init blocks stay in the state: at their least values, so that they tell no states apart.
void process_code::reset_locals() {
  for (variable_id v = 0; v < b.program.variables.size(); ++v) {
    const ir::variable var = b.program.variables[v];
    if (var.kind != ir::variable_kind::local || var.owner != ir::nothing) continue;
    for_each_index(*this, var.index,
                   [&](const std::vector<expr_id>& at) { set(v, at, b.constant(b.low(var.type), var.type), {}); });
  }
}

void process_code::lower_init() {
  x.names.open();
  held_.emplace_back();
  path_ = {frame_of("init", std::nullopt)};
  init_values();
  for (const auto* d : s.items<ast::init_decl>()) {
    code_label leave;
    calls_.push_back({&leave, 0, std::nullopt, ir::nothing});
    block(d->body);
    calls_.pop_back();
    bind(leave);
  }
}

}  // namespace quiesce::lowering
