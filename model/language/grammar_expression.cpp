// SPDX-License-Identifier: MIT
// Expressions down to operands: the conditional, chains of infix operators, prefix and postfix operators.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

struct push_operand {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).operands.push_back(std::move(x3::_attr(context)));
  }
};
struct push_operator {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).operators.push_back(std::move(x3::_attr(context)));
  }
};
struct push_is {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).operators.emplace_back("is");
  }
};
struct fold_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context) = fold(x3::get<state_tag>(context), std::move(x3::_attr(context)));
  }
};
// What stands in _val becomes the first argument of a new node.
template <ast::expr_kind Kind>
struct wrap_action {
  template <class Context>
  void operator()(const Context& context) const {
    tall node;
    node.kind = Kind;
    const state& s = x3::get<state_tag>(context);
    node.where = x3::_val(context).where;
    node.where.end = s.range(s.base, behind(context)).end;
    adopt(s, node, std::move(x3::_val(context)));
    x3::_val(context) = std::move(node);
  }
};
struct end_here {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    x3::_val(context).where.end = s.range(s.base, behind(context)).end;
  }
};
struct member_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).text = std::move(x3::_attr(context));
    end_here{}(context);
  }
};
struct is_name_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = ast::expr_kind::name;
    x3::_val(context).text = std::move(x3::_attr(context));
  }
};
struct prefix_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = ast::expr_kind::unary;
    x3::_val(context).text = std::move(x3::_attr(context));
  }
};
struct prefix_token : token<prefix_token, std::string> {
  constexpr prefix_token() : token("'!' or '-'") {}
  bool read(const state&, iterator& at, iterator last, std::string& value) const {
    iterator end = operator_end(at, last);
    value.assign(at, end);
    return (value == "!" || value == "-") && (at = end, true);
  }
};

}  // namespace

struct chain_tag {};
struct sum_chain_tag {};
struct named_operand_tag {};
struct postfixed_tag {};
constexpr x3::rule<chain_tag, operator_chain> chain{"an expression"};
constexpr x3::rule<sum_chain_tag, operator_chain> sum_chain{"an integer expression"};
constexpr x3::rule<named_operand_tag, tall> named_operand{"the name of an element or constructor after 'is'"};
constexpr x3::rule<postfixed_tag, tall> postfixed{"an expression"};

const auto expression_def =
    located[nested[chain[fold_action{}] >> -(sym("?")[wrap_action<ast::expr_kind::conditional>{}] >
                                             expected(expression, "an expression after '?'")[adopt_it] >
                                             sym(":", "':' and the other branch of '… ? … : …'") >
                                             expected(expression, "an expression after ':'")[adopt_it])]];
const auto sum_def = located[nested[sum_chain[fold_action{}]]];

const auto operand_after = expected(operand, "an expression after the operator");
const auto chain_def = operand[push_operand{}] >> *((infix_token(false)[push_operator{}] > operand_after[push_operand{}]) |
                                                    (kw("is")[push_is{}] > named_operand[push_operand{}]));
const auto sum_chain_def = operand[push_operand{}] >> *(infix_token(true)[push_operator{}] > operand_after[push_operand{}]);
const auto named_operand_def = located[name()[is_name_action{}]];

const auto operand_def = located[nested[prefix_token{}[prefix_action{}] > operand_after[adopt_it]] | postfixed[become]];

const auto postfixed_def =
    located[primary[become] >>
            *((sym(".")[wrap_action<ast::expr_kind::member>{}] > name("a name after '.'")[member_action{}]) |
              (sym("[")[wrap_action<ast::expr_kind::index>{}] > expected(expression, "an index after '['")[adopt_it] >
               sym("]", "']' after the index")[end_here{}]))];

BOOST_SPIRIT_DEFINE(chain, sum_chain, named_operand, postfixed)
QUIESCE_DEFINE(expression)
QUIESCE_DEFINE(sum)
QUIESCE_DEFINE(operand)

}  // namespace quiesce::language::grammar
