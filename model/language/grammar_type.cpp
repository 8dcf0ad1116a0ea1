// SPDX-License-Identifier: MIT
// Types, the variables that quantifiers bind, and the sorts that index a table.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::type_kind;

// Expressions inside types are small, so that they cannot make trees too high.
inline constexpr unsigned bound_limit = 20;

template <type_kind Kind>
inline constexpr auto is = mark<&ast::type_expr::kind, Kind>;

struct push_bound {
  template <class Context>
  void operator()(const Context& context) const {
    const source_range where = x3::_attr(context).where;
    const state& s = x3::get<state_tag>(context);
    if (x3::_attr(context).height > bound_limit)
      refuse(s, s.base + where.begin, s.base + where.end, "this is too deeply nested for the bound of a type");
    x3::_val(context).bounds.push_back(std::move(x3::_attr(context)));
  }
};
struct named_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = type_kind::named;
    x3::_val(context).text = std::move(x3::_attr(context));
  }
};
struct domain_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).height = x3::_attr(context).height;
    x3::_val(context).domain.push_back(std::move(x3::_attr(context)));
  }
};

const auto open = sym("<", "'<' and the type inside");
const auto inner = expected(type, "the type inside '<' and '>'");
// A name that goes on like an expression begins a range: n - 1 .. n, size(dev) .. 8.
const auto goes_on = sym("..") | sym("+") | sym("-") | sym("*") | sym("(") | sym(".") | sym("[");

}  // namespace

const auto type_def =
    located[nested[kw("bool")[is<type_kind::boolean>] | kw("process")[is<type_kind::process>] |
                   (kw("option")[is<type_kind::option>] > open > inner[push<&ast::type_expr::args>] > closing_angle()) |
                   (kw("set")[is<type_kind::set>] > open > inner[push<&ast::type_expr::args>] > closing_angle()) |
                   (kw("queue")[is<type_kind::queue>] > open > inner[push<&ast::type_expr::args>] > closing_angle()) |
                   (kw("seq")[is<type_kind::seq>] > open > inner[push<&ast::type_expr::args>] > closing_angle() >
                    -(sym("[") > expected(sum, "the capacity")[push_bound{}] > sym("]", "']' after the capacity"))) |
                   (sym("{")[is<type_kind::labels>] > commas[name("a label")[push<&ast::type_expr::labels>]] >
                    sym("}", "',' or '}' after the label")) |
                   (name() >> !goes_on)[named_action{}] |
                   (sum[push_bound{}] > sym("..", "'..' and the upper end of the range")[is<type_kind::range>] >
                    expected(sum, "the upper end of the range")[push_bound{}])]];

const auto binder_def =
    located[name("a variable")[put<&ast::binder::name>] >
            as("':' and a type, or 'in' and a set")[(sym(":") >
                                                     expected(type, "the type of the variable")[push<&ast::binder::type>]) |
                                                    (kw("in") > expected(expression, "a set after 'in'")[domain_action{}])]];

const auto index_sorts_def = commas[name("a sort")[push<&names::items>]] >> sym("->");

QUIESCE_DEFINE(type)
QUIESCE_DEFINE(binder)
QUIESCE_DEFINE(index_sorts)

}  // namespace quiesce::language::grammar
