// SPDX-License-Identifier: MIT
#pragma once
// Level-synchronous breadth-first exploration of all reachable states, with any number of threads and the same result.
//
// Several properties are checked in one exploration, because exploring is what costs. Each finding is of least depth; among
// those of one depth it is the one with the least violating state, then the least state before it (lexicographic on packed
// words), then the least path of such, then the first steps in the fixed order of steps. So threads do not change what is
// printed.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/explicit/budget.hpp"
#include "model/explicit/counterexample.hpp"
#include "model/explicit/native.hpp"
#include "model/explicit/reductions.hpp"
#include "model/system/system.hpp"

namespace quiesce {

struct search_progress {
  std::uint64_t states = 0, transitions = 0, depth = 0, frontier = 0, memory_bytes = 0;
  std::uint64_t memory_limit = 0, state_limit = 0;  // 0: none
  double elapsed_s = 0;
};

// How seen states are kept: with numbers and predecessors; full states without (bare_set.hpp); full states in few bits
// (quotient_set.hpp); hashes of them, which may take a new state for a seen one.
enum class state_store : std::uint8_t { full, bare, compressed, hash_compact };

// A file to go on from, and one to go on from later (checkpoint.hpp). Full store only. Empty: none.
struct checkpoint_plan {
  std::string file, resume;
  double every_s = 60;   // 0: at the beginning of each level
  std::string identity;  // what else must be the same, e.g. the version of the program
};

struct explored;  // explored.hpp
struct search_result;

struct search_options {
  state_store store = state_store::full;        // the others use one thread
  std::uint64_t expected_states = 0;            // bare: there is room for so many from the beginning
  std::uint64_t max_depth = ~std::uint64_t{0};  // levels beyond are not expanded
  unsigned threads = 0;                         // 0: one for each processor
  std::uint64_t max_states = 0;                 // 0: no limit
  std::uint64_t max_memory_bytes = 0;
  double timeout_s = 0;
  std::uint64_t wanted = ~std::uint64_t{0};  // properties that findings are recorded for
  bool stop_at_first = false;  // end after the level in which a wanted finding (or, if checked, a deadlock) occurs
  bool symmetry = false;
  reductions reduce;                         // findings stay of least depth: see reduced_search.hpp
  bool check_deadlock = true;
  bool traces = true;         // rebuild the run of each finding
  std::uint32_t grain = 128;  // states that a thread takes at a time; levels below 8 grains are not shared
  native_mode native = native_mode::off;
  std::uint64_t native_from = 200000;                    // states of a search that are worth a compiler, in `automatic`
  std::function<bool(const search_result&)> enough;      // asked behind each level: true ends the search
  std::function<void(const search_progress&)> progress;  // about once a second, from one thread at a time
  checkpoint_plan checkpoint;
  std::function<void(const explored&)> examine;  // all that was reached, at the end; full store only
};

enum class finding_kind : std::uint8_t { violation, reached, error, bound, deadlock };

// `reached`: what a `sometimes` property wants. `deadlock`: no step although not everybody rests, or a step that ended in
// `stuck`.
struct finding {
  finding_kind kind = finding_kind::violation;
  std::uint32_t property = 0;  // violation, reached
  std::uint8_t which = 0;      // error, bound: the kind
  std::uint64_t depth = 0;     // steps from the initial state, the last one included
  trace run;                   // concrete, also under symmetry; empty without search_options::traces
  bool minimal = true;         // no run with fewer steps ends so
};

struct search_result {
  std::uint64_t states = 0;       // orbits under symmetry
  std::uint64_t transitions = 0;  // steps of explored states, those that end in error, bound or stuck included
  std::uint64_t depth = 0;        // of the last level that has states
  std::uint64_t covered = 0;      // without reductions: every run of at most so many steps was followed
  bool complete = false;          // every reachable state was explored
  budget ended_by = budget::none;
  std::uint64_t marked = 0;  // properties whose trigger happened
  std::uint64_t group_order = 1;
  std::uint64_t states_again = 0;  // of the search without reductions that made runs shortest
  double omission_probability = 0;  // hash_compact: at most so, that a state was not explored
  std::uint64_t native_levels = 0;  // levels that compiled code expanded
  std::string native_note;          // why there was none; empty where there was, or none was asked for
  std::string symmetry_note;        // what left the group, and why
  std::string checkpoint_note;      // why the last checkpoint is older than it should be; empty: it is not
  double elapsed_s = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<std::optional<finding>> properties;  // one for each property of the program
  std::map<ir::error_kind, finding> errors;
  std::map<ir::bound_kind, finding> bounds;
  std::optional<finding> deadlock;
};

// Throws what the steps throw (diagnostic: a step that does not end; std::logic_error: a defect of the lowering), and
// diagnostic for a checkpoint that cannot be used or never be written.
search_result explore(const transition_system&, const search_options&);

// For tests and exporters: the packed words of every state reached, one after the other, sorted. Same options.
std::vector<std::vector<word>> reachable_states(const transition_system&, const search_options&);

}  // namespace quiesce
