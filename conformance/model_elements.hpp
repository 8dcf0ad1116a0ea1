// SPDX-License-Identifier: MIT
#pragma once
// Changes to a model that make it follow a script: its elements get names, and its initial state is the script's to give.

#include <functional>
#include <string>
#include <vector>

#include "model/language/ast.hpp"

namespace quiesce::conformance {

// Elements get these names, in this order, so that a script can speak of them. Those that stand for others stay.
void name_elements(ast::model&, const std::string& sort, const std::vector<std::string>& names);

// What the model chooses freely at the start, of the variables that `which` accepts, starts at its least value.
void give_initial_state(ast::model&, const std::function<bool(const ast::variable_decl&)>& which);

}  // namespace quiesce::conformance
