// SPDX-License-Identifier: MIT
// Statements with bodies.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::statement_kind;

template <statement_kind Kind>
inline constexpr auto is = mark<&ast::statement::kind, Kind>;
constexpr auto value = push<&ast::statement::value>;

struct take_body {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).body = std::move(x3::_attr(context).items);
  }
};
struct take_otherwise {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).otherwise = std::move(x3::_attr(context).items);
    x3::_val(context).has_otherwise = true;
  }
};
struct take_else_if {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).otherwise.push_back(std::move(x3::_attr(context)));
    x3::_val(context).has_otherwise = true;
  }
};
struct push_branch {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).branches.push_back(std::move(x3::_attr(context).items));
  }
};
struct take_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).args = std::move(x3::_attr(context).items);
  }
};
struct push_binder {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).binders.push_back(std::move(x3::_attr(context)));
  }
};
// `for all` does all its assignments at once: nothing else has a meaning in it.
struct take_assignments {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    for (const ast::statement& inner : x3::_attr(context).items)
      if (inner.kind != statement_kind::assign)
        refuse(s, s.base + inner.where.begin, s.base + inner.where.end, "'for all' holds assignments only",
               "use 'for NAME in' for a loop over other statements");
    x3::_val(context).body = std::move(x3::_attr(context).items);
  }
};

const auto body = block[take_body{}];
const auto where = -(kw("where") > expected(expression, "a condition after 'where'")[value]);
const auto looped = name("a name for the loop variable")[put<&ast::statement::name>] >
                    kw("in", "'in' after the loop variable");

}  // namespace

struct if_statement_tag {};
struct for_statement_tag {};
constexpr x3::rule<if_statement_tag, ast::statement> if_statement{"an 'if' statement"};
constexpr x3::rule<for_statement_tag, ast::statement> for_statement{"a 'for' statement"};

const auto if_statement_def =
    located[nested[kw("if")[is<statement_kind::if_>] > expected(expression, "a condition after 'if'")[value] > body >
                   -(kw("else") >
                     (if_statement[take_else_if{}] | expected(block, "'if' or '{' after 'else'")[take_otherwise{}]))]];

const auto for_statement_def = kw("for") > ((kw("all")[is<statement_kind::for_all>] > commas[binder[push_binder{}]] > where >
                                             block[take_assignments{}]) |
                                            (as("'all' or a loop variable after 'for'")[name()[put<&ast::statement::name>]] >
                                             kw("in", "'in' after the loop variable")[is<statement_kind::for_>] >
                                             -(kw("live")[mark<&ast::statement::iterate, ast::iteration::live>] |
                                               kw("snapshot")[mark<&ast::statement::iterate, ast::iteration::snapshot>]) >
                                             expected(expression, "what the loop goes over")[value] > where > body));

const auto compound_statement_def =
    located[if_statement[become] | for_statement[become] |
            (kw("while")[is<statement_kind::while_>] > expected(expression, "a condition after 'while'")[value] > body) |
            (kw("repeat")[is<statement_kind::repeat>] > expected(sum, "a number after 'repeat'")[value] > body) |
            (kw("list_for_each_entry")[is<statement_kind::list_for_each>] > looped >
             expected(expression, "a list head")[value] > body) |
            (kw("list_for_each_entry_safe")[is<statement_kind::list_for_each_safe>] > looped >
             expected(expression, "a list head")[value] > body) |
            (kw("either")[is<statement_kind::either>] > block[push_branch{}] > kw("or", "'or' and another branch") >
             block[push_branch{}] > *(kw("or") > block[push_branch{}])) |
            (kw("atomic")[is<statement_kind::atomic>] > body) |
            (kw("span")[is<statement_kind::span>] > name("a kind of span")[put<&ast::statement::text>] >
             argument_list[take_arguments{}] > body)];

BOOST_SPIRIT_DEFINE(if_statement, for_statement)
QUIESCE_DEFINE(compound_statement)

}  // namespace quiesce::language::grammar
