// SPDX-License-Identifier: MIT
// Declarations of what a state holds: variables, list nodes and heads, locks, timers; and their initial values.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::variable_decl;

struct any_value {
  template <class Context>
  void operator()(const Context& context) const {
    ast::expr any;
    any.kind = ast::expr_kind::any;
    const state& s = x3::get<state_tag>(context);
    any.where = s.range(behind(context) - 3, behind(context));
    x3::_val(context).initial.push_back(std::move(any));
  }
};
struct take_index {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).index = std::move(x3::_attr(context).items);
  }
};
struct take_body {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).body = std::move(x3::_attr(context).items);
  }
};

template <auto Member>
const auto guard = -(kw("guarded") > kw("by", "'by' after 'guarded'") > name("the lock that guards")[put<Member>]);
const auto filter = -(kw("where") > expected(expression, "a condition after 'where'")[push<&variable_decl::filter>]);

}  // namespace

struct var_tag {};
struct rigid_tag {};
struct node_tag {};
struct list_tag {};
struct lock_tag {};
struct timer_tag {};
struct init_tag {};
struct ghost_init_tag {};
constexpr x3::rule<var_tag, variable_decl> var_rule{"a variable"};
constexpr x3::rule<rigid_tag, variable_decl> rigid_rule{"a rigid table"};
constexpr x3::rule<node_tag, ast::node_decl> node_rule{"a list node"};
constexpr x3::rule<list_tag, ast::list_decl> list_rule{"a list head"};
constexpr x3::rule<lock_tag, ast::lock_decl> lock_rule{"a lock"};
constexpr x3::rule<timer_tag, ast::timer_decl> timer_rule{"a timer"};
constexpr x3::rule<init_tag, ast::init_decl> init_rule{"an initialisation"};
constexpr x3::rule<ghost_init_tag, ast::ghost_init_decl> ghost_init_rule{"an initialisation of a ghost"};

const auto var_rule_def =
    located[kw("var") > name("the name of the variable")[put<&variable_decl::name>] >
            sym(":", "':' and the type of the variable") > -index_sorts[take_index{}] >
            expected(type, "the type of the variable")[put<&variable_decl::type>] > guard<&variable_decl::guard> >
            -(sym("=") > ((kw("any")[any_value{}] > filter) |
                          expected(expression, "an initial value or 'any'")[push<&variable_decl::initial>])) >
            sym(";", "';' after the variable")];

const auto rigid_rule_def =
    located[kw("rigid")[mark<&variable_decl::rigid, true>] > name("the name of the table")[put<&variable_decl::name>] >
            sym(":", "':' and sorts") > expected(index_sorts, "sorts and '->'")[take_index{}] >
            expected(type, "the type of the values")[put<&variable_decl::type>] > filter >
            sym(";", "';' after the rigid table")];

const auto node_rule_def = located[kw("node") > name("the name of the list node")[put<&ast::node_decl::name>] >
                                   sym(":", "':' and a sort") > name("a sort")[put<&ast::node_decl::sort>] >
                                   guard<&ast::node_decl::guard> > sym(";", "';' after the list node")];
const auto list_rule_def =
    located[kw("list") > name("the name of the list")[put<&ast::list_decl::name>] > sym(":", "':' and the kind of node") >
            name("the kind of node")[put<&ast::list_decl::node>] > guard<&ast::list_decl::guard> >
            sym(";", "';' after the list")];
const auto lock_rule_def =
    located[(kw("mutex") | kw("spinlock")[mark<&ast::lock_decl::spin, true>]) >
            name("the name of the lock")[put<&ast::lock_decl::name>] >
            -(sym(":") > name("a sort")[put<&ast::lock_decl::sort>]) > sym(";", "';' after the lock")];
const auto timer_rule_def =
    located[kw("timer") > name("the name of the timer")[put<&ast::timer_decl::name>] >
            -(sym(":") > name("a sort")[put<&ast::timer_decl::sort>]) > sym(";", "';' after the timer")];

const auto init_rule_def = located[kw("init") > block[take_body{}]];
const auto ghost_init_rule_def =
    located[kw("ghost_init") > name("the name of a ghost variable")[put<&ast::ghost_init_decl::name>] >
            sym("(", "'(' and names") > commas[name("a name")[push<&ast::ghost_init_decl::params>]] >
            sym(")", "',' or ')' after the name") > sym("=", "'=' and a value") >
            expected(expression, "a value")[put<&ast::ghost_init_decl::value>] > sym(";", "';' after the initial value")];

const auto storage_def = var_rule[become] | rigid_rule[become] | node_rule[become] | list_rule[become] | lock_rule[become] |
                         timer_rule[become] | init_rule[become] | ghost_init_rule[become];

BOOST_SPIRIT_DEFINE(var_rule, rigid_rule, node_rule, list_rule, lock_rule, timer_rule, init_rule, ghost_init_rule)
QUIESCE_DEFINE(storage)

}  // namespace quiesce::language::grammar
