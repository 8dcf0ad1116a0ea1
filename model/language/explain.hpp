// SPDX-License-Identifier: MIT
#pragma once
// From "this was expected here" to a diagnostic that names what was found and what was probably meant.

#include "model/language/lexical.hpp"

namespace quiesce::language::grammar {

// `at`: where the parser stood, directly behind the last token that fitted. `wanted` completes "expected …".
diagnostic explain(const state&, iterator at, const std::string& wanted);

}  // namespace quiesce::language::grammar
