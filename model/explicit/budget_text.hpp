// SPDX-License-Identifier: MIT
#pragma once
// What ended an exploration, in the words of a verdict.

#include <string>

#include "model/explicit/budget.hpp"

namespace quiesce {

// "limit of time reached", "interrupted"
inline std::string text_of(budget b) {
  return b == budget::interrupt ? "interrupted" : std::string("limit of ") + name(b) + " reached";
}

}  // namespace quiesce
