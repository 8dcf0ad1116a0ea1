// SPDX-License-Identifier: MIT
#pragma once
// A search on disk, as it was at the beginning of a level, and the same search going on from there.
//
// States of completed levels and their predecessors never change, so the file can be written at any moment of a level, while
// other threads go on. It is written beside its name and put there by fsync and rename: whatever ends the process, the name
// has a whole checkpoint, the old or the new one. A digest over all of it ends it. Only what was settled is in it, so a
// search that goes on finds what an undisturbed one finds, with any number of threads, interpreted or compiled.

#include <cstdint>
#include <string>
#include <vector>

#include "model/explicit/candidates.hpp"
#include "model/explicit/search.hpp"
#include "model/explicit/seen_set.hpp"

namespace quiesce {

// A candidate that became a finding.
struct settled_finding {
  finding_key key;
  std::uint64_t depth = 0;  // of the steps of its level
  candidate where;
};

struct level_start {
  std::uint64_t depth = 0, transitions = 0, marked = 0;
  seen_set::index end = 0;                  // numbers of states are below
  std::vector<seen_set::range> level, all;  // to expand; all states there are
  std::vector<settled_finding> findings;
};

// What the file is of: version, lowered system, layout and the options that change what is found. 64 hexadecimal digits.
std::string checkpoint_key(const transition_system&, const search_options&);

// Replaces the file. Throws diagnostic where it cannot be written; an older one is then as it was. Two processes must not
// write the same name at the same time.
void write_checkpoint(const std::string& path, const std::string& key, const level_start&, const seen_set&);

// Fills a set that has no states. Throws diagnostic for a file that cannot be read, is no checkpoint, was cut off or
// changed, or belongs to another system, version or options.
level_start read_checkpoint(const std::string& path, const std::string& key, seen_set&);

}  // namespace quiesce
