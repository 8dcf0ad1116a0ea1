// SPDX-License-Identifier: MIT
#pragma once
// Every interleaving of a controlled execution, one of each equivalence class: dynamic partial-order reduction with source
// sets and sleep sets (Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, POPL 2014). Stateless: each
// execution starts anew and repeats the moves of the one before up to where it differs.
//
// Two moves are independent if what they did is (schedule_control.hpp, access): different actors, no object that one of them
// writes and both touch, no lock that both take. A repeated prefix must offer and do the same as before: hidden
// nondeterminism is found there, and reported, not tolerated.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/schedule_control.hpp"

namespace quiesce::conformance {

struct exploration_limits {
  double seconds = 0;            // 0: none
  std::uint64_t executions = 0;  // 0: none
};

struct exploration_report {
  std::uint64_t executions = 0;  // one of each class
  std::uint64_t redundant = 0;   // begun and found to be in a class that was explored (sleep sets)
  std::uint64_t moves = 0;
  std::size_t longest = 0;
  bool exhausted = false;
  std::string nondeterminism;  // what differed where the same was expected; empty: nothing
  double elapsed_s = 0;
};

// `execute` runs one whole execution under the chooser. Behind each that is not redundant, `done` is called with the actors
// that moved, in order; false ends the exploration.
exploration_report explore_all(const std::function<void(chooser&)>& execute, const exploration_limits&,
                               const std::function<bool(const std::vector<std::uint32_t>& actors)>& done);

// True if the two moves may be exchanged where they are neighbours.
bool independent(const move&, const move&);

}  // namespace quiesce::conformance
