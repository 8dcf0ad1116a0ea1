// SPDX-License-Identifier: MIT
// Builds operator trees from flat chains by precedence climbing, so that parsing needs no recursion for each precedence
// level.

#include <algorithm>

#include "model/language/grammar.hpp"
#include "model/language/precedence.hpp"

namespace quiesce::language::grammar {

void raise(const state& s, tall& parent, unsigned height_below) {
  parent.height = std::max(parent.height, height_below + 1);
  if (parent.height > nesting_limit)
    refuse(s, s.base + parent.where.begin, s.base + std::max(parent.where.end, parent.where.begin),
           "this expression is nested more than " + std::to_string(nesting_limit) + " levels deep");
}

void adopt(const state& s, tall& parent, tall&& child) {
  raise(s, parent, child.height);
  parent.args.push_back(static_cast<ast::expr&&>(child));
}

namespace {

struct climber {
  const state& s;
  operator_chain chain;
  std::size_t next = 0;  // operator

  tall join(tall&& left, const std::string& op, tall&& right) {
    tall node;
    node.where = {left.where.file, left.where.begin, right.where.end};
    node.text = op == "is" ? right.text : op;
    node.kind = op == "is" ? ast::expr_kind::is_named : ast::expr_kind::binary;
    adopt(s, node, std::move(left));
    if (op != "is") adopt(s, node, std::move(right));
    return node;
  }

  void refuse_chained(const tall& left, const tall& right) const {
    refuse(s, s.base + left.where.begin, s.base + right.where.end, "comparisons do not chain",
           "put parentheses around one of them, or join two comparisons with '&&'");
  }

  // Everything from here on that binds at least as tightly as `level`.
  tall climb(int level) {
    tall left = std::move(chain.operands[next]);
    bool compared = false;
    while (next < chain.operators.size() && precedence(chain.operators[next]) >= level) {
      const std::string op = chain.operators[next];
      const int own = precedence(op);
      ++next;
      tall right = climb(op == "=>" ? own : own + 1);
      if (own == comparison_precedence) {
        if (compared) refuse_chained(left, right);
        compared = true;
      } else {
        compared = false;
      }
      left = join(std::move(left), op, std::move(right));
    }
    return left;
  }
};

}  // namespace

tall fold(const state& s, operator_chain&& chain) {
  if (chain.operators.empty()) return std::move(chain.operands.front());
  if (chain.operators.size() >= 2 * nesting_limit)
    refuse(s, s.base + chain.operands.front().where.begin, s.base + chain.operands.back().where.end,
           "this expression has more than " + std::to_string(2 * nesting_limit) + " operators in a row");
  climber c{s, std::move(chain)};
  return c.climb(0);
}

}  // namespace quiesce::language::grammar
