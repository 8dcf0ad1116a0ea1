// SPDX-License-Identifier: MIT
// Procedures, handlers, processes, operations and environments.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::param_kind;

template <auto Member>
struct take_block {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).*Member = std::move(x3::_attr(context).items);
  }
};
struct negate_priority {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).priority = -x3::_attr(context);
  }
};
struct named_type {
  template <class Context>
  void operator()(const Context& context) const {
    ast::type_expr sort;
    sort.kind = ast::type_kind::named;
    sort.where = name_range(context);
    sort.text = std::move(x3::_attr(context));
    x3::_val(context).type.push_back(std::move(sort));
  }
};
struct take_params {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).params = std::move(x3::_attr(context).items);
  }
};
struct param_list {
  std::vector<ast::param> items;
};

}  // namespace

struct param_tag {};
struct instance_tag {};
struct params_tag {};
struct procedure_tag {};
struct clause_tag {};
struct handler_tag {};
struct process_tag {};
struct operation_tag {};
struct environment_tag {};
constexpr x3::rule<param_tag, ast::param> param_rule{"a parameter"};
constexpr x3::rule<instance_tag, ast::param> instance_rule{"the instance of a process"};
constexpr x3::rule<params_tag, param_list> params{"'(' and parameters"};
constexpr x3::rule<procedure_tag, ast::procedure_decl> procedure_rule{"a procedure"};
constexpr x3::rule<clause_tag, ast::handler_clause> clause_rule{"'on' and an event"};
constexpr x3::rule<handler_tag, ast::handler_decl> handler_rule{"a handler"};
constexpr x3::rule<process_tag, ast::process_decl> process_rule{"a process"};
constexpr x3::rule<operation_tag, ast::operation_decl> operation_rule{"an operation"};
constexpr x3::rule<environment_tag, ast::environment_decl> environment_rule{"an environment"};

const auto param_rule_def =
    located[(sym("&")[mark<&ast::param::kind, param_kind::reference>] >
             name("the name of a list head")[put<&ast::param::name>] > sym(":", "':' and the kind of node") >
             name("the kind of node")[put<&ast::param::node>]) |
            (name()[put<&ast::param::name>] > sym(":", "':' and the type of the parameter") >
             (kw("event")[mark<&ast::param::kind, param_kind::event>] |
              expected(type, "the type of the parameter")[push<&ast::param::type>]))];
const auto params_def = sym("(") > as("a parameter or ')'")[sym(")") | (commas[param_rule[push<&param_list::items>]] >
                                                                        sym(")", "',' or ')' after the parameter"))];
const auto instance_rule_def = located[name("a name for the instance")[put<&ast::param::name>] > sym(":", "':' and a sort") >
                                       name("a sort")[named_type{}]];

const auto procedure_rule_def =
    located[kw("proc") > name("the name of the procedure")[put<&ast::procedure_decl::name>] > params[take_params{}] >
            -(sym("->") > expected(type, "the type of the result")[push<&ast::procedure_decl::result>]) >
            -(kw("recursive") > expected(sum, "how many activations are allowed")[push<&ast::procedure_decl::recursive>]) >
            -anchor[put<&ast::procedure_decl::at>] > block[take_block<&ast::procedure_decl::body>{}]];

const auto clause_rule_def =
    located[kw("on") > as("an event or 'other' after 'on'")[kw("other") | name()[put<&ast::handler_clause::event>]] >
            sym("(", "'(' and names") > (sym(")") | (commas[name("a name")[push<&ast::handler_clause::params>]] >
                                                     sym(")", "',' or ')' after the name"))) >
            block[take_block<&ast::handler_clause::body>{}]];
const auto handler_rule_def =
    located[kw("handler") > name("the name of the handler")[put<&ast::handler_decl::name>] >
            -(kw("priority") > as("an integer after 'priority'")[(sym("-") > integer()[negate_priority{}]) |
                                                                 integer()[put<&ast::handler_decl::priority>]]) >
            -(kw("when") > expected(expression, "a condition after 'when'")[push<&ast::handler_decl::when>]) >
            -anchor[put<&ast::handler_decl::at>] >
            braces{"'{' and the events of the handler",
                   "'on' and an event, or '}'"}[*(clause_rule[push<&ast::handler_decl::clauses>] >> -stray)]];

const auto process_rule_def =
    located[((kw("softirq")[mark<&ast::process_decl::softirq, true>] > kw("process", "'process' after 'softirq'")) |
             kw("process")) > name("the name of the process")[put<&ast::process_decl::name>] >
            -(sym("(") > instance_rule[push<&ast::process_decl::params>] > sym(")", "')' after the instance")) >
            -((kw("on") > expected(expression, "a CPU after 'on'")[push<&ast::process_decl::cpu>]) |
              (kw("expiry") > kw("of", "'of' after 'expiry'") >
               name("the name of a timer")[put<&ast::process_decl::timer>])) > -anchor[put<&ast::process_decl::at>] >
            block[take_block<&ast::process_decl::body>{}]];

const auto operation_rule_def =
    located[kw("operation") > name("the name of the operation")[put<&ast::operation_decl::name>] > params[take_params{}] >
            -anchor[put<&ast::operation_decl::at>] >
            -(kw("begin") > expected(block, "'{' after 'begin'")[take_block<&ast::operation_decl::begin>{}]) >
            -(kw("requires") > expected(expression, "a condition after 'requires'")[push<&ast::operation_decl::requires_>]) >
            -(kw("otherwise") > expected(block, "'{' after 'otherwise'")[take_block<&ast::operation_decl::otherwise>{}]) >
            expected(block, "'{' to open the body of the operation")[take_block<&ast::operation_decl::body>{}]];

const auto environment_rule_def =
    located[kw("environment") > name("the name of the environment")[put<&ast::environment_decl::name>] >
            -text()[put<&ast::environment_decl::sentence>] >
            braces{"'{' and the processes of the environment",
                   "a process, a procedure or '}'"}[*((process_rule[push<&ast::environment_decl::processes>] |
                                                       procedure_rule[push<&ast::environment_decl::procedures>]) >>
                                                      -stray)]];

const auto behaviour_def =
    procedure_rule[become] | handler_rule[become] | process_rule[become] | operation_rule[become] | environment_rule[become];

BOOST_SPIRIT_DEFINE(param_rule, instance_rule, params, procedure_rule, clause_rule, handler_rule, process_rule)
BOOST_SPIRIT_DEFINE(operation_rule, environment_rule)
QUIESCE_DEFINE(behaviour)

}  // namespace quiesce::language::grammar
