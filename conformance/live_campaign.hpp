// SPDX-License-Identifier: MIT
#pragma once
// Many random scenarios on the running kernel beside the stack in the kernel's own variant: run_mirrored for each.

#include <cstdint>
#include <functional>
#include <optional>

#include "conformance/live_mirror.hpp"
#include "refimpl/device/rtnetlink/capabilities.hpp"

namespace quiesce::conformance {

struct live_settings {
  std::uint64_t seed = 1, count = 200;
  std::optional<std::chrono::duration<double>> time;
  std::uint64_t defaults_every = 20;  // that many scenarios apart, one keeps the kernel's defaults
  std::function<void(std::uint64_t done)> progress;
};

struct live_mismatch {
  std::uint64_t seed = 0;
  scenario found;
  mirror_result how;
};

struct live_report {
  rtnetlink::running_kernel kernel;
  std::uint64_t runs = 0, with_defaults = 0, operations = 0, comparisons = 0, lines = 0;
  left_out missing;
  std::optional<live_mismatch> first;  // the campaign ends with it
  bool agrees() const { return !first; }
};

// Scenario i is generate(seed + i) for live drivers, as far as it is drivable. Throws std::runtime_error where real devices
// cannot be driven.
live_report run_live_campaign(const live_settings& settings);
// Lines for the report of `quiesce conform`. On a kernel that is not listed a difference is called unknown.
std::string to_text(const live_report& r);

}  // namespace quiesce::conformance
