// SPDX-License-Identifier: MIT
#pragma once
// What `quiesce check` offers for searches that take long: progress, checkpoints, and why there are so many states.

#include <memory>
#include <string>

#include "model/language/source.hpp"
#include "model/verdict/check.hpp"

namespace CLI {
class App;
}

namespace quiesce::cli {

struct long_search {
  std::string checkpoint, resume, every;
  bool explain_states = false, statistics = false;
  std::shared_ptr<std::string> explained = std::make_shared<std::string>();  // text for stdout

  bool wanted() const { return explain_states || !checkpoint.empty() || !resume.empty(); }
};

void add_long_search(CLI::App&, long_search&);

// Sets what the options ask for. Throws a usage diagnostic where they cannot be had: another engine or store.
void apply(const long_search&, const std::string& format, const language::source_set&, limits&);

// One file and one table are for one search. Throws a usage diagnostic.
void refuse_many_searches(const long_search&, std::size_t count);

// For --statistics, on stderr.
std::string statistics_text(const answer&);

// On a terminal a line that the next one overwrites; else one line every 30 seconds.
void show_progress(const std::string& what, const search_progress&);

}  // namespace quiesce::cli
