// SPDX-License-Identifier: MIT
// The table of the FIB6 GC thread: who spins for the collector's lock, and what it costs not to.
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "refimpl/bench/bench.hpp"
#include "refimpl/net/fib6_gc_simulation.hpp"

namespace quiesce::bench {

using namespace refimpl;

namespace {

const std::vector<std::string> compared = {"G44", "G520", "GO", "GM", "G63", "G618", "grecheck"};
constexpr unsigned most_cpus = 16, reported_cpus = 8;
constexpr double simulated_s = 20;
constexpr double rates[] = {17'000, 34'000, 68'000};
// Seconds until an entry expires; 0: aged by disuse, 600: nothing expires within the run.
constexpr double lifetimes_s[] = {0, 0.1, 1, 10, 600};
constexpr double nothing_expires_s = 600;

gc_simulation_input input_for(const std::string& variant_name) {
  gc_simulation_input in;
  in.policy = variant(variant_name).gc;
  in.seconds = simulated_s;
  in.entry_lifetime_s = nothing_expires_s;
  return in;
}

std::string lifetime_text(double s) { return s == 0 ? "disuse" : fmt::format("{:g}", s); }

const std::vector<std::string> result_columns = {"spinning %", "collecting %",  "longest spin ms",  "in GC durations",
                                                 "runs",       "lost trylocks", "left by re-check", "created",
                                                 "refused",    "dropped",       "largest table",    "age threshold s"};

void append_result(row& to, const gc_simulation_result& r) {
  const double spun = r.longest_spin_s, run = r.longest_run_s;
  const double in_runs = r.longest_spin_in_runs != 0 ? r.longest_spin_in_runs : run > 0 ? spun / run : 0;
  to.insert(to.end(),
            {number(100 * r.spin_share, 3), number(100 * r.busy_share, 3), number(1000 * spun), number(in_runs, 3)});
  for (std::uint64_t v : {r.runs, r.lost_trylocks, r.rechecked, r.created, r.refused, r.dropped}) to.push_back(v);
  to.push_back(r.largest_table);
  to.push_back(r.table.empty() ? json() : number(r.table.back().gc_expire_s));
}

void add_point(chart& c, const std::string& series, double x, double y) {
  for (chart_series& s : c.series)
    if (s.name == series) {
      s.points.emplace_back(x, y);
      return;
    }
  c.series.push_back({series, {{x, y}}});
}

// N = 1..16 CPUs, nothing expires: the herd.
section cpu_section(const std::vector<std::string>& variants, const options& o, report& out) {
  section s{
      fmt::format("{:g} new entries per second, nothing expires, by number of CPUs", rates[0]), {"variant", "CPUs"}, {}};
  s.columns.insert(s.columns.end(), result_columns.begin(), result_columns.end());
  chart spins{"longest spin for the collector's lock, nothing expires", "CPUs", "GC durations", false, {}};
  chart shares{"CPU time spent spinning, nothing expires", "CPUs", "percent", false, {}};
  for (const std::string& v : variants) {
    o.progress(v + ", by number of CPUs");
    for (unsigned cpus = 1; cpus <= most_cpus; ++cpus) {
      gc_simulation_input in = input_for(v);
      in.cpus = cpus;
      const gc_simulation_result r = simulate_fib6_gc(in);
      row cells = {v, cpus};
      append_result(cells, r);
      add_point(spins, v, cpus, cells[5].get<double>());
      add_point(shares, v, cpus, 100 * r.spin_share);
      s.rows.push_back(std::move(cells));
    }
  }
  out.charts.push_back(std::move(spins));
  out.charts.push_back(std::move(shares));
  return s;
}

section load_section(const std::vector<std::string>& variants, const options& o) {
  section s{
      fmt::format("{} CPUs, by rate and lifetime of entries", reported_cpus), {"variant", "entries/s", "lifetime s"}, {}};
  s.columns.insert(s.columns.end(), result_columns.begin(), result_columns.end());
  for (const std::string& v : variants) {
    o.progress(v + ", by rate and lifetime");
    for (double rate : rates)
      for (double lifetime : lifetimes_s) {
        gc_simulation_input in = input_for(v);
        in.cpus = reported_cpus;
        in.entries_per_second = rate;
        in.entry_lifetime_s = lifetime;
        row cells = {v, rate, lifetime_text(lifetime)};
        append_result(cells, simulate_fib6_gc(in));
        s.rows.push_back(std::move(cells));
      }
  }
  return s;
}

// Size of the table over time, a column per variant.
section table_section(const std::vector<std::string>& variants, report& out, double lifetime) {
  const std::string what = lifetime == nothing_expires_s ? "nothing expires" : fmt::format("entries live {:g} s", lifetime);
  section s{fmt::format("{} CPUs, {:g} new entries per second, {}: table size over time", reported_cpus, rates[0], what),
            {"s"},
            {}};
  chart c{"table size, " + what, "seconds", "entries", false, {}};
  for (const std::string& v : variants) {
    gc_simulation_input in = input_for(v);
    in.cpus = reported_cpus;
    in.entry_lifetime_s = lifetime;
    s.columns.push_back(v);
    std::size_t at = 0;
    for (const gc_simulation_sample& sample : simulate_fib6_gc(in).table) {
      if (at == s.rows.size()) s.rows.push_back({sample.at_s});
      s.rows[at++].push_back(sample.entries);
      add_point(c, v, sample.at_s, static_cast<double>(sample.entries));
    }
  }
  out.charts.push_back(std::move(c));
  return s;
}

void findings_of(const section& by_cpus, const std::vector<std::string>& variants, std::vector<std::string>& findings) {
  for (const std::string& v : variants) {
    std::map<unsigned, const row*> rows;
    for (const row& r : by_cpus.rows)
      if (r[0] == v) rows[r[1].get<unsigned>()] = &r;
    const auto spin = [&](unsigned n) { return rows.at(n)->at(5).get<double>(); };
    const auto refused = rows.at(reported_cpus)->at(10).get<std::uint64_t>();
    findings.push_back(
        fmt::format("{}: longest spin {:g}, {:g}, {:g} and {:g} GC durations on 2, 4, 8 and 16 CPUs; {} % of CPU time "
                    "spinning and {} allocations refused on 8",
                    v, spin(2), spin(4), spin(8), spin(16), rows.at(reported_cpus)->at(2).get<double>(), refused));
  }
}

}  // namespace

report run_gc(const options& o) {
  if (o.devices != 0 || !o.routes.empty())
    throw std::invalid_argument("the table of the collector has neither devices nor routes");
  const std::vector<std::string> variants = chosen_variants(o, compared);
  const gc_simulation_input in;
  report out{"gc", "the IPv6 garbage collector under load, in simulated time"};
  out.inputs = {{"max_size, gc_thresh", fmt::format("{}, {}", in.max_size, in.gc_thresh), "entries"},
                {"min_interval, interval, timeout",
                 fmt::format("{:g}, {:g}, {:g} s", in.min_interval_s, in.interval_s, in.timeout_s), "sysctl defaults"},
                {"walking an entry", fmt::format("{} ns", in.ns_per_entry_walked), "cost model"},
                {"a run besides", fmt::format("{} ns", in.ns_per_run), "cost model"},
                {"an allocation", fmt::format("{} ns", in.ns_per_allocation), "cost model"},
                {"backlog per CPU", fmt::format("{}", in.backlog_limit), "packets; beyond it they are dropped"},
                {"simulated", fmt::format("{:g} s", simulated_s), "per run"}};
  out.reported = {"17,000 route cache entries per second, 8 CPUs: entries > max_size (GM) leaves all CPUs stuck at the lock",
                  "force=false (GO): load well below 10 % on every CPU"};
  section by_cpus = cpu_section(variants, o, out);
  findings_of(by_cpus, variants, out.findings);
  out.sections.push_back(std::move(by_cpus));
  out.sections.push_back(load_section(variants, o));
  for (double lifetime : {nothing_expires_s, 1.0}) out.sections.push_back(table_section(variants, out, lifetime));
  return out;
}

}  // namespace quiesce::bench
