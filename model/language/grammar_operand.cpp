// SPDX-License-Identifier: MIT
// What an expression is made of: literals, quantifiers, sets, sequences, names and applications.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::expr_kind;

template <expr_kind Kind>
inline constexpr auto is = mark<&ast::expr::kind, Kind>;

struct integer_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = expr_kind::integer;
    x3::_val(context).value = x3::_attr(context);
  }
};
template <bool Value>
struct boolean_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = expr_kind::boolean;
    x3::_val(context).value = Value;
  }
};
struct word_action {  // the text of a name; `_` alone is the wildcard
  template <class Context>
  void operator()(const Context& context) const {
    tall& node = x3::_val(context);
    node.text = std::move(x3::_attr(context));
    node.kind = node.text == "_" ? expr_kind::wildcard : expr_kind::name;
    if (node.kind == expr_kind::wildcard) node.text.clear();
  }
};
struct push_argument {
  template <class Context>
  void operator()(const Context& context) const {
    arguments& list = x3::_val(context);
    list.height = std::max(list.height, x3::_attr(context).height);
    list.items.push_back(std::move(x3::_attr(context)));
  }
};
struct push_binder {
  template <class Context>
  void operator()(const Context& context) const {
    raise(x3::get<state_tag>(context), x3::_val(context), x3::_attr(context).height);
    x3::_val(context).binders.push_back(std::move(x3::_attr(context)));
  }
};
template <expr_kind Kind>
struct quantify_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = Kind;
    const state& s = x3::get<state_tag>(context);
    iterator end = behind(context), begin = end;
    while (begin != s.base && continues_word(begin[-1])) --begin;
    x3::_val(context).text.assign(begin, end);
  }
};
// all binders where args[1] : args[0] is written with the condition first.
struct swap_body {
  template <class Context>
  void operator()(const Context& context) const {
    adopt(x3::get<state_tag>(context), x3::_val(context), std::move(x3::_attr(context)));
    auto& args = x3::_val(context).args;
    if (args.size() == 2) std::swap(args[0], args[1]);
  }
};
// [ NAME in S where c ] was read as the expression `NAME in S` so far.
struct filter_action {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    tall& node = x3::_val(context);
    const bool is_membership = node.args.size() == 1 && node.args[0].kind == expr_kind::binary &&
                               node.args[0].text == "in" && node.args[0].args[0].kind == expr_kind::name &&
                               *(s.base + node.args[0].where.begin) != '(';
    if (!is_membership)
      refuse(s, behind(context) - 5, behind(context), "a filter is written '[NAME in SEQUENCE where CONDITION]'");
    ast::binder bound;
    bound.where = node.args[0].where;
    bound.name = node.args[0].args[0].text;
    bound.domain.push_back(std::move(node.args[0].args[1]));
    node.args.clear();
    node.binders.push_back(std::move(bound));
    node.kind = expr_kind::seq_filter;
  }
};
const auto condition = expected(expression, "a condition after 'where'");
const auto element = expected(expression, "an element");

}  // namespace

struct quantified_tag {};
struct braced_tag {};
struct bracketed_tag {};
constexpr x3::rule<quantified_tag, tall> quantified{"a quantified expression"};
constexpr x3::rule<braced_tag, tall> braced{"a set"};
constexpr x3::rule<bracketed_tag, tall> bracketed{"a sequence"};

const auto quantified_def =
    located[(kw("all") | kw("some") | kw("count"))[quantify_action<expr_kind::quantified>{}] >
            commas[binder[push_binder{}]] > -(kw("where") > condition[adopt_it]) >
            sym(":", "':' after the bound variables") > expected(expression, "an expression after ':'")[swap_body{}]];

const auto braced_def =
    located[(&(sym("{") >> name() >> sym(":")) >> sym("{")[is<expr_kind::set_filter>] > binder[push_binder{}] >
             kw("where", "'where' and a condition") > condition[adopt_it] > sym("}", "'}' to close the set")) |
            (sym("{")[is<expr_kind::set_literal>] >
             (sym("}") | (commas[element[adopt_it]] > sym("}", "',' or '}' to close the set"))))];

const auto bracketed_def =
    located[sym("[")[is<expr_kind::seq_literal>] >
            (sym("]") | (commas[element[adopt_it]] > -(kw("where")[filter_action{}] > condition[adopt_it]) >
                         sym("]", "',' or ']' to close the sequence")))];

const auto primary_def = located[integer()[integer_action{}] | kw("true")[boolean_action<true>{}] |
                                 kw("false")[boolean_action<false>{}] | kw("none")[is<expr_kind::none>] |
                                 (sym("(") > expected(expression, "an expression after '('")[become] > sym(")", "')'")) |
                                 &(kw("count") >> name() >> sym("(")) >> temporal[become] | quantified[become] |
                                 braced[become] | bracketed[become] | temporal[become]];

const auto literal_def = located[integer()[integer_action{}] | kw("true")[boolean_action<true>{}] |
                                 kw("false")[boolean_action<false>{}] | name()[word_action{}]];

const auto argument = expected(expression, "an argument");
const auto argument_list_def = sym("(") >
                               (sym(")") | (commas[argument[push_argument{}]] > sym(")", "',' or ')' after the argument")));

// Arguments of `perform`: expressions or `any`.
struct choice_tag {};
constexpr x3::rule<choice_tag, tall> choice{"an argument"};
const auto choice_def = located[kw("any")[is<expr_kind::any>] | expression[become]];
const auto choice_list_def = sym("(") >
                             (sym(")") | (commas[choice[push_argument{}]] > sym(")", "',' or ')' after the argument")));

BOOST_SPIRIT_DEFINE(choice, quantified, braced, bracketed)
QUIESCE_DEFINE(primary)
QUIESCE_DEFINE(literal)
QUIESCE_DEFINE(argument_list)
QUIESCE_DEFINE(choice_list)

}  // namespace quiesce::language::grammar
