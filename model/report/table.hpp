// SPDX-License-Identifier: MIT
#pragma once
// Plain-text tables of ASCII text.

#include <string>
#include <vector>

namespace quiesce::report {

// Rows of cells; a cell may hold several lines. Columns are as wide as their widest line, two blanks apart; no trailing blanks.
std::string align(const std::vector<std::vector<std::string>>& rows, const std::string& indent = {});

// Breaks a text at blanks into lines of at most `columns`; a longer word is broken. Lines after the first are indented by two.
std::string fold(const std::string& text, std::size_t columns);

}  // namespace quiesce::report
