// SPDX-License-Identifier: MIT
#pragma once
// A command run as a child: what it prints, and what it costs.

#include <cstdint>
#include <string>
#include <vector>

namespace quiesce::bench {

struct run_result {
  bool finished = false;  // exit status 0, within the time
  std::string output;     // stdout and stderr
  double cpu_s = 0, wall_s = 0;
  std::uint64_t peak_bytes = 0;  // resident
};

// Runs `command` by /bin/sh in `directory`. It and what it started are killed after `limit_s`.
run_result run_command(const std::string& command, const std::string& directory, double limit_s);

double median(std::vector<double>);

// The last number before `words`, a regular expression; 0: there is none.
std::uint64_t number_before(const std::string& text, const std::string& words);

}  // namespace quiesce::bench
