// SPDX-License-Identifier: MIT
#pragma once
// A slow and direct reading of the manual: runs the syntax tree of a model, statement by statement, on unpacked states. It
// shares no code with the lowering, which is tested against it. Knows what random_model writes, and nothing more: locals
// have names of their own, sorts have fixed sizes, there are no handlers, lists, timers or CPUs.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/language/ast.hpp"

namespace quiesce::test {

// Sequences: their members; everything else: one number. Elements: their number; option: -1 is none; sets: bit i is element
// i.
using cell_value = std::vector<std::int64_t>;

struct naive_outcomes {
  struct observed {
    std::string globals;
    std::vector<std::uint32_t> next;
  };
  std::vector<observed> graph;      // the reachable states, the initial one first
  std::set<std::string> deadlocks;  // the globals where nothing moves although not everybody has ended, or a step gets stuck
  std::set<std::string> errors, bounds;
  bool complete = true;
};

// `commit_early`: choosing a branch of `either` is a step by itself, also where the branch begins with a statement that
// waits.
naive_outcomes explore_model(const ast::model&, bool commit_early, std::size_t most_states);

// Histories: the values that the globals take one after another in a run, each time that they change. A history that one
// graph has and the other has not; empty: both have the same ones. `gave_up`: too many sets of states; then nothing is said.
std::string lost_history(const naive_outcomes& of, const naive_outcomes& in, bool& gave_up);

// The globals of a state in the form of `naive_outcomes`.
std::string shown_globals(const std::map<std::string, std::vector<cell_value>>&);

}  // namespace quiesce::test
