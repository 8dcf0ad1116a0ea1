// SPDX-License-Identifier: MIT
#pragma once
// SHA-256 over labelled parts, so that no two lists of parts give the same input.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quiesce {

// Hexadecimal, 64 digits. Each part enters as "LABEL LENGTH\n" followed by its bytes.
std::string sha256(const std::vector<std::pair<std::string, std::string>>& parts);

}  // namespace quiesce
