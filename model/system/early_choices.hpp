// SPDX-License-Identifier: MIT
#pragma once
// Values of a choice that are given up in any case, found before a program runs.

#include <cstdint>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce::ir {

// `code[at]` is a `choose`. Of its values, those that no `await` before the next branch, choice or end of a step refuses
// whatever the state is; ascending. What cannot be told without the state refuses nothing. An element of a table that may
// have any value of which the condition allows few is chosen so: of 8 values of `option<dev>` often one is left, in each of
// thousands of initial paths.
// At most some 10,000 expressions are looked at; beyond, no value is given up.
std::vector<std::int64_t> possible_values(const program&, const std::vector<instruction>& code, std::size_t at);

}  // namespace quiesce::ir
