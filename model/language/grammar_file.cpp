// SPDX-License-Identifier: MIT
// Whole files.

#include "model/language/grammar.hpp"

namespace quiesce::language::grammar {
namespace {

const auto items =
    declaration[push<&ast::model::items>] | storage[push<&ast::model::items>] | behaviour[push<&ast::model::items>];

}  // namespace

const auto model_file_def = (kw("model") | kw("library")[mark<&ast::model::library, true>]) >
                            name("the name of the model")[put_name] > -text()[put<&ast::model::sentence>] > -sym(";") >
                            *(items >> -stray) > end_token("a declaration");

const auto property_file_def = (vocabulary[push<&ast::property_file::vocabularies>] |
                                property[push<&ast::property_file::properties>]) >
                               *property[push<&ast::property_file::properties>] > end_token("a property");

const auto claim_file_def = claim[push<&ast::claim_file::claims>] > *claim[push<&ast::claim_file::claims>] >
                            end_token("a claim");

const auto expression_file_def =
    located[expected(expression, "an expression")[become] > end_token("the end of the expression")];

QUIESCE_DEFINE(model_file)
QUIESCE_DEFINE(property_file)
QUIESCE_DEFINE(claim_file)
QUIESCE_DEFINE(expression_file)

}  // namespace quiesce::language::grammar
