// SPDX-License-Identifier: MIT
#pragma once
// Which reductions of steps are asked for; partial_order.hpp and merge.hpp say what they do.

#include <string_view>

namespace quiesce {

struct reductions {
  bool merge = false, partial_order = false;
  bool any() const { return merge || partial_order; }
};

// "none", "merge", "partial-order", "all"
inline const char* name(reductions r) {
  return r.merge && r.partial_order ? "all" : r.merge ? "merge" : r.partial_order ? "partial-order" : "none";
}

// One of those.
inline reductions reductions_named(std::string_view text) {
  return {text == "merge" || text == "all", text == "partial-order" || text == "all"};
}

}  // namespace quiesce
