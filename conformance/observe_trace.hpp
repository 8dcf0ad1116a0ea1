// SPDX-License-Identifier: MIT
#pragma once
// One trace from its file to its report.

#include "conformance/observe_text.hpp"

namespace quiesce::observe {

struct trace_options {
  std::string kernel;          // empty: what the source says
  std::string format;          // empty: detect
  std::string dellink_file;    // messages recorded together: their DELLINK order names devices
  std::size_t batch_size = 0;  // devices in the user's own batch; 0: not known
  std::size_t batches_kept = 100;
  std::size_t events_compared = 10'000;  // with the model
};

// Throws diagnostic: a file cannot be read, no format fits, the kernel is not a version.
trace_report report_on(catalogue& inputs, const std::string& path, const trace_options&);

}  // namespace quiesce::observe
