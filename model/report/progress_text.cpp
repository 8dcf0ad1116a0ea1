// SPDX-License-Identifier: MIT
#include "model/report/progress_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quiesce::report {
namespace {

double share(std::uint64_t part, std::uint64_t of) { return of ? static_cast<double>(part) / static_cast<double>(of) : 0; }

std::string short_number(double x) {
  if (x < 10000) return fmt::format("{:.0f}", x);
  return x < 1e6 ? fmt::format("{:.0f}k", x / 1e3) : fmt::format("{:.2f}M", x / 1e6);
}

}  // namespace

std::string progress_text(const search_progress& p, double rate) {
  if (p.states == 0) return fmt::format("depth {}", p.depth);
  std::string out = fmt::format("{} states, {} steps, frontier {}, depth {}", p.states, p.transitions, p.frontier, p.depth);
  if (rate > 0) out += fmt::format(", {} states/s", short_number(rate));
  out += fmt::format(", {:.0f} MiB", static_cast<double>(p.memory_bytes) / (1 << 20));
  const double fill = std::max(share(p.memory_bytes, p.memory_limit), share(p.states, p.state_limit));
  return fill > 0 ? out + fmt::format(", {:.0f} % full", 100 * fill) : out;
}

}  // namespace quiesce::report
