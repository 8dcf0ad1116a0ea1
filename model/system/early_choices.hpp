// SPDX-License-Identifier: MIT
#pragma once
// Values of a choice that are given up in any case, found before a program runs.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce::ir {

// `code[at]` is a `choose`: which of its values are left, ascending, without those that an `await` before the next branch,
// choice or end of a step refuses in any state. None: all of them.
// An initial table whose elements may be anything, of which its condition allows few, is chosen so: of 8 values of
// `option<dev>` often one is left, in each of thousands of initial paths.
// A value is kept where that needs the state, and where an error may come before it is refused: a sum with an unknown
// value, an element that is not known, a value that may not fit its variable. About 10,000 expressions are looked at for
// one choice; values that come after that are kept.
std::optional<std::vector<std::int64_t>> remaining_values(const program&, const std::vector<instruction>& code,
                                                          std::size_t at);

}  // namespace quiesce::ir
