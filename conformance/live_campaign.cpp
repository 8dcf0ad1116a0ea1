// SPDX-License-Identifier: MIT
#include "conformance/live_campaign.hpp"

#include <fmt/format.h>

#include "conformance/driver_rtnetlink.hpp"
#include "conformance/generate.hpp"

namespace quiesce::conformance {

live_report run_live_campaign(const live_settings& settings) {
  using clock = std::chrono::steady_clock;
  live_report out;
  out.kernel = rtnetlink::this_kernel();
  mirror_settings how;
  how.policy = refimpl::variant(out.kernel.variant);
  const auto begin = clock::now();
  for (std::uint64_t i = 0; i < settings.count && out.agrees(); ++i) {
    if (settings.time && clock::now() - begin >= *settings.time) break;
    generator_options live;
    live.live = true;
    const scenario s = drivable(generate(settings.seed + i, live), out.missing, true);
    how.kernel_defaults = settings.defaults_every != 0 && i % settings.defaults_every == settings.defaults_every - 1;
    mirror_result r = run_mirrored(s, how);
    ++out.runs;
    out.with_defaults += how.kernel_defaults;
    out.operations += r.operations;
    out.comparisons += r.comparisons;
    out.lines += r.lines;
    for (const auto& [what, times] : r.missing) out.missing[what] += times;
    if (!r.failed_operation.empty()) out.first = live_mismatch{settings.seed + i, s, std::move(r)};
    if (settings.progress) settings.progress(out.runs);
  }
  return out;
}

std::string to_text(const live_report& r) {
  std::string text = fmt::format("kernel {}: variant {}{}\n", r.kernel.release, r.kernel.variant,
                                 r.kernel.listed ? "" : ", the nearest: this kernel is not listed");
  text += fmt::format(
      "  {} scenarios on it and on the stack, {} of them with the kernel's defaults: {} operations, {} comparisons, "
      "{} lines equal\n",
      r.runs, r.with_defaults, r.operations, r.comparisons, r.lines);
  for (const auto& [what, times] : r.missing) text += fmt::format("  left out, {} times: {}\n", times, what);
  const char* verdict = r.agrees() ? "AGREES" : r.kernel.listed ? "DIFFERS" : "UNKNOWN";
  const std::string last = fmt::format("quiesce: conform/kernel {} {} scenarios={} operations={} lines={}\n",
                                       r.kernel.variant, verdict, r.runs, r.operations, r.lines);
  if (r.agrees()) return text + last;
  text += fmt::format("  {}: scenario {} after `{}`\n", verdict, r.first->seed, r.first->how.failed_operation);
  for (const std::string& line : r.first->how.mismatches) text += "    " + line + "\n";
  return text + "  the scenario:\n" + format(r.first->found) + last;
}

}  // namespace quiesce::conformance
