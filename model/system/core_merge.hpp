// SPDX-License-Identifier: MIT
#pragma once
// Paths of one step that meet again become one: what differs between them is chosen by a condition. Internal to core.cpp.

#include <vector>

#include "model/system/core_expression.hpp"

namespace quiesce::core {

// The two are paths of one step, so with given parameters at most one of them is taken. The result is taken where either is,
// and then does what that one does; a parameter that the one taken did not choose has to be 0, so that no step is there
// twice. The longer the common beginning of what they assume, the shorter the result. Names long terms.
path merged(expressions&, const path& a, const path& b);

// All of them, at least one, those first that parted last. Which order they come in makes no difference.
path merged(expressions&, std::vector<path> all);

}  // namespace quiesce::core
