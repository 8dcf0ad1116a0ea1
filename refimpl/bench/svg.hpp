// SPDX-License-Identifier: MIT
#pragma once
// Charts as SVG 1.1: one panel below the other, lines with points, a legend in each.

#include <string>
#include <vector>

#include "refimpl/bench/report.hpp"

namespace quiesce::bench {

// Deterministic; O(points). A chart without points gives a panel that says so.
std::string to_svg(const std::vector<chart>& charts);

}  // namespace quiesce::bench
