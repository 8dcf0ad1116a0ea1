// SPDX-License-Identifier: MIT
// Claims.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

using ast::expectation;

template <expectation Value>
inline constexpr auto is = mark<&ast::claim::expect, Value>;

}  // namespace

struct scope_tag {};
constexpr x3::rule<scope_tag, ast::named_integer> scope_rule{"a sort or bound"};

const auto scope_rule_def = located[name("a sort or bound")[put<&ast::named_integer::name>] > sym("=", "'=' and a number") >
                                    (kw("any")[mark<&ast::named_integer::value, std::int64_t{ast::any_number}>] |
                                     integer("a number, or 'any'")[put<&ast::named_integer::value>])];

const auto claim_def =
    kw("claim") > name("the name of the claim")[put_name] >
    text("the sentence of the claim in double quotes")[put<&ast::claim::sentence>] > kw("model", "'model' and its name") >
    name("the name of a model")[put<&ast::claim::model>] > kw("variant", "'variant' and its name") >
    name("the name of a variant")[put<&ast::claim::variant>] >
    -(kw("with") > commas[expected(option_setting, "an option and its value")[push<&ast::claim::with>]]) >
    -(kw("environment") > name("the name of an environment")[put<&ast::claim::environment>]) >
    kw("property", "'property' and its name") > name("the name of a property")[put<&ast::claim::property>] >
    kw("scope", "'scope' and sizes") > commas[scope_rule[push<&ast::claim::scope>]] >
    -(kw("method") > name("the name of a method")[put<&ast::claim::method>]) > kw("expect", "'expect' and a verdict") >
    as("a verdict: holds, violated, unknown, vacuous or deadlock")[kw("holds")[is<expectation::holds>] |
                                                                   kw("violated")[is<expectation::violated>] |
                                                                   kw("unknown")[is<expectation::unknown>] |
                                                                   kw("vacuous")[is<expectation::vacuous>] |
                                                                   kw("deadlock")[is<expectation::deadlock>]] >
    -evidence[put<&ast::claim::proof>] > -(kw("bug") > commas[name("a bug")[push<&ast::claim::bugs>]]) >
    -(kw("because") > text("the reason in double quotes")[put<&ast::claim::because>]) > sym(";", "';' after the claim");

BOOST_SPIRIT_DEFINE(scope_rule)
QUIESCE_DEFINE(claim)

}  // namespace quiesce::language::grammar
