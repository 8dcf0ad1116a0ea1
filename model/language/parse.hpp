// SPDX-License-Identifier: MIT
#pragma once
// Text to syntax tree. The grammar is MANUAL.md; one rule family per translation unit (grammar_*.cpp).
// Every function throws `diagnostic` for the first error, at its exact place. O(length). Nesting is limited to 200 levels.

#include "model/language/ast.hpp"
#include "model/language/source.hpp"

namespace quiesce::language {

ast::model parse_model(const source_set&, std::uint32_t file);
ast::property_file parse_properties(const source_set&, std::uint32_t file);
ast::claim_file parse_claims(const source_set&, std::uint32_t file);
ast::expr parse_expression(const source_set&, std::uint32_t file);

// The canonical form of a file of any of the three kinds (by its first keyword): what `quiesce fmt` prints and what is hashed. Comments are kept.
// format(format(x)) == format(x), and parsing the result gives the same tree (places apart).
std::string format(const source_set&, std::uint32_t file);
// The same of what was parsed from `text` already.
std::string format(const ast::model&, std::string_view text);
std::string format(const ast::property_file&, std::string_view text);
std::string format_tree(const ast::model&);   // a tree without a text: no comments
std::string format_expression(const ast::expr&);
std::string format_type(const ast::type_expr&);
std::string format_statement_head(const ast::statement&);   // one line, without bodies: for traces

}  // namespace quiesce::language
