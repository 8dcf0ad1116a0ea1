// SPDX-License-Identifier: MIT
// The event vocabulary: sorts, events, spans and ghost variables.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

struct take_index {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).index = std::move(x3::_attr(context).items);
  }
};
struct take_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).args = std::move(x3::_attr(context).items);
  }
};

template <class Decl>
const auto type_list = sym("(", "'(' and types") >
                       (sym(")") | (commas[type[push<&Decl::params>]] > sym(")", "',' or ')' after the type")));

}  // namespace

struct vocabulary_sort_tag {};
struct event_tag {};
struct span_tag {};
struct target_tag {};
struct update_tag {};
struct ghost_tag {};
constexpr x3::rule<vocabulary_sort_tag, ast::vocabulary_sort> sort_rule{"a sort"};
constexpr x3::rule<event_tag, ast::event_decl> event_rule{"an event"};
constexpr x3::rule<span_tag, ast::span_decl> span_rule{"a span"};
constexpr x3::rule<target_tag, tall> ghost_target{"the ghost variable to assign"};
constexpr x3::rule<update_tag, ast::ghost_update> update_rule{"an update"};
constexpr x3::rule<ghost_tag, ast::ghost_decl> ghost_rule{"a ghost variable"};

const auto sort_rule_def =
    located[kw("sort") > name("the name of the sort")[put<&ast::vocabulary_sort::name>] > sym(";", "';' after the sort")];
const auto event_rule_def = kw("event") > name("the name of the event")[put_name] > type_list<ast::event_decl> >
                            text("what the event means, in double quotes")[put<&ast::event_decl::meaning>] >
                            -evidence[put<&ast::event_decl::proof>] > sym(";", "';' after the event");
const auto span_rule_def =
    located[kw("span") > name("the name of the span")[put<&ast::span_decl::name>] > type_list<ast::span_decl> >
            text("what the span means, in double quotes")[put<&ast::span_decl::meaning>] > sym(";", "';' after the span")];

struct target_name {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = ast::expr_kind::name;
    x3::_val(context).text = std::move(x3::_attr(context));
  }
};
struct target_arguments {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).kind = ast::expr_kind::apply;
    x3::_val(context).args = std::move(x3::_attr(context).items);
  }
};
const auto ghost_target_def = located[name()[target_name{}] >> -argument_list[target_arguments{}]];
const auto update_rule_def =
    located[kw("on") > name("an event after 'on'")[put<&ast::ghost_update::event>] > argument_list[take_arguments{}] >
            sym(":", "':' and an assignment") > ghost_target[put<&ast::ghost_update::target>] >
            sym(":=", "':=' and a value") > expected(expression, "a value after ':='")[put<&ast::ghost_update::value>]];
const auto ghost_rule_def = located[kw("ghost") > name("the name of the ghost variable")[put<&ast::ghost_decl::name>] >
                                    sym(":", "':' and the type of the ghost variable") > -index_sorts[take_index{}] >
                                    expected(type, "the type of the ghost variable")[put<&ast::ghost_decl::type>] >
                                    sym("=", "'=' and the initial value") > literal[put<&ast::ghost_decl::initial>] >
                                    -text()[put<&ast::ghost_decl::meaning>] > *update_rule[push<&ast::ghost_decl::updates>] >
                                    sym(";", "';' or 'on' after the ghost variable")];

const auto vocabulary_def = kw("vocabulary") > name("the name of the vocabulary")[put_name] >
                            sym(";", "';' after the name of the vocabulary") >
                            *(sort_rule[push<&ast::vocabulary::sorts>] | event_rule[push<&ast::vocabulary::events>] |
                              span_rule[push<&ast::vocabulary::spans>] | ghost_rule[push<&ast::vocabulary::ghosts>]);

BOOST_SPIRIT_DEFINE(sort_rule, event_rule, span_rule, ghost_target, update_rule, ghost_rule)
QUIESCE_DEFINE(vocabulary)

}  // namespace quiesce::language::grammar
