// SPDX-License-Identifier: MIT
#include "model/language/parse.hpp"

#include "model/language/explain.hpp"
#include "model/language/grammar.hpp"

namespace quiesce::language {
namespace {

template <class Rule>
typename Rule::attribute_type run(const source_set& sources, std::uint32_t file, const Rule& rule) {
  const std::string_view text = sources.text(file);
  grammar::state state;
  state.file = file;
  state.base = text.data();
  state.end = text.data() + text.size();
  typename Rule::attribute_type result{};
  grammar::iterator first = state.base;
  const auto skipping =
      grammar::x3::make_context<grammar::x3::skipper_tag>(grammar::blanks);  // a context refers to the next one
  const grammar::context_type context = grammar::x3::make_context<grammar::state_tag>(state, skipping);
  try {
    if (!rule.parse(first, state.end, context, grammar::x3::unused, result))
      throw grammar::x3::expectation_failure<grammar::iterator>(first, rule.name);
  } catch (const grammar::x3::expectation_failure<grammar::iterator>& failure) {
    throw grammar::explain(state, failure.where(), failure.which());
  }
  return result;
}

}  // namespace

ast::model parse_model(const source_set& sources, std::uint32_t file) { return run(sources, file, grammar::model_file); }
ast::property_file parse_properties(const source_set& sources, std::uint32_t file) {
  return run(sources, file, grammar::property_file);
}
ast::claim_file parse_claims(const source_set& sources, std::uint32_t file) {
  return run(sources, file, grammar::claim_file);
}
ast::expr parse_expression(const source_set& sources, std::uint32_t file) {
  return run(sources, file, grammar::expression_file);
}

}  // namespace quiesce::language
