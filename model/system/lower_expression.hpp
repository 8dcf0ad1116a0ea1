// SPDX-License-Identifier: MIT
#pragma once
// Expressions of a model: names resolved, types checked, and what an evaluation may depend on or fail at worked out.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/system/lower_symbols.hpp"

namespace quiesce::lowering {

// What a value depends on. `shared`: reads a global that any process may write at any time, so reading it is a step.
// `guards`: bit i: reads a global that lock i guards. `stable`: cannot change while this process waits for a callee
// (constants, locals, rigid functions). `binds`: contains a quantifier, so it must not be duplicated into another
// expression.
struct effects {
  bool shared = false;
  bool stable = true;
  bool binds = false;
  std::uint64_t guards = 0;
  void add(const effects& o) {
    shared |= o.shared;
    stable &= o.stable;
    binds |= o.binds;
    guards |= o.guards;
  }
};

// In a parametrised program: a queue, whose `members` is one set; its order is not kept.
struct sequence_place {
  variable_id length = ir::nothing, members = ir::nothing;
  std::vector<expr_id> index;
  type_id member = 0;
  std::uint32_t capacity = 0;
  bool queue = false;
};

struct value {
  expr_id e = ir::nothing;
  type_id type = 0;
  effects fx;
  expr_id defined = ir::nothing;           // must hold, else run-time error value_of_none; nothing: always defined
  std::optional<sequence_place> sequence;  // then e is unused
};

enum class binding_kind { alias, local, sequence, head, event };
struct binding {
  binding_kind kind = binding_kind::alias;
  value alias;                      // alias; local: how it is read
  variable_id local = ir::nothing;  // local: what an assignment writes
  bool assignable = false;
  std::uint32_t space = 0;        // head
  expr_id address = ir::nothing;  // head: of a head or a node
  std::string event;
};

// An invariant speaks of what this instance does not have: a local of a procedure that is not reached, an event that no rule
// of it remembers. It says nothing here.
struct not_in_this_instance : diagnostic {
  using diagnostic::diagnostic;
};

// Names of locals, innermost scope last.
class name_scopes {
 public:
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  std::size_t depth() const { return scopes_.size(); }
  void bind(const std::string& name, binding b) { scopes_.back()[name] = std::move(b); }
  const binding* find(const std::string& name) const;
  // A procedure's body sees its own names only.
  std::vector<std::map<std::string, binding>> exchange(std::vector<std::map<std::string, binding>> with = {}) {
    std::swap(scopes_, with);
    return with;
  }

 private:
  std::vector<std::map<std::string, binding>> scopes_;
};

class expressions {
 public:
  explicit expressions(symbols& s) : s(s), b(s.b) {}
  symbols& s;
  builder& b;
  name_scopes names;
  expr_id self_element = ir::nothing;  // of the running process, in its own sort
  bool proving = false;                // an invariant: may ask for places and locals of processes
  expr_id self = ir::nothing;          // the running process as option<process>; nothing outside a process
  temp_id next_temp = 1;
  temp_id temps = 1;  // high-water mark

  // `expected` helps labels, none and {} and makes a T an option<T>.
  value lower(const ast::expr&, std::optional<type_id> expected = {});
  value condition(const ast::expr&);  // of type bool
  value coerce(value, type_id to, source_range where);
  sequence_place sequence(const ast::expr&);  // a sequence-valued name
  // The address that `x` in a list statement means.
  struct node_reference {
    std::uint32_t space;
    expr_id address;
    effects fx;
    expr_id defined = ir::nothing;
  };
  node_reference list_place(const ast::expr&);
  // `place`: what the index of the lock or timer depends on and fails at.
  expr_id lock_owner(const ast::expr&, const global** lock, std::vector<expr_id>* index, value& place);
  expr_id timer_state(const ast::expr&, const global** timer, std::vector<expr_id>* index, value& place);
  // A temp of its own until the statement ends, so that the bound variables of two expressions never meet, however they are
  // put together.
  temp_id take_temp();
  expr_id sequence_length(const sequence_place& p) {
    if (b.parametrised()) return b.make(op::cardinality, b.integer(0, unlimited), {b.load(p.members, p.index)});
    return b.load(p.length, p.index);
  }
  expr_id sequence_at(const sequence_place& p, expr_id position);
  expr_id both_defined(expr_id a, expr_id b_) const;
  value element_value(expr_id e, sort_id s) { return {e, b.element(s), {}, ir::nothing, {}}; }
  std::string type_name(type_id) const;
  bool same_type(type_id, type_id) const;

 private:
  value name(const ast::expr&, std::optional<type_id>);
  value global_read(const global&, const ast::expr&);
  value apply(const ast::expr&, std::optional<type_id>);
  std::optional<value> builtin(const ast::expr&);
  expr_id process_ended(const ast::expr&, value& place);
  std::optional<value> list_function(const ast::expr&);
  value unary(const ast::expr&);
  value binary(const ast::expr&, std::optional<type_id>);
  value comparison(const ast::expr&);
  value logical(const ast::expr&);
  value membership(const ast::expr&);
  value arithmetic(const ast::expr&, std::optional<type_id>);
  value conditional(const ast::expr&, std::optional<type_id>);
  value quantified(const ast::expr&);
  value quantify(const ast::expr&, std::size_t binder);
  value is_named(const ast::expr&);
  std::optional<value> about_process(const ast::expr&);
  value member_of_process(const ast::expr&);
  std::optional<value> about_events(const ast::expr&);
  value set_literal(const ast::expr&, std::optional<type_id>);
  value set_filter(const ast::expr&);
  value label(const ast::expr&, const std::string&, std::optional<type_id>);
  std::vector<expr_id> index_of(const std::vector<sort_id>&, const ast::expr&, value& into);
  bool needs_context(const ast::expr&) const;
  value integer(const ast::expr&);
  value make(op, type_id, const std::vector<value>&);
};

}  // namespace quiesce::lowering
