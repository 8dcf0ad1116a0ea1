// SPDX-License-Identifier: MIT
#pragma once
// What the condition of a `rigid` table says about one element alone, so that values are refused as soon as that element has
// one, and not when all have: 6^5 tables of five options are looked through otherwise where one is allowed.

#include <vector>

#include "model/system/lower_builder.hpp"

namespace quiesce::lowering {

// `condition` follows for the element in `element`: implied by the whole, and of the table it reads that element only.
struct element_condition {
  temp_id element = 0;
  expr_id condition = ir::nothing;
};

// Of the parts of `whole`, a condition on table `var` over one sort, those that begin with `all u`. What comes behind a part
// that reads more is left out too, since it may rely on that part. O(size of the condition).
std::vector<element_condition> element_conditions(builder&, expr_id whole, variable_id var);

}  // namespace quiesce::lowering
