// SPDX-License-Identifier: MIT
// Statements: blocks, anchors in front of statements, and the statements without a body. grammar_compound.cpp has the
// others.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::statement_kind;

template <statement_kind Kind>
inline constexpr auto is = mark<&ast::statement::kind, Kind>;
constexpr auto value = push<&ast::statement::value>;

// A statement that began with a name: the name is the target until it turns out to be a procedure.
struct target_name {
  template <class Context>
  void operator()(const Context& context) const {
    ast::expr target;
    target.kind = ast::expr_kind::name;
    target.where = name_range(context);
    target.text = std::move(x3::_attr(context));
    x3::_val(context).target.push_back(std::move(target));
  }
};
struct target_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    ast::expr& target = x3::_val(context).target.front();
    target.kind = ast::expr_kind::apply;
    target.where.end = s.range(s.base, behind(context)).end;
    target.args = std::move(x3::_attr(context).items);
  }
};
struct to_call {
  template <class Context>
  void operator()(const Context& context) const {
    ast::statement& node = x3::_val(context);
    ast::expr target = std::move(node.target.front());
    node.kind = statement_kind::call;
    node.text = std::move(target.text);
    node.args = std::move(target.args);
    node.target.clear();
  }
};
// What a call gives goes into a name; `let` with a type cannot call.
struct check_call {
  template <class Context>
  void operator()(const Context& context) const {
    const state& s = x3::get<state_tag>(context);
    ast::statement& node = x3::_val(context);
    const bool lets = node.kind == statement_kind::let;
    node.kind = lets ? statement_kind::let_call : statement_kind::assign_call;
    if (!lets && node.target.front().kind != ast::expr_kind::name)
      refuse(s, s.base + node.target.front().where.begin, s.base + node.target.front().where.end,
             "the result of a call goes into a plain name", "write 'let r := call …;' and assign r");
    if (!node.type.empty())
      refuse(s, s.base + node.type.front().where.begin, s.base + node.type.front().where.end,
             "a 'let' that calls takes its type from the procedure", "leave the type out");
  }
};
struct take_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).args = std::move(x3::_attr(context).items);
  }
};
struct take_statement {
  template <class Context>
  void operator()(const Context& context) const {
    auto at = std::move(x3::_val(context).at);
    x3::_val(context) = std::move(x3::_attr(context));
    x3::_val(context).at = std::move(at);
  }
};

constexpr auto semicolon(const char* as) { return sym(";", as); }
constexpr auto after_assignment = semicolon("';' after the assignment");
const auto arguments_of = argument_list[take_arguments{}];
const auto call_after = kw("call")[check_call{}] > name("the procedure to call")[put<&ast::statement::text>] > arguments_of >
                        semicolon("';' after the call");
const auto assigned =
    as("a value after ':='")[call_after | (expected(expression, "a value after ':='")[value] > after_assignment)];
// procedure(arguments), for notify and emit
const auto event_of = name("an event")[put<&ast::statement::text>] > arguments_of;

}  // namespace

struct named_statement_tag {};
struct keyword_statement_tag {};
constexpr x3::rule<named_statement_tag, ast::statement> named_statement{"a statement"};
constexpr x3::rule<keyword_statement_tag, ast::statement> keyword_statement{"a statement"};

const auto named_statement_def =
    name()[target_name{}] >
    as("':=' or arguments after the name that begins a statement")
        [(argument_list[target_arguments{}] >
          as("';' after the call, or ':=' and a value")[sym(";")[to_call{}] |
                                                        (sym(":=")[is<statement_kind::assign>] > assigned)]) |
         (sym(":=")[is<statement_kind::assign>] > assigned)];

const auto keyword_statement_def =
    (kw("let")[is<statement_kind::let>] > name("a name after 'let'")[put<&ast::statement::name>] >
     -(sym(":") > expected(type, "a type after ':'")[push<&ast::statement::type>]) > sym(":=", "':=' and a value") >
     assigned) |
    (kw("head")[is<statement_kind::head>] > name("the name of the list head")[put<&ast::statement::name>] >
     sym(":", "':' and the kind of node") > name("the kind of node")[put<&ast::statement::text>] >
     semicolon("';' after the list head")) |
    (kw("choose")[is<statement_kind::choose>] > name("a name after 'choose'")[put<&ast::statement::name>] >
     sym(":", "':' and a type") > expected(type, "a type after ':'")[push<&ast::statement::type>] >
     -(kw("where") > expected(expression, "a condition after 'where'")[value]) > semicolon("';' after 'choose'")) |
    (kw("skip")[is<statement_kind::skip>] > semicolon("';' after 'skip'")) |
    (kw("idle")[is<statement_kind::idle>] > semicolon("';' after 'idle'")) |
    (kw("break")[is<statement_kind::break_>] > semicolon("';' after 'break'")) |
    (kw("continue")[is<statement_kind::continue_>] > semicolon("';' after 'continue'")) |
    (kw("return")[is<statement_kind::return_>] > -expression[value] > semicolon("a value or ';' after 'return'")) |
    (kw("wait")[is<statement_kind::wait_until>] > kw("until", "'until' after 'wait'") >
     expected(expression, "a condition after 'wait until'")[value] > semicolon("';' after the condition of 'wait until'")) |
    (kw("assert")[is<statement_kind::assert_>] > expected(expression, "a condition after 'assert'")[value] >
     -text()[put<&ast::statement::text>] > semicolon("';' after the assertion")) |
    (kw("notify")[is<statement_kind::notify>] > event_of > semicolon("';' after 'notify'")) |
    (kw("emit")[is<statement_kind::emit>] > event_of > semicolon("';' after 'emit'")) |
    (kw("perform")[is<statement_kind::perform>] > name("an operation")[put<&ast::statement::text>] >
     choice_list[take_arguments{}] > semicolon("';' after 'perform'")) |
    (kw("sleep")[is<statement_kind::sleep>] > expected(expression, "a number of milliseconds")[value] >
     semicolon("';' after 'sleep'"));

const auto simple_statement_def = located[keyword_statement[become] | named_statement[become]];

const auto any_statement = compound_statement[take_statement{}] | simple_statement[take_statement{}];
const auto statement_def =
    located[nested[(anchor[put<&ast::statement::at>] > as("a statement after its anchor")[any_statement]) | any_statement]];
const auto block_def =
    braces{"'{' to open the block", "a statement or '}'"}[*(statement[push<&block_body::items>] >> -stray)];

BOOST_SPIRIT_DEFINE(named_statement, keyword_statement)
QUIESCE_DEFINE(simple_statement)
QUIESCE_DEFINE(statement)
QUIESCE_DEFINE(block)

}  // namespace quiesce::language::grammar
