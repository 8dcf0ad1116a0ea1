// SPDX-License-Identifier: MIT
// Type checks of procedures, operations and handlers that no process of this instance reaches.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

// --------------------------------------------------------------------------------

binding process_code::dry_binding(const ast::param& p) {
  binding out;
  if (p.kind == ast::param_kind::event) {
    out.kind = binding_kind::event;
    out.event = unknown_event;
    return out;
  }
  if (p.kind == ast::param_kind::reference) {
    const auto it = s.globals.find(p.node);
    if (it == s.globals.end() || it->second.kind != global_kind::node)
      throw diagnostic(p.where, fmt::format("there is no list node '{}'", p.node));
    out.kind = binding_kind::head;
    out.space = it->second.space;
    out.address = b.constant(first_node, b.element(s.spaces[out.space].sort));
    return out;
  }
  const resolved_type t = s.resolve(p.type[0]);
  out.alias.type = t.type;
  if (t.sequence) {
    out.kind = binding_kind::sequence;
    out.alias.sequence = local_sequence(p.name, t.type, t.capacity, t.queue);
  } else {
    out.alias.e = local(p.name, t.type);
  }
  return out;
}

void process_code::dry_procedure(const ast::procedure_decl& d) {
  held_.emplace_back();
  live_ = true;
  stop(false, nullptr);
  names params;
  for (const auto& p : d.params) params[p.name] = dry_binding(p);
  std::optional<type_id> result_type;
  variable_id result = ir::nothing;
  if (!d.result.empty()) {
    result_type = s.resolve(d.result[0]).type;
    local(d.name + ".result", *result_type, &result);
  }
  enter(d.name, d.at, std::move(params), [&] {
    code_label leave;
    calls_.push_back({&leave, cleanups_.size(), result_type, result});
    block(d.body);
    calls_.pop_back();
    bind(leave);
  });
  if (!d.recursive.empty()) s.integer_constant(d.recursive[0]);
}

void process_code::dry_operation(const ast::operation_decl& d) {
  held_.emplace_back();
  live_ = true;
  stop(false, nullptr);
  names params;
  for (const auto& p : d.params) params[p.name] = dry_binding(p);
  enter(d.name, d.at, std::move(params), [&] {
    for (const auto& e : d.requires_) x.condition(e);
    code_label leave;
    calls_.push_back({&leave, cleanups_.size(), std::nullopt, ir::nothing});
    for (const auto* body : {&d.begin, &d.otherwise, &d.body}) {
      live_ = true;
      block(*body);
    }
    calls_.pop_back();
    bind(leave);
  });
}

void process_code::dry_handler(const ast::handler_decl& d) {
  held_.emplace_back();
  stop(false, nullptr);
  for (const auto& c : d.clauses) {
    live_ = true;
    names params;
    std::size_t i = 0;
    const auto ev = shared.events.find(c.event);
    if (!c.event.empty() && ev == shared.events.end())
      throw diagnostic(c.where, fmt::format("there is no event '{}'", c.event));
    for (const auto& name : c.params) {
      binding p;
      if (!c.event.empty()) {
        const auto& types = shared.monitors.events[ev->second].params;
        if (i >= types.size()) throw diagnostic(c.where, fmt::format("'{}' has {} parameter(s)", c.event, types.size()));
        const type_id t = shared.event_type(types[i], c.where);
        p.alias = {b.constant(b.low(t), t), t, {}, ir::nothing, {}};
        params[name] = p;
      }
      ++i;
    }
    if (c.event.empty()) continue;  // its parameters get their types where it runs
    inline_body(d.name, d.at, std::move(params), c.body);
  }
}

}  // namespace quiesce::lowering
