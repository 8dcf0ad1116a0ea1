// SPDX-License-Identifier: MIT
#include "model/system/lower_filter.hpp"

#include <algorithm>

namespace quiesce::lowering {

namespace {

class weakening {
 public:
  weakening(builder& b, variable_id var, temp_id element) : b_(b), var_(var), element_(element) {}

  // Implied by `e`, ir::nothing: nothing that is worth saying.
  expr_id of(expr_id e) {
    if (reads_element_only(e)) return e;
    const ir::expr x = b_.at(e);
    if (x.code == ir::op::and_) return both(x);
    if (x.code == ir::op::implies && reads_element_only(x.kids[0])) {
      const expr_id then = of(x.kids[1]);
      return then == ir::nothing ? then : b_.make(ir::op::implies, x.type, {x.kids[0], then});
    }
    if (x.code != ir::op::all) return ir::nothing;
    const expr_id body = of(x.kids[0]);
    return body == ir::nothing ? body : b_.over(ir::op::all, x.type, x.sort, x.temp, body);
  }

 private:
  expr_id both(const ir::expr& x) {
    const expr_id left = of(x.kids[0]);
    if (left != x.kids[0]) return left;  // the right side may rely on what is missing
    const expr_id right = of(x.kids[1]);
    return right == ir::nothing ? left : b_.both(left, right);
  }

  bool reads_element_only(expr_id e) const {
    const ir::expr& x = b_.at(e);
    if (x.code == ir::op::load && x.var == var_) {
      const ir::expr& at = b_.at(x.kids[0]);
      return at.code == ir::op::temp && at.temp == element_;
    }
    return std::all_of(x.kids.begin(), x.kids.end(), [&](expr_id k) { return reads_element_only(k); });
  }

  builder& b_;
  const variable_id var_;
  const temp_id element_;
};

}  // namespace

std::vector<element_condition> element_conditions(builder& b, expr_id whole, variable_id var) {
  const ir::expr x = b.at(whole);
  const std::vector<sort_id> over = b.program.variables[var].index;
  std::vector<element_condition> out;
  if (over.size() != 1) return out;
  if (x.code == ir::op::and_) {
    out = element_conditions(b, x.kids[0], var);
    const bool all = out.size() == 1 && out[0].condition == b.at(x.kids[0]).kids[0];
    if (!all) return out;
    const auto more = element_conditions(b, x.kids[1], var);
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  if (x.code != ir::op::all || x.sort != over[0]) return out;
  const expr_id e = weakening(b, var, x.temp).of(x.kids[0]);
  if (e != ir::nothing && !b.is_true(e)) out.push_back({x.temp, e});
  return out;
}

}  // namespace quiesce::lowering
