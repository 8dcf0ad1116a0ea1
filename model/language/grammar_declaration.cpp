// SPDX-License-Identifier: MIT
// Declarations of sorts, enumerations, options, bounds, variants, time and imports.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

const auto sentence = text();

}  // namespace

struct import_tag {};
struct sort_extra_tag {};
struct sort_tag {};
struct enum_tag {};
struct option_tag {};
struct bound_tag {};
struct variant_tag {};
struct time_tag {};
constexpr x3::rule<import_tag, ast::import_decl> import_rule{"an import"};
constexpr x3::rule<sort_extra_tag, ast::sort_extra> sort_extra{"a named element"};
constexpr x3::rule<sort_tag, ast::sort_decl> sort_rule{"a sort"};
constexpr x3::rule<enum_tag, ast::enum_decl> enum_rule{"an enumeration"};
constexpr x3::rule<option_tag, ast::option_decl> option_rule{"an option"};
constexpr x3::rule<bound_tag, ast::bound_decl> bound_rule{"a bound"};
constexpr x3::rule<variant_tag, ast::variant_decl> variant_rule{"a variant"};
constexpr x3::rule<time_tag, ast::time_decl> time_rule{"a time mode"};

const auto import_rule_def = located[kw("import") > commas[name("the name of a library")[push<&ast::import_decl::names>]] >
                                     sym(";", "';' after the import")];

const auto sort_extra_def =
    located[name("a named element")[put<&ast::sort_extra::name>] >
            -(sym("(") > name("a sort")[put<&ast::sort_extra::over>] > sym(")", "')' after the sort"))];
const auto sort_rule_def =
    located[kw("sort") > name("the name of the sort")[put<&ast::sort_decl::name>] >
            -(sym("=") > integer("a number: the size where the scope gives none")[put<&ast::sort_decl::standard>]) >
            -(kw("with") > commas[sort_extra[push<&ast::sort_decl::extras>]]) > sym(";", "';' after the sort")];

const auto enum_rule_def =
    located[kw("enum") > name("the name of the enumeration")[put<&ast::enum_decl::name>] >
            braces{"'{' and labels", "',' or '}' after the label"}[commas[name("a label")[push<&ast::enum_decl::labels>]]] >
            -sym(";")];

const auto option_rule_def = located[kw("option") > name("the name of the option")[put<&ast::option_decl::name>] >
                                     sym(":", "':' and the type of the option") >
                                     expected(type, "the type of the option")[put<&ast::option_decl::type>] >
                                     sym("=", "'=' and the default of the option") > literal[put<&ast::option_decl::value>] >
                                     -kw("orthogonal")[mark<&ast::option_decl::orthogonal, true>] >
                                     -sentence[put<&ast::option_decl::sentence>] > sym(";", "';' after the option")];

const auto bound_rule_def =
    located[kw("bound") > name("the name of the bound")[put<&ast::bound_decl::name>] > sym(":", "':' and a range") >
            integer("the least value of the bound")[put<&ast::bound_decl::low>] > sym("..", "'..' and the greatest value") >
            integer("the greatest value of the bound")[put<&ast::bound_decl::high>] >
            sym("=", "'=' and the default of the bound") >
            integer("the default of the bound")[put<&ast::bound_decl::value>] > -sentence[put<&ast::bound_decl::sentence>] >
            sym(";", "';' after the bound")];

const auto option_setting_def = located[name("the name of an option")[put<&ast::option_setting::name>] >
                                        sym("=", "'=' and a value") > literal[put<&ast::option_setting::value>]];

const auto variant_rule_def =
    located[kw("variant") > name("the name of the variant")[put<&ast::variant_decl::name>] >
            -(sym("=") > name("the variant to start from")[put<&ast::variant_decl::base>]) >
            braces{"'{' and the settings of the variant", "an option or '}'"}[*(
                option_setting[push<&ast::variant_decl::settings>] > sym(";", "';' after the setting"))] >
            -sentence[put<&ast::variant_decl::sentence>] >
            -(kw("source") > text("the source in double quotes")[put<&ast::variant_decl::source>]) >
            -evidence[put<&ast::variant_decl::proof>] >
            -(kw("kernel") > text("the kernel version in double quotes")[put<&ast::variant_decl::kernel>]) > -sym(";")];

const auto time_rule_def =
    located[kw("time") > as("'free' or 'urgent'")[kw("free") | (kw("urgent")[mark<&ast::time_decl::urgent, true>] >
                                                                kw("horizon", "'horizon' and a number") >
                                                                integer("the horizon")[put<&ast::time_decl::horizon>])] >
            sym(";", "';' after the time mode")];

const auto declaration_def = import_rule[become] | sort_rule[become] | enum_rule[become] | option_rule[become] |
                             bound_rule[become] | variant_rule[become] | time_rule[become];

BOOST_SPIRIT_DEFINE(import_rule, sort_extra, sort_rule, enum_rule, option_rule, bound_rule, variant_rule, time_rule)
QUIESCE_DEFINE(option_setting)
QUIESCE_DEFINE(declaration)

}  // namespace quiesce::language::grammar
