// SPDX-License-Identifier: MIT
// The table of the back-off thread: what the wait for references costs per device, and where one loop is later than another.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "refimpl/bench/bench.hpp"
#include "refimpl/bench/wait_backoff.hpp"

namespace quiesce::bench {

namespace {

const std::vector<std::string> compared = {"K44", "R16", "R1", "RANY", "RLZ"};
constexpr double reported_before_s = 31.522, reported_after_s = 8.199;
constexpr std::size_t reported_devices = 100;
constexpr double base_cost_ms = 48;
constexpr std::uint64_t last_delay_ms = 1500;
constexpr std::uint64_t grace_periods_ms[] = {1, 2, 5, 10, 15, 20, 30, 50, 80, 120};
constexpr unsigned deepest_chain = 12;

// Which loop is later than which: `later` ends its wait after `than`.
struct comparison {
  const char *later, *than;
};
constexpr comparison pairs[] = {{"R1", "R16"}, {"R1", "K44"}, {"RLZ", "K44"}, {"RLZ", "R16"}, {"RANY", "K44"}};

section script_section(const std::vector<std::string>& variants, const backoff_input& in,
                       std::map<std::string, double>& per_device) {
  section out{"the thread's script: IPv6 devices with an anycast entry, deleted one by one",
              {"variant", "wait ms/device", "teardown ms/device", "base ms/device (input)", "total s", "looks", "RCU waits"},
              {}};
  const auto devices = static_cast<double>(in.devices);
  for (const std::string& v : variants) {
    const backoff_result r = delete_ipv6_devices(wait_variant(v), in);
    per_device[v] = r.total_ms / devices;
    out.rows.push_back({v, number(r.wait_ms / devices), number((r.total_ms - r.wait_ms) / devices), base_cost_ms,
                        number((r.total_ms + base_cost_ms * devices) / 1000), r.looks, r.grace_waits});
  }
  return out;
}

using curves = std::map<std::string, std::vector<double>>;

// Runs of consecutive delays where `later` is later, with the largest difference in each.
void list_ranges(const curves& waits, const comparison& p, section& out) {
  const std::vector<double>&a = waits.at(p.later), &b = waits.at(p.than);
  for (std::size_t i = 0; i < a.size();) {
    if (a[i] <= b[i]) {
      ++i;
      continue;
    }
    const std::size_t from = i;
    double most = 0;
    for (; i < a.size() && a[i] > b[i]; ++i) most = std::max(most, a[i] - b[i]);
    out.rows.push_back({p.later, p.than, fmt::format("{}..{}", from + 1, i), i - from, number(most)});
  }
}

bool has_both(const curves& waits, const comparison& p) { return waits.count(p.later) != 0 && waits.count(p.than) != 0; }

section delay_section(const std::vector<std::string>& variants, const backoff_input& in,
                      std::vector<std::string>& findings) {
  std::vector<std::uint64_t> delays;
  for (std::uint64_t ms = 1; ms <= last_delay_ms; ++ms) delays.push_back(ms);
  curves waits;
  for (const std::string& v : variants) waits[v] = wait_after_delay(wait_variant(v), in, delays);
  section out{fmt::format("one reference dropped 1..{} ms after NETDEV_UNREGISTER: where a loop ends later than another",
                          last_delay_ms),
              {"variant", "later than", "dropped after ms", "values", "later by at most ms"},
              {}};
  for (const comparison& p : pairs)
    if (has_both(waits, p)) {
      const std::size_t before = out.rows.size();
      list_ranges(waits, p, out);
      std::size_t values = 0;
      for (std::size_t i = before; i < out.rows.size(); ++i) values += out.rows[i][3].get<std::size_t>();
      findings.push_back(fmt::format("reference dropped after a delay: {} is later than {} at {} of {} delays", p.later,
                                     p.than, values, last_delay_ms));
    }
  return out;
}

section chain_section(const std::vector<std::string>& variants, backoff_input in, std::vector<std::string>& findings) {
  std::vector<unsigned> depths;
  for (unsigned d = 1; d <= deepest_chain; ++d) depths.push_back(d);
  section out{fmt::format("a reference dropped by the last of 1..{} chained callbacks: where a loop ends later than another",
                          deepest_chain),
              {"variant", "later than", "grace period ms", "chain", "wait ms", "other's wait ms"},
              {}};
  std::map<std::string, std::size_t> later;
  for (std::uint64_t g : grace_periods_ms) {
    in.grace_period_ms = g;
    curves waits;
    for (const std::string& v : variants) waits[v] = wait_after_chain(wait_variant(v), in, depths);
    for (const comparison& p : pairs)
      for (std::size_t i = 0; has_both(waits, p) && i < depths.size(); ++i) {
        const double a = waits[p.later][i], b = waits[p.than][i];
        std::size_t& count = later[fmt::format("{} is later than {}", p.later, p.than)];
        if (a <= b) continue;
        ++count;
        out.rows.push_back({p.later, p.than, g, depths[i], number(a), number(b)});
      }
  }
  for (const auto& [what, count] : later)
    findings.push_back(fmt::format("chained callbacks: {} at {} of {} combinations of grace period and depth", what, count,
                                   std::size(grace_periods_ms) * depths.size()));
  return out;
}

}  // namespace

report run_backoff(const options& o) {
  backoff_input in;
  in.devices = o.devices != 0 ? o.devices : reported_devices;
  if (in.devices > 10'000) throw std::invalid_argument("devices: at most 10000");
  const std::vector<std::string> variants = chosen_variants(o, compared);
  report out{"backoff",
             fmt::format("{} devices whose last reference needs an extra grace period, in simulated time", in.devices)};
  out.inputs = {
      {"devices", fmt::format("{}", in.devices), "deleted one by one"},
      {"HZ", fmt::format("{}", in.hz), "msleep sleeps one tick longer than asked"},
      {"grace period", fmt::format("{} ms", in.grace_period_ms), "length of every RCU grace period in the script"},
      {"expedited grace period", fmt::format("{} ms", in.expedited_ms),
       "in the script: synchronize_net under RTNL; callbacks wait for ordinary ones"},
      {"callback latency", fmt::format("{} ms", in.callback_latency_ms), "from the end of a grace period to its callbacks"},
      {"base cost per device", fmt::format("{:g} ms", base_cost_ms),
       "processes, system calls and uevents of the script: what its 81.99 ms per device leave beside teardown and one "
       "sleep"},
      {"base kernel", "v5.8", "all loops run on it, so that only the wait differs"}};
  out.reported = {
      fmt::format("{} devices: {} s, with the patch {} s", reported_devices, reported_before_s, reported_after_s),
      fmt::format("difference per device: {:.1f} ms", (reported_before_s - reported_after_s) * 1000 / reported_devices)};
  std::map<std::string, double> per_device;
  out.sections.push_back(script_section(variants, in, per_device));
  if (per_device.count("K44") != 0 && per_device.count("R16") != 0)
    out.findings.push_back(fmt::format("K44 minus R16: {:.2f} ms per device", per_device["K44"] - per_device["R16"]));
  if (per_device.count("K44") != 0 && per_device.count("RLZ") != 0)
    out.findings.push_back(
        fmt::format("the script: RLZ is {} than K44", per_device["RLZ"] <= per_device["K44"] ? "never later" : "LATER"));
  o.progress("references dropped after a delay");
  out.sections.push_back(delay_section(variants, in, out.findings));
  o.progress("references dropped by chained callbacks");
  out.sections.push_back(chain_section(variants, in, out.findings));
  return out;
}

}  // namespace quiesce::bench
