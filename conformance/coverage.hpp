// SPDX-License-Identifier: MIT
#pragma once
// What the scenarios of a run covered: one line for each thing that an option of the models distinguishes.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/scenario.hpp"
#include "refimpl/core/event.hpp"

namespace quiesce::conformance {

using event_counts = std::array<std::uint64_t, refimpl::event_kinds>;

struct feature {
  const char* name;
  const char* models;  // whose options or environments distinguish it
  bool (*in)(const scenario&, const event_counts&);
};
const std::vector<feature>& feature_table();

class coverage {
 public:
  coverage() : hits_(feature_table().size(), 0) {}
  void add(const scenario& s, const event_counts& counts);
  const std::vector<std::uint64_t>& hits() const { return hits_; }  // scenarios, by entry of feature_table()

 private:
  std::vector<std::uint64_t> hits_;
};

// A table, one line per feature, with the share of `runs`.
std::string format(const coverage& c, std::uint64_t runs);

}  // namespace quiesce::conformance
