// SPDX-License-Identifier: MIT
#pragma once
// The lowered program as text, for people who debug the lowering. Not parsed by anything; the canonical text is core.hpp.

#include <string>

#include "model/system/ir.hpp"

namespace quiesce {

std::string dump(const ir::program&);
std::string dump(const ir::program&, ir::expr_id);

}  // namespace quiesce
