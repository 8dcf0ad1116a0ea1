// SPDX-License-Identifier: MIT
#pragma once
// The measurements of the three threads on the reference stack: every variant in the same run. One file per table; a new one
// is a file and a line in bench.cpp.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "refimpl/bench/report.hpp"

namespace quiesce::bench {

struct options {
  std::size_t devices = 0;            // 0: the thread's
  std::size_t neighbours = 0;         // of each device; 0: one. Only `delete` reads it
  std::vector<std::size_t> routes;    // empty: the thread's
  std::vector<std::string> variants;  // empty: all that the table compares
  bool yes = false;                   // `live` may exceed what a machine is asked for without asking
  double limit_s = 300;               // of real time per row; a longer one is stopped and printed as such
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

struct benchmark {
  const char* name;
  const char* summary;
  report (*run)(const options&);
  bool has_charts;
  const char* reads;  // which of the options it looks at
};
const std::vector<benchmark>& benchmarks();

// throw std::invalid_argument for an unknown variant or a size that the scenario cannot have.
report run_delete(const options&);
report run_backoff(const options&);
report run_gc(const options&);
report run_growth(const options&);
report run_live(const options&);

// options.variants, or `all` if it is empty; those that the reference stack does not know are refused.
std::vector<std::string> chosen_variants(const options&, const std::vector<std::string>& all);

}  // namespace quiesce::bench
