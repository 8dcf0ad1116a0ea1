// SPDX-License-Identifier: MIT
#pragma once
// Blocks, procedures and whole files on a writer.

#include "model/language/format_layout.hpp"
#include "model/language/format_tree.hpp"

namespace quiesce::language::format_detail {

// `head { body }`. begin: where the head stands in the source; the block's brace is the first `{` at or behind `behind`.
// Returns the offset behind the closing brace.
std::uint32_t block(writer&, std::uint32_t begin, std::uint32_t behind, const doc& head,
                    const std::vector<ast::statement>& body);
void statements(writer&, const std::vector<ast::statement>&);

void procedure(writer&, const ast::procedure_decl&);
void handler(writer&, const ast::handler_decl&);
void process(writer&, const ast::process_decl&);
void operation(writer&, const ast::operation_decl&);
void environment(writer&, const ast::environment_decl&);

// A declaration without statements as a document, with its `;`.
doc declaration(const ast::item&);
bool is_declaration(const ast::item&);

std::string model_text(const ast::model&, const source_layout&);
std::string property_text(const ast::property_file&, const source_layout&);
std::string claim_text(const ast::claim_file&, const source_layout&);

}  // namespace quiesce::language::format_detail
