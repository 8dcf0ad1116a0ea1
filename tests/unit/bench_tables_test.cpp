// SPDX-License-Identifier: MIT
// Back-off and collector in simulated time, exponents, and the writers.

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "refimpl/bench/bench.hpp"
#include "refimpl/bench/growth.hpp"
#include "refimpl/bench/svg.hpp"
#include "refimpl/bench/wait_backoff.hpp"
#include "refimpl/net/fib6_gc_simulation.hpp"

namespace quiesce::bench {
namespace {

double per_device_ms(const std::string& variant, const backoff_input& in) {
  return delete_ipv6_devices(wait_variant(variant), in).total_ms / static_cast<double>(in.devices);
}

TEST(bench_backoff, k44_costs_234_ms_more_per_device_than_r16) {
  backoff_input in;
  in.devices = 20;
  EXPECT_NEAR(per_device_ms("K44", in) - per_device_ms("R16", in), 234, 234 * 0.02);
}

TEST(bench_backoff, rlz_is_never_later_than_k44_in_the_script) {
  for (std::uint64_t grace_period : {1, 5, 10, 30, 80, 200})
    for (std::uint64_t latency : {0, 1, 5, 40}) {
      const backoff_input in{5, 1000, grace_period, latency};
      EXPECT_LE(per_device_ms("RLZ", in), per_device_ms("K44", in)) << grace_period << " ms, " << latency << " ms";
    }
}

TEST(bench_backoff, a_grace_period_longer_than_the_first_sleep_costs_r16_a_second_one) {
  const backoff_input in{5, 1000, 30, 5};
  EXPECT_EQ(delete_ipv6_devices(wait_variant("R16"), in).wait_ms, 5 * (17 + 33));
  EXPECT_EQ(delete_ipv6_devices(wait_variant("K44"), in).wait_ms, 5 * 251);
}

TEST(bench_backoff, wakes_at_the_ticks_that_msleep_gives) {
  const backoff_input in;
  const std::vector<std::uint64_t> delays = {30, 100, 300};
  EXPECT_EQ(wait_after_delay(wait_variant("R16"), in, delays).size(), delays.size());
  for (double wait : wait_after_delay(wait_variant("K44"), in, delays)) EXPECT_EQ(std::fmod(wait, 251), 0) << wait;
}

TEST(bench_backoff, lists_where_r1_is_later_than_r16_and_k44) {
  options o;
  o.devices = 2;
  const report r = run_backoff(o);
  ASSERT_EQ(r.sections.size(), 3u);
  for (const char* than : {"R16", "K44"}) {
    std::size_t ranges = 0;
    for (const row& cells : r.sections[1].rows) ranges += cells[0] == "R1" && cells[1] == than;
    EXPECT_GT(ranges, 0u) << than;
  }
}

refimpl::gc_simulation_result collect(const char* variant, unsigned cpus) {
  refimpl::gc_simulation_input in;
  in.policy = refimpl::variant(variant).gc;
  in.cpus = cpus;
  in.seconds = 2;
  return refimpl::simulate_fib6_gc(in);
}

TEST(bench_gc, the_longest_spin_of_g520_grows_with_the_cpus) {
  for (unsigned cpus = 2; cpus <= 8; cpus *= 2) {
    EXPECT_NEAR(collect("G520", cpus).longest_spin_in_runs, cpus - 1, 0.5) << cpus;
    EXPECT_GT(collect("G520", 2 * cpus).longest_spin_s, 1.5 * collect("G520", cpus).longest_spin_s) << cpus;
  }
}

TEST(bench_gc, go_has_no_herd_but_refuses_allocations) {
  for (unsigned cpus : {1u, 8u, 16u}) {
    const refimpl::gc_simulation_result r = collect("GO", cpus);
    EXPECT_EQ(r.longest_spin_s, 0) << cpus;
    EXPECT_GT(r.refused, 0u) << cpus;
  }
}

TEST(bench_gc, after_af6d10345ca7_nothing_is_refused) { EXPECT_EQ(collect("G63", 8).refused, 0u); }

TEST(bench_gc, the_re_check_bounds_the_spin_by_one_run) { EXPECT_LE(collect("grecheck", 16).longest_spin_in_runs, 1.01); }

TEST(bench_growth, fits_the_exponent_of_a_power) {
  std::vector<std::pair<double, double>> square, constant;
  for (double x : {1.0, 2.0, 4.0, 8.0}) {
    square.emplace_back(x, 3 * x * x);
    constant.emplace_back(x, 7);
  }
  EXPECT_NEAR(*fitted_exponent(square), 2, 1e-9);
  EXPECT_NEAR(*fitted_exponent(constant), 0, 1e-9);
  EXPECT_FALSE(fitted_exponent({{1, 1}}));
  EXPECT_FALSE(fitted_exponent({{2, 1}, {2, 5}}));
  EXPECT_FALSE(fitted_exponent({{1, 0}, {2, 0}}));
}

// By counts, which do not depend on the machine: K44 looks at D * R aliases, the reference at what is affected.
TEST(bench_growth, aliases_visited_grow_with_the_routes_in_k44_and_not_in_reference) {
  options o;
  o.devices = 32;
  o.routes = {4096};
  o.variants = {"K44", "reference"};
  const report r = run_growth(o);
  ASSERT_EQ(r.sections.size(), 2u);
  const auto exponent = [&](const std::string& variant, const std::string& growing) {
    for (const row& cells : r.sections[1].rows)
      if (cells[0] == variant && cells[1] == growing) return cells[4].get<double>();
    return std::nan("");
  };
  EXPECT_NEAR(exponent("K44", "routes"), 1, 0.05);
  EXPECT_NEAR(exponent("K44", "devices"), 1, 0.05);
  EXPECT_NEAR(exponent("reference", "routes"), 0, 0.001);
  EXPECT_NEAR(exponent("reference", "devices"), 1, 0.001);
  EXPECT_EQ(r.charts.size(), 2u);
}

TEST(bench_tables, say_their_inputs_and_both_number_sets_of_the_thread) {
  options o;
  o.devices = 3;
  o.routes = {10};
  o.variants = {"K44", "P1"};
  const std::string text = to_text(run_delete(o));
  for (const char* part :
       {"13 s", "36 s", "35 interfaces per second", "28.6 s, not 36", "inputs (chosen, not measured)", "never ends"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(bench_tables, refuse_what_they_do_not_compare) {
  options o;
  o.variants = {"G520"};
  EXPECT_THROW(run_delete(o), std::invalid_argument);
  EXPECT_THROW(run_backoff(o), std::invalid_argument);
  o.variants = {"K44"};
  EXPECT_THROW(run_gc(o), std::invalid_argument);
  o.routes = {1, 2};
  EXPECT_THROW(run_growth(o), std::invalid_argument);
  o.routes = {1, 99'999'999};
  EXPECT_THROW(run_delete(o), std::invalid_argument);
}

TEST(bench_tables, json_has_the_rows_by_column) {
  const report r{"t", "title", {{"n", "1", "why"}}, {"13 s"}, {{"s", {"a", "b"}, {{1, "x"}, {nullptr, "y"}}}}, {"f"}, {}};
  const json j = to_json(r);
  EXPECT_EQ(j["sections"][0]["rows"][0]["b"], "x");
  EXPECT_TRUE(j["sections"][0]["rows"][1]["a"].is_null());
  EXPECT_EQ(j["inputs"][0]["why"], "why");
  EXPECT_NE(to_text(r).find("  -  y\n"), std::string::npos) << to_text(r);
}

TEST(bench_svg, series_that_coincide_are_one_line_with_all_their_names) {
  const std::string svg =
      to_svg({{"t", "x", "y", false, {{"G44", {{1, 2}, {2, 4}}}, {"GO", {{1, 1}, {2, 1}}}, {"GM", {{1, 2}, {2, 4}}}}}});
  EXPECT_NE(svg.find("G44, GM"), std::string::npos);
  EXPECT_EQ(svg.find("<polyline"), svg.rfind("<polyline", svg.rfind("<polyline") - 1));
}

TEST(bench_svg, draws_a_line_for_each_series_and_escapes_names) {
  const chart c{"a < b", "x", "y", true, {{"K44 & J1", {{1, 1}, {2, 4}, {4, 0}}}, {"E1", {{1, 2}}}}};
  const std::string svg = to_svg({c, {"empty", "x", "y", false, {}}});
  std::size_t lines = 0, dots = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) ++lines;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++dots;
  EXPECT_EQ(lines, 2u);
  EXPECT_EQ(dots, 3u);  // not the point at 0 of a logarithmic axis
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("K44 &amp; J1"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_NE(svg.find("no points"), std::string::npos);
}

}  // namespace
}  // namespace quiesce::bench
