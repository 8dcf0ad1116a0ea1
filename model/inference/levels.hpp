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
  // The first level has the variables that the properties quantify (where they quantify none, one of each sort), and as many
  // as a function about these sorts has arguments of one.
  explicit levels(const core&);
  std::optional<level> next();
  // How much of the time that is left is for the last level that was given.
  double share() const { return at_ >= all_.size() ? 1.0 : 0.3; }

 private:
  std::vector<level> all_;
  std::size_t at_ = 0;
};

}  // namespace quiesce::inference
