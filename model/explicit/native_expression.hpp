// SPDX-License-Identifier: MIT
#pragma once
// Expressions and fields of a lowered system as C++ text. State words are variables n0, n1, ..., temps are t0, t1, ...;
// whatever the interpreter would refuse is `goto fault`.

#include <map>
#include <string>
#include <vector>

#include "model/system/layout.hpp"

namespace quiesce {

class native_expression {
 public:
  using constants = std::map<ir::temp_id, std::int64_t>;

  native_expression(const ir::program& p, const layout& l) : p_(p), layout_(l) {}

  // Temps whose value is known everywhere.
  void fix(constants c) { known_ = std::move(c); }

  std::string value(ir::expr_id);      // an i64
  std::string condition(ir::expr_id);  // a bool
  // var[index] := the i64 text `value`; a value that does not fit runs `misfit`.
  std::string store(ir::variable_id, const std::vector<ir::expr_id>& index, const std::string& value,
                    const std::string& misfit);
  // The field gets a code, an u64 text.
  static std::string put(const slot&, const std::string& code);

 private:
  // Elements of a table that an index can mean: position i of `elements` is meant where the text `position` is i.
  struct place {
    std::vector<std::uint64_t> elements;
    std::string before;    // statements that check and set the position
    std::string position;  // empty: there is one element
  };
  // Positions from..to - 1 whose fields have the same width and one distance from each other in one word.
  struct run {
    std::size_t from, to;
    slot first;
    int stride;
  };
  place element(ir::variable_id, const std::vector<ir::expr_id>& index);
  std::vector<run> runs(ir::variable_id, const place&) const;
  std::string load(const ir::expr&);
  std::string quantified(const ir::expr&);
  std::string unrolled(const ir::expr&);
  std::string binary(const ir::expr&);
  std::string optional_value(const ir::expr&);
  std::size_t cost(ir::expr_id);
  bool constant(ir::expr_id, std::int64_t&) const;

  const ir::program& p_;
  const layout& layout_;
  constants known_;
  std::map<ir::expr_id, std::size_t> cost_;
};

}  // namespace quiesce
