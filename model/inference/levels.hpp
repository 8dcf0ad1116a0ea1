// SPDX-License-Identifier: MIT
#pragma once
// Which clauses are tried, in this order: how many variables of each sort, how many literals.

#include <optional>

#include "model/inference/structure.hpp"

namespace quiesce::inference {

struct level {
  std::string name;
  std::vector<std::size_t> variables;  // by sort
  std::size_t length = 0;
};

class levels {
 public:
  // The first level has the variables that the properties quantify; where they quantify none, one of each sort.
  explicit levels(const core&);
  std::optional<level> next();

 private:
  std::vector<level> all_;
  std::size_t at_ = 0;
};

}  // namespace quiesce::inference
