// SPDX-License-Identifier: MIT
#pragma once
// A scenario on the reference stack in the variant of the running kernel, and on that kernel, operation by operation: both
// must accept or both refuse, and once the kernel has settled its tables must be the stack's.

#include <string>
#include <vector>

#include "conformance/driver.hpp"
#include "conformance/live_tables.hpp"
#include "refimpl/core/variant.hpp"

namespace quiesce::conformance {

struct mirror_settings {
  refimpl::variant_policy policy;
  // The kernel keeps its own settings (duplicate address detection, solicitations, link-local addresses); tables are
  // compared once, at the end.
  bool kernel_defaults = false;
  std::chrono::milliseconds settle{5000};  // how long the kernel may take to become equal
};

struct mirror_result {
  std::size_t operations = 0;   // executed on both
  std::size_t comparisons = 0;  // of whole tables
  std::size_t lines = 0;        // compared in them
  left_out missing;             // operations that are not run, by reason
  // The first operation after which they differ: its text, then each difference. Empty: conformant.
  std::string failed_operation;
  std::vector<std::string> mismatches;
};

// before: every operation is_drivable; tasks are run one operation each in turn. Throws std::runtime_error where real
// devices cannot be driven.
mirror_result run_mirrored(const scenario& s, const mirror_settings& settings);

}  // namespace quiesce::conformance
