// SPDX-License-Identifier: MIT
#include "model/verdict/hash.hpp"

#include <fmt/format.h>

#include "model/explicit/sha256.hpp"

namespace quiesce {

std::string sha256(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string all;
  for (const auto& [label, text] : parts) all += fmt::format("{} {}\n", label, text.size()) + text;
  return sha256_hex(all);
}

}  // namespace quiesce
