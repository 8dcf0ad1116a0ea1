// SPDX-License-Identifier: MIT
#pragma once
// How a quantity grows: the exponent k of y = c x^k by least squares over logarithms.

#include <optional>
#include <utility>
#include <vector>

namespace quiesce::bench {

// Nothing with fewer than two points that are positive, or all at one x. A constant quantity gives 0.
std::optional<double> fitted_exponent(const std::vector<std::pair<double, double>>& points);

}  // namespace quiesce::bench
