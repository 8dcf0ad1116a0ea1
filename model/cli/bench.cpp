// SPDX-License-Identifier: MIT
// quiesce bench: the measurements of the three threads on the reference stack, variants side by side.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <stdexcept>

#include "model/cli/verb.hpp"
#include "model/report/table.hpp"
#include "model/verdict/verdict.hpp"
#include "refimpl/bench/bench.hpp"
#include "refimpl/bench/svg.hpp"

namespace quiesce::cli {
namespace {

struct bench_options {
  std::string name, routes, format = "text", svg;
  std::vector<std::string> variants;
  std::size_t devices = 0, neighbours = 0;
  double limit_s = 300;
  bool yes = false;
};

std::vector<std::size_t> numbers(const std::string& list) {
  std::vector<std::size_t> out;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    std::size_t value = 0;
    const auto [stop, failed] = std::from_chars(list.data() + start, list.data() + end, value);
    if (failed != std::errc() || stop != list.data() + end)
      usage_error(fmt::format("--routes {}: expected NUMBER,NUMBER,...", list));
    out.push_back(value);
    start = end + 1;
  }
  return out;
}

std::string list_benchmarks() {
  std::vector<std::vector<std::string>> rows;
  for (const bench::benchmark& b : bench::benchmarks()) rows.push_back({b.name, b.summary});
  return report::align(rows);
}

const bench::benchmark& benchmark_named(const std::string& name) {
  for (const bench::benchmark& b : bench::benchmarks())
    if (b.name == name) return b;
  usage_error(fmt::format("there is no table '{}'", name), "`quiesce bench` lists them");
}

bench::options settings_of(const bench_options& o) {
  bench::options settings;
  settings.devices = o.devices;
  settings.neighbours = o.neighbours;
  if (!o.routes.empty()) settings.routes = numbers(o.routes);
  settings.variants = o.variants;
  settings.limit_s = o.limit_s;
  settings.yes = o.yes;
  settings.progress = [](const std::string& what) { log_progress(what); };
  return settings;
}

bench::report run_table(const bench::benchmark& table, const bench_options& o) {
  try {
    bench::report done = table.run(settings_of(o));
    log_progress("");
    return done;
  } catch (const std::invalid_argument& problem) {
    usage_error(fmt::format("bench {}: {}", o.name, problem.what()));
  }
}

const std::vector<std::string> settings = {"--devices", "--routes", "--neighbours", "--variant", "--limit", "--yes"};

// Those that this table does not read.
std::vector<std::string> unread_by(const bench::benchmark& table) {
  const std::string_view read = table.reads;
  std::vector<std::string> out;
  for (const std::string& s : settings)
    if (read.find(s.substr(2)) == std::string_view::npos) out.push_back(s);
  return out;
}

outcome run_bench(const bench_options& o, const CLI::App& given) {
  if (o.name.empty()) {
    refuse_given(given, settings, "belongs to a table: give its NAME");
    refuse_given(given, {"--format", "--svg"}, "belongs to a table: give its NAME");
    return {exit_ok, list_benchmarks()};
  }
  const bench::benchmark& table = benchmark_named(o.name);
  refuse_given(given, unread_by(table), fmt::format("has no effect on the table {}", o.name));
  if (!o.svg.empty() && !table.has_charts) usage_error(fmt::format("bench {} has no charts", o.name), "gc and growth have");
  const bench::report done = run_table(table, o);
  if (!o.svg.empty()) write_file(o.svg, bench::to_svg(done.charts));
  return {exit_ok, o.format == "json" ? bench::to_json(done).dump(2) + "\n" : bench::to_text(done)};
}

}  // namespace

action add_bench(CLI::App& app) {
  auto options = std::make_shared<bench_options>();
  app.add_option("NAME", options->name, "the table; without one, lists them");
  app.add_option("--devices", options->devices, "how many devices; default: the thread's")->check(CLI::PositiveNumber);
  app.add_option("--routes", options->routes, "NUMBER,NUMBER,...: how many routes; default: the thread's");
  app.add_option("--neighbours", options->neighbours, "of each deleted device; default: 1")->check(CLI::PositiveNumber);
  app.add_option("--variant", options->variants, "only this variant; repeatable")->allow_extra_args(false);
  app.add_option("--limit", options->limit_s, "seconds after which a row is stopped")
      ->check(CLI::PositiveNumber)
      ->check(not_seconds);
  app.add_flag("--yes", options->yes, "live: more than 100 devices or 10000 routes; RTNL is the whole machine's");
  app.add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("--svg", options->svg, "write the charts to this file");
  return [options, &app](catalogue&) { return run_bench(*options, app); };
}

}  // namespace quiesce::cli
