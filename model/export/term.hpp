// SPDX-License-Identifier: MIT
#pragma once
// Expressions of the lowered system as trees of their own: with temps replaced by what is known of them, and folded. What
// the writers of other languages print.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce::exporting {

// Immutable and shared. Every value of the term is in low..high; low == high: a constant, without kids.
struct node;
using term = std::shared_ptr<const node>;
struct node {
  ir::op code = ir::op::constant;
  ir::type_id type = 0;  // of what the expression says; a constant's may be that of plain integers
  std::int64_t low = 0, high = 0;
  ir::variable_id var = ir::nothing;
  ir::temp_id temp = 0;
  ir::sort_id sort = ir::nothing;  // of a quantifier, and of its temp
  std::vector<term> kids;
  bool constant() const { return low == high; }
};

// A write that has not reached the state yet.
struct pending {
  std::vector<term> index;
  term value;
};

// What is known where an expression is evaluated. Temps without entry stand for themselves.
struct knowledge {
  std::map<ir::temp_id, term> temps;
  std::map<ir::variable_id, std::vector<pending>> writes;  // oldest first
};

class term_builder {
 public:
  explicit term_builder(const ir::program& p) : p_(p) {}

  term build(ir::expr_id, const knowledge&) const;
  // The value of var[index] after the pending writes.
  term load(ir::variable_id, std::vector<term> index, ir::type_id, const knowledge&) const;

  term constant(std::int64_t, ir::type_id = 0) const;
  term temp(ir::temp_id, ir::type_id, std::int64_t low, std::int64_t high) const;
  term truth(bool b) const { return constant(b); }
  term negation(const term&) const;
  term both(const term&, const term&) const;
  term either(const term&, const term&) const;
  term choice(const term& condition, const term& yes, const term& no) const;
  term equality(const term&, const term&) const;
  // May the value be stored in this type? A constant where it is known.
  term fits(const term&, ir::type_id) const;

  std::int64_t least(ir::type_id) const;
  std::int64_t greatest(ir::type_id) const;
  std::size_t elements(ir::sort_id s) const { return p_.sorts[s].element.size(); }

 private:
  using knowledge_ref = const knowledge&;
  term make(node) const;
  term quantified(const ir::expr&, knowledge_ref) const;
  term computed(const ir::expr&, std::vector<term>) const;
  const ir::program& p_;
};

// How many nodes, counted as a tree; stops counting at `most`.
std::size_t size(const term&, std::size_t most);
// The variables that it reads.
void reads(const term&, std::vector<ir::variable_id>&);

}  // namespace quiesce::exporting
