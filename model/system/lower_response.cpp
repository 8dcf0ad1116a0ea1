// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "model/system/lower_code.hpp"
#include "model/system/response.hpp"

namespace quiesce {

namespace lowering {

namespace {

constexpr std::size_t most_properties = 64, most_fair = 64;

// Calls visit(element numbers) for every element of the product of these sorts.
template <class F>
void each_tuple(const builder& b, const std::vector<sort_id>& sorts, F&& visit) {
  std::vector<std::uint32_t> at(sorts.size(), 0);
  for (const sort_id s : sorts)
    if (b.size(s) == 0) return;
  for (;;) {
    visit(at);
    std::size_t i = at.size();
    while (i > 0 && ++at[i - 1] == b.size(sorts[i - 1])) at[--i] = 0;
    if (i == 0) return;
  }
}

std::string text_of(const builder& b, const std::vector<std::string>& names, const std::vector<sort_id>& sorts,
                    const std::vector<std::uint32_t>& at) {
  std::string text;
  for (std::size_t i = 0; i < at.size(); ++i)
    text += fmt::format("{}{} = {}", i ? ", " : "", names[i], b.program.sorts[sorts[i]].element[at[i]]);
  return text;
}

class conditions {
 public:
  conditions(shared_lowering& all, const monitor_weaver& weaver, const ast::property& p, response& out)
      : all_(all), weaver_(weaver), b_(all.b), p_(p), out_(out) {}

  void add() {
    if (p_.condition.empty())
      between_events();
    else
      between_states();
  }

 private:
  std::uint32_t condition(const std::string& name, expr_id e) {
    auto& properties = b_.program.properties;
    if (properties.size() == most_properties)
      throw diagnostic(p_.where, fmt::format("'{}' has too many instances in this scope", p_.name), "take a smaller scope");
    ir::checked_property c;
    c.name = name;
    c.sometimes = true;
    c.invariant = e;
    properties.push_back(std::move(c));
    return static_cast<std::uint32_t>(properties.size() - 1);
  }

  void between_events() {
    const monitors::monitor& m = all_.monitors.monitors[0];
    const variable_id v = weaver_.plain_cell(static_cast<std::uint32_t>(m.due));
    if (v == ir::nothing) return;
    const std::vector<sort_id> sorts = b_.program.variables[v].index;
    each_tuple(b_, sorts, [&](const std::vector<std::uint32_t>& at) {
      std::vector<expr_id> index;
      for (std::size_t i = 0; i < at.size(); ++i) index.push_back(b_.constant(at[i], b_.element(sorts[i])));
      obligation o;
      o.text = text_of(b_, m.due_for, sorts, at);
      o.due = condition(p_.name + " due: " + o.text, b_.load(v, index));
      out_.obligations.push_back(std::move(o));
    });
  }

  std::vector<sort_id> sorts_of_binders() {
    std::vector<sort_id> sorts;
    for (const ast::binder& b : p_.binders) {
      if (b.type.empty()) throw diagnostic(b.where, "a variable of `leads to` ranges over a sort");
      const resolved_type t = all_.s.resolve(b.type[0]);
      if (t.sequence || b_.type(t.type).kind != ir::type_kind::element)
        throw diagnostic(b.where, "a variable of `leads to` ranges over a sort");
      sorts.push_back(b_.type(t.type).sort);
    }
    return sorts;
  }

  // Where a condition means nothing an answer is due, and none is given.
  void between_states() {
    const std::vector<sort_id> sorts = sorts_of_binders();
    std::vector<std::string> names;
    for (const ast::binder& b : p_.binders) names.push_back(b.name);
    temp_id temps = b_.program.invariant_temps;
    each_tuple(b_, sorts, [&](const std::vector<std::uint32_t>& at) {
      expressions x(all_.s);
      x.proving = true;
      x.names.open();
      for (std::size_t i = 0; i < at.size(); ++i) {
        binding name;
        name.alias = x.element_value(b_.constant(at[i], b_.element(sorts[i])), sorts[i]);
        x.names.bind(names[i], name);
      }
      const value due = x.condition(p_.condition[0]), answered = x.condition(p_.condition[1]);
      temps = std::max(temps, x.temps);
      obligation o;
      o.text = text_of(b_, names, sorts, at);
      o.due = condition(p_.name + " due: " + o.text,
                        due.defined == ir::nothing ? due.e : b_.either(b_.negated(due.defined), due.e));
      o.answered = condition(p_.name + " answered: " + o.text,
                             answered.defined == ir::nothing ? answered.e : b_.both(answered.defined, answered.e));
      out_.obligations.push_back(std::move(o));
    });
    b_.program.invariant_temps = temps;
    b_.program.properties[0].has_trigger = true;
  }

  shared_lowering& all_;
  const monitor_weaver& weaver_;
  builder& b_;
  const ast::property& p_;
  response& out_;
};

fair_process fair_at(const shared_lowering& all, const ast::fair_place& of, bool strong) {
  const auto& processes = all.b.program.processes;
  fair_process f{strong, 0, {}};
  while (f.process < processes.size() && processes[f.process].name != of.process) ++f.process;
  if (f.process == processes.size()) {
    std::string known;
    for (const ir::process& p : processes) known += (known.empty() ? "" : ", ") + p.name;
    throw diagnostic(of.where, fmt::format("the model has no process '{}'", of.process), "it has " + known);
  }
  if (of.place.empty()) return f;
  bool found = false;
  for (const ir::location& l : processes[f.process].locations) {
    f.at.push_back(is_inside(l, of.place));
    found = found || f.at.back();
  }
  if (!found && !is_place(all.s, of.place))
    throw diagnostic(of.where, fmt::format("process '{}' is never inside '{}'", of.process, of.place),
                     "a procedure, an operation, a handler or a label of the model is expected here");
  return f;
}

std::vector<fair_process> fair_of(const shared_lowering& all, const ast::property& p) {
  std::vector<fair_process> out;
  for (const ast::fairness& f : p.fair) {
    for (const ast::fair_place& of : f.of) out.push_back(fair_at(all, of, f.strong));
    if (!f.of.empty()) continue;
    for (std::uint32_t q = 0; q < all.b.program.processes.size(); ++q) out.push_back({f.strong, q, {}});
  }
  std::size_t instances = 0;
  for (const fair_process& f : out) {
    const ir::process& q = all.b.program.processes[f.process];
    instances += q.over == ir::nothing ? 1 : all.b.size(q.over);
  }
  if (instances > most_fair)
    throw diagnostic(p.where,
                     fmt::format("'{}' grants fairness to more than {} processes in this scope", p.name, most_fair));
  return out;
}

}  // namespace

}  // namespace lowering

response lower_response(const loaded_model& m, const instance& i, const ast::property& p) {
  for (const auto& [name, n] : i.scope)
    if (n == any_number)
      throw diagnostic(p.where,
                       fmt::format("'{}' is about runs without end: it is not proved for any number of elements", p.name),
                       "give the scope numbers");
  response out;
  out.low =
      lowering::lower_with(m, i, {&p}, {}, [&](lowering::shared_lowering& all, const lowering::monitor_weaver& weaver) {
        lowering::conditions(all, weaver, p, out).add();
        out.fair = lowering::fair_of(all, p);
      });
  return out;
}

}  // namespace quiesce
