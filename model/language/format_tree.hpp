// SPDX-License-Identifier: MIT
#pragma once
// Syntax trees to documents. Parentheses stand only where the grammar needs them.

#include "model/language/ast.hpp"
#include "model/language/format_doc.hpp"

namespace quiesce::language::format_detail {

doc expression(const ast::expr&);
doc sum(const ast::expr&);   // where the grammar takes an integer expression
doc atom(const ast::expr&);  // in parentheses if a `?` or a quantifier is outermost
doc type(const ast::type_expr&);
doc binder(const ast::binder&);
doc binders(const std::vector<ast::binder>&);
doc arguments(const std::vector<ast::expr>&);
doc patterns(const std::vector<ast::event_pattern>&);  // of a property
doc statement_head(const ast::statement&);             // without `;`, anchor and bodies
doc anchor(const ast::anchor&);
doc evidence(const ast::evidence&);  // mark must be given
std::string quoted(const std::string&);
doc comma_list(const std::vector<std::string>&);

}  // namespace quiesce::language::format_detail
