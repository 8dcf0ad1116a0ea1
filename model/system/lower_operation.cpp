// SPDX-License-Identifier: MIT
// Operations: what an environment or a scenario calls, with arguments given or chosen.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

using k = ast::expr_kind;

namespace {
bool mentions_name(const ast::expr& e, const std::string& name) {
  if (e.text == name && (e.kind == k::name || e.kind == k::apply)) return true;
  for (const auto& a : e.args)
    if (mentions_name(a, name)) return true;
  for (const auto& binder : e.binders)
    for (const auto& d : binder.domain)
      if (mentions_name(d, name)) return true;
  return false;
}
}  // namespace

// The conjuncts `all x in SEQUENCE : …` of a requirement: true of a sequence only if true of each of its prefixes.
expr_id process_code::prefix_condition(const std::vector<ast::expr>& requirement, const std::string& sequence,
                                       const std::vector<std::string>& not_chosen) {
  expr_id out = b.truth(true);
  std::vector<ast::expr> left = requirement;
  while (!left.empty()) {
    const ast::expr e = left.back();
    left.pop_back();
    if (e.kind == k::binary && e.text == "&&") left.insert(left.end(), e.args.begin(), e.args.end());
    const bool over = e.kind == k::quantified && e.text == "all" && e.binders.size() == 1 && !e.binders[0].domain.empty() &&
                      e.binders[0].domain[0].kind == k::name && e.binders[0].domain[0].text == sequence;
    if (!over || e.args.size() != 1 || mentions_name(e.args[0], sequence)) continue;
    if (std::any_of(not_chosen.begin(), not_chosen.end(),
                    [&](const std::string& name) { return mentions_name(e.args[0], name); }))
      continue;
    const value v = x.condition(e);
    if (v.defined == ir::nothing) out = b.both(out, v.e);
  }
  return out;
}

// Do values of the scalars open[n..] exist such that `requirement` holds, or fails to be defined (which the choice then
// shows)?
expr_id process_code::some_choice(const std::vector<const ast::param*>& open, std::size_t n, const ast::expr& requirement) {
  if (n == open.size()) {
    const value v = x.condition(requirement);
    return v.defined == ir::nothing ? v.e : b.either(b.negated(v.defined), v.e);
  }
  const type_id type = s.resolve(open[n]->type[0]).type;
  const auto with = [&](expr_id e) {
    x.names.open();
    binding name;
    name.alias = {e, type, {}, ir::nothing, {}};
    x.names.bind(open[n]->name, name);
    const expr_id rest = some_choice(open, n + 1, requirement);
    x.names.close();
    return rest;
  };
  if (b.type(type).kind == ir::type_kind::element) {
    const temp_id t = x.take_temp();
    return b.over(op::some, b.boolean(), b.type(type).sort, t, with(b.temp(t, type)));
  }
  const auto values = b.cardinality(type);
  if (!values || *values > 256) throw diagnostic(open[n]->where, "there are too many values to choose from");
  expr_id any = b.truth(false);
  for (std::uint64_t i = 0; i < *values; ++i)
    any = b.either(any, with(b.constant(b.low(type) + static_cast<std::int64_t>(i), type)));
  return any;
}

// begin; then, in one step, arguments for `any` such that `requires` holds, and the body; or `otherwise`, where no arguments
// do. Whether a sequence exists is not decided: there `otherwise` is possible too.
void process_code::perform(const ast::statement& st) {
  const auto it = s.operations.find(st.text);
  if (it == s.operations.end()) throw diagnostic(st.where, fmt::format("there is no operation '{}'", st.text));
  const ast::operation_decl& d = *it->second;
  if (atomic_) throw diagnostic(st.where, "an operation takes locks: it cannot be performed inside atomic");
  if (st.args.size() != d.params.size())
    throw diagnostic(st.where,
                     fmt::format("'{}' takes {} argument{}", d.name, d.params.size(), d.params.size() == 1 ? "" : "s"));
  open_scope();
  names given;
  std::vector<const ast::param*> open;
  for (std::size_t i = 0; i < d.params.size(); ++i) {
    if (d.params[i].kind != ast::param_kind::value)
      throw diagnostic(d.params[i].where, "the parameters of an operation are values");
    if (st.args[i].kind == k::any)
      open.push_back(&d.params[i]);
    else
      given[d.params[i].name] = bind_argument(d.params[i], st.args[i], st);
  }
  inline_body(d.name, d.at, given, d.begin);
  enter(d.name, d.at, given, [&] {
    code_label refuse, done;
    if (!open.empty() || !d.requires_.empty()) begin_step(st);
    const temp_id t = x.take_temp();
    bool sequence = false;
    for (const auto* p : open) sequence |= s.resolve(p->type[0]).sequence;
    const expr_id way = b.temp(t, b.boolean());
    // Scalars are quantified over, to know whether any choice is allowed.
    expr_id possible = b.truth(true);
    if (!sequence && !d.requires_.empty()) {
      if (open.empty()) check_value(x.condition(d.requires_[0]), d.requires_[0].where);
      possible = some_choice(open, 0, d.requires_[0]);
    }
    if (sequence) {
      ir::instruction i;
      i.code = ir::operation::choose;
      i.temp = t;
      i.count = 2;
      i.note = b.string("performed");
      i.where = st.where;
      emit(i);
      jump_if(b.negated(way), refuse);
    } else {
      jump_if(b.negated(possible), refuse);
    }
    std::vector<std::string> not_chosen;
    for (const auto* p : open) not_chosen.push_back(p->name);
    for (const auto* p : open) {
      not_chosen.erase(not_chosen.begin());
      const resolved_type ty = s.resolve(p->type[0]);
      binding name;
      name.alias.type = ty.type;
      if (ty.sequence) {
        name.kind = binding_kind::sequence;
        name.alias.sequence = local_sequence(p->name, ty.type, ty.capacity, ty.queue);
        choose_sequence(*name.alias.sequence, st.where, p->name, [&] {
          x.names.bind(p->name, name);
          return prefix_condition(d.requires_, p->name, not_chosen);
        });
      } else {
        variable_id v;
        name.alias.e = local(p->name, ty.type, &v);
        choose_into(v, self_index(), ty.type, st.where, p->name);
      }
      x.names.bind(p->name, name);
    }
    if (!d.requires_.empty() && (sequence || !open.empty())) {
      const value c = x.condition(d.requires_[0]);
      check_value(c, d.requires_[0].where);
      await(c.e, d.requires_[0].where);
    }
    code_label leave;
    calls_.push_back({&leave, cleanups_.size(), std::nullopt, ir::nothing});
    block(d.body);
    bind(leave);
    jump(done);
    calls_.pop_back();
    bind(refuse);
    code_label refused;
    calls_.push_back({&refused, cleanups_.size(), std::nullopt, ir::nothing});
    block(d.otherwise);
    calls_.pop_back();
    bind(refused);
    bind(done);
  });
  close_scope();
}

}  // namespace quiesce::lowering
