// SPDX-License-Identifier: MIT
#pragma once
// Construction of the lowered form: interned types, folded expressions, tables. Knows nothing of the modelling language.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce::lowering {

using ir::expr_id;
using ir::op;
using ir::sort_id;
using ir::temp_id;
using ir::type_id;
using ir::variable_id;

// Stands for a number without a limit: a bound `any`, the size of a sort of any size.
inline constexpr std::int64_t unlimited = std::int64_t{1} << 40;
inline bool is_unlimited(std::int64_t n) { return n >= unlimited / 2; }

class builder {
 public:
  ir::program program;

  builder();
  type_id boolean() const { return 0; }
  type_id integer(std::int64_t low, std::int64_t high);
  type_id enumeration(std::vector<std::string> labels);
  type_id element(sort_id);
  type_id option(type_id inner);
  type_id set(sort_id);
  const ir::type& type(type_id t) const { return program.types[t]; }
  // Throws diagnostic where the number of elements is not known.
  std::uint32_t size(sort_id) const;
  bool parametrised() const { return program.parametrised; }
  std::int64_t low(type_id) const;
  // Number of values of a type; nothing where there are more than 2^20.
  std::optional<std::uint64_t> cardinality(type_id) const;

  expr_id constant(std::int64_t, type_id);
  expr_id truth(bool b) { return constant(b, boolean()); }
  expr_id number(std::int64_t v) { return constant(v, integer(v, v)); }
  expr_id load(variable_id, std::vector<expr_id> index = {});
  expr_id temp(temp_id, type_id);
  // Folds constants and the neutral and deciding operands of && || => ?: ; computes intervals of arithmetic.
  expr_id make(op, type_id, std::vector<expr_id> kids);
  expr_id over(op, type_id, sort_id, temp_id, expr_id body);  // all some count collect
  // Of a parametrised program: the element that constructor `c` of the sort makes of `e`; whether `e` is such an element.
  expr_id construct(sort_id, std::uint32_t c, expr_id e);
  expr_id constructed(sort_id, std::uint32_t c, expr_id e);
  expr_id whole(sort_id, temp_id);  // the set of all elements
  expr_id both(expr_id a, expr_id b) { return make(op::and_, boolean(), {a, b}); }
  expr_id either(expr_id a, expr_id b) { return make(op::or_, boolean(), {a, b}); }
  expr_id negated(expr_id a) { return make(op::not_, boolean(), {a}); }
  expr_id equal(expr_id a, expr_id b) { return make(op::equal, boolean(), {a, b}); }
  expr_id plus(expr_id a, expr_id b);
  // An expression to be filled in later (patch), never folded.
  expr_id reserve(type_id);
  void patch(expr_id, expr_id with);

  const ir::expr& at(expr_id e) const { return program.exprs[e]; }
  type_id type_of(expr_id e) const { return program.exprs[e].type; }
  std::optional<std::int64_t> constant_of(expr_id) const;
  bool is_true(expr_id e) const { return constant_of(e) == 1 && type_of(e) == boolean(); }
  bool is_false(expr_id e) const { return constant_of(e) == 0 && type_of(e) == boolean(); }

  variable_id variable(std::string name, type_id, std::vector<sort_id> index, ir::variable_kind,
                       std::uint32_t owner = ir::nothing);
  std::uint32_t string(const std::string&);

 private:
  type_id intern(ir::type);
  expr_id add(ir::expr);
  std::optional<expr_id> fold(op, const std::vector<expr_id>&);
  std::optional<expr_id> simplify(op, const std::vector<expr_id>&);
  type_id interval(op, const std::vector<expr_id>&);
};

}  // namespace quiesce::lowering
