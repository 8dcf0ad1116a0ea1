// SPDX-License-Identifier: MIT
#pragma once
// Small random lowered programs: one or two process templates, tables, choices, branches, errors, bounds, properties.

#include <functional>

#include "model/system/ir.hpp"

namespace quiesce::test {

// A number in low..high, both included.
using picker = std::function<int(int low, int high)>;

struct program_shape {
  bool names_elements = false;  // with constants of element types, which break symmetries
  int most_elements = 3;
  bool separate = false;  // most steps touch what only their own process touches, or hold a lock
};

ir::program random_program(const picker&, const program_shape&);

}  // namespace quiesce::test
