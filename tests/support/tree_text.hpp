// SPDX-License-Identifier: MIT
#pragma once
// Syntax trees as text, with every member but the places: two trees are the same iff their texts are.

#include <string>

#include "model/language/ast.hpp"

namespace quiesce::test {

std::string tree_text(const ast::expr&);
std::string tree_text(const ast::type_expr&);
std::string tree_text(const ast::statement&);
std::string tree_text(const ast::model&);
std::string tree_text(const ast::property_file&);
std::string tree_text(const ast::claim_file&);

}  // namespace quiesce::test
