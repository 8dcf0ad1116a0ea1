// SPDX-License-Identifier: MIT
#pragma once
// What a file declares, found without parsing it.

#include <string>
#include <string_view>
#include <vector>

#include "model/language/source.hpp"

namespace quiesce::language {

struct declared_name {
  std::string name;
  source_range where;  // of the name
};

// The names that follow `keyword` in the file, in their order. The keyword must be a reserved one that begins declarations
// and nothing else, as `property` and `vocabulary` do in files of properties; then they are what a parser finds, in a file
// without errors. O(length), a tenth of the time of parsing.
std::vector<declared_name> declared_names(const source_set&, std::uint32_t file, std::string_view keyword);

}  // namespace quiesce::language
