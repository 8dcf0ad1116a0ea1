// SPDX-License-Identifier: MIT
#pragma once
// What writers ask about the code of one step: which instructions it has, where paths meet, and when there is such a step.

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "model/export/term.hpp"

namespace quiesce::exporting {

// The instructions that a path from `entry` to the end of its step can reach, ascending, and those that a jump leads to.
struct step_code {
  std::vector<std::uint32_t> at;
  std::set<std::uint32_t> targets;
  bool chooses = false;  // some instruction chooses
};
step_code code_of_step(const std::vector<ir::instruction>&, std::uint32_t entry);

// What comes behind an instruction within the step; nothing behind its ends.
std::vector<std::uint32_t> behind(const std::vector<ir::instruction>&, std::uint32_t at);

// The instructions that lie on a cycle within the step.
std::set<std::uint32_t> on_cycles(const std::vector<ir::instruction>&, const step_code&);

// The condition under which the step from `entry` exists: that no `await` on the way is false, for some choice. In terms of
// the state before the step; temp 0 is `self`. Nothing where the condition would be too long.
std::optional<term> exists_step(const ir::program&, const std::vector<ir::instruction>&, std::uint32_t entry,
                                const term& self);

// Every process rests, or has ended, everywhere.
term everybody_rests(const ir::program&);

}  // namespace quiesce::exporting
