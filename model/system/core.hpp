// SPDX-License-Identifier: MIT
#pragma once
// The core: the canonical text of a lowered system, without processes, instructions and temps. CORE.md gives its grammar and
// meaning.

#include <string>

#include "model/system/ir.hpp"

namespace quiesce {

// One action for each path from a place where a process can stand to the next, found by symbolic execution: conditions go
// into the guard, writes into simultaneous updates, choices into parameters. In a finite scope a step with more than
// `most_separate` paths is one action, in which paths that meet again go on as one and long terms have names: its text grows
// with the instructions, not with the paths. Equal programs have equal texts. Throws diagnostic, naming the statement, where
// the paths of one step or the terms of one path are too many.
std::string core_text(const ir::program&, std::size_t most_separate = 64);

}  // namespace quiesce
