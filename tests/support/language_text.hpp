// SPDX-License-Identifier: MIT
#pragma once
// Short ways from text to syntax trees and to what a user would see.

#include <string>

#include "model/language/parse.hpp"
#include "tests/support/tree_text.hpp"

namespace quiesce::test {

inline ast::model model_of(const std::string& text) {
  language::source_set sources;
  return language::parse_model(sources, sources.add("t.model", text));
}
inline ast::property_file properties_of(const std::string& text) {
  language::source_set sources;
  return language::parse_properties(sources, sources.add("t.prop", text));
}
inline ast::claim_file claims_of(const std::string& text) {
  language::source_set sources;
  return language::parse_claims(sources, sources.add("t.claim", text));
}
inline ast::expr expression_of(const std::string& text) {
  language::source_set sources;
  return language::parse_expression(sources, sources.add("t.expr", text));
}
// The statements of a procedure with this body.
inline std::vector<ast::statement> statements_of(const std::string& text) {
  return std::get<ast::procedure_decl>(model_of("model m proc p() {\n" + text + "\n}").items.at(0)).body;
}
inline std::string formatted(const std::string& text) {
  language::source_set sources;
  return language::format(sources, sources.add("t", text));
}
// "line:column: sentence", or nothing if the text parses. Kinds by the extension: model, prop, claim, expr.
inline std::string complaint(const std::string& text, const std::string& kind = "model") {
  language::source_set sources;
  const std::uint32_t file = sources.add("t." + kind, text);
  try {
    if (kind == "model") language::parse_model(sources, file);
    if (kind == "prop") language::parse_properties(sources, file);
    if (kind == "claim") language::parse_claims(sources, file);
    if (kind == "expr") language::parse_expression(sources, file);
  } catch (const diagnostic& d) {
    const language::position at = sources.locate(file, d.where.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.sentence;
  }
  return {};
}

}  // namespace quiesce::test
