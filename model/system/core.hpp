// SPDX-License-Identifier: MIT
#pragma once
// The core: the canonical text of a lowered system, without processes, instructions and temps. CORE.md gives its grammar and
// meaning.

#include <string>

#include "model/system/ir.hpp"

namespace quiesce {

// One action for each path from a place where a process can stand to the next, found by symbolic execution: conditions go
// into the guard, writes into simultaneous updates, choices into parameters. Equal programs have equal texts. Throws
// diagnostic, naming the statement, where the paths of one step or the terms of one path are too many.
std::string core_text(const ir::program&);

}  // namespace quiesce
