// SPDX-License-Identifier: MIT
#include "model/report/report.hpp"

#include "model/verdict/hash.hpp"

namespace quiesce::report {

const std::vector<writer>& writers() {
  static const std::vector<writer> table = {
      {"text", write_text},
      {"json", write_json},
  };
  return table;
}

std::string combined_hash(const results& all) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const row& r : all.rows) parts.emplace_back(r.result().property, r.result().hash);
  return sha256(parts);
}

}  // namespace quiesce::report
