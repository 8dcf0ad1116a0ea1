// SPDX-License-Identifier: MIT
// bench_engines: quiesce, spin, rumur and a hand-written search on the same systems, side by side in one run. One table, on
// stdout and, on request, as JSON. Times are CPU seconds of the whole process, compilation apart; medians of several rounds,
// in each of which every tool runs once.

#include <fmt/format.h>

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/report/table.hpp"
#include "quiesce_paths.hpp"
#include "tests/bench/german.hpp"
#include "tests/bench/tools.hpp"
#include "tests/bench/twin.hpp"

namespace quiesce::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

subject twin_subject(const char* name, const twin_size& z, unsigned table_bits) {
  return {
      name,
      twin_model(z),
      twin_properties(),
      "twin_list",
      twin_promela(z),
      twin_murphi(z),
      fmt::format("-DTASKS={} -DSLOTS={} -DNETS={} -DACTORS={} -DENTRIES={}", z.tasks, z.slots, z.nets, z.actors, z.cache),
      table_bits};
}

subject german_subject(const char* name, int clients, unsigned table_bits) {
  return {name,
          german_model(clients),
          german_properties(),
          "german_exclusive",
          german_promela(clients),
          german_murphi(clients),
          "",
          table_bits};
}

struct entry {
  const char* name;
  bool large;
  subject (*make)(const char* name);
};

const std::vector<entry>& subjects() {
  static const std::vector<entry> all = {
      {"teardown", false,
       [](const char* n) {
         return twin_subject(n, {2, 2, 2, 2, 1}, 22);
       }},
      {"german4", false, [](const char* n) { return german_subject(n, 4, 21); }},
      {"teardown_large", true,
       [](const char* n) {
         return twin_subject(n, {2, 3, 2, 2, 1}, 25);
       }},
      {"german5", true, [](const char* n) { return german_subject(n, 5, 25); }},
  };
  return all;
}

struct settings {
  unsigned rounds = 5;
  double limit_s = 600;
  bool large = false;
  std::vector<std::string> only, tool_names;
  std::string json_file;
};

struct measured {
  std::string subject, tool, command, problem;
  std::uint64_t states = 0, transitions = 0;
  double first_cpu_s = 0, build_cpu_s = 0;
  std::vector<double> cpu_s, wall_s, peak_bytes, table_bytes;
};

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

double children_cpu_s() {
  rusage u{};
  getrusage(RUSAGE_CHILDREN, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

void run_once(measured& m, const tool& t, const std::string& directory, double limit_s, bool counted) {
  if (!m.problem.empty()) return;
  const run_result r = run_command(m.command, directory, limit_s);
  if (!r.finished) {
    m.problem = r.wall_s >= limit_s ? fmt::format("no end after {:.0f} s", r.wall_s) : "failed";
    return;
  }
  m.states = number_before(r.output, t.states);
  m.transitions = number_before(r.output, t.transitions);
  if (!counted) {
    m.first_cpu_s = r.cpu_s;
    return;
  }
  m.cpu_s.push_back(r.cpu_s);
  m.wall_s.push_back(r.wall_s);
  m.peak_bytes.push_back(static_cast<double>(r.peak_bytes));
  m.table_bytes.push_back(static_cast<double>(number_before(r.output, "bytes of tables")));
}

void measure(const subject& s, bool large, const settings& o, const fs::path& scratch, std::vector<measured>& out) {
  struct work {
    const tool* by;
    std::string directory;
    measured m;
  };
  std::vector<work> all;
  for (const tool& t : tools()) {
    if (!listed(o.tool_names, t.name) || (large && t.slow)) continue;
    const std::string directory = (scratch / fmt::format("{}_{}", s.name, all.size())).string();
    fs::create_directories(directory);
    std::fprintf(stderr, "%s: %s\n", s.name.c_str(), t.name);
    work w{&t, directory, {s.name, t.name}};
    const double before = children_cpu_s();
    w.m.command = t.prepare(t, s, directory);
    w.m.build_cpu_s = children_cpu_s() - before;
    if (w.m.command.empty()) continue;
    if (std::string(t.name).starts_with("quiesce")) run_once(w.m, t, directory, o.limit_s, false);  // compiles the steps
    all.push_back(std::move(w));
  }
  for (unsigned round = 0; round < o.rounds; ++round) {
    std::fprintf(stderr, "%s: round %u of %u\n", s.name.c_str(), round + 1, o.rounds);
    for (work& w : all) run_once(w.m, *w.by, w.directory, o.limit_s, true);
  }
  for (work& w : all) {
    if (w.m.first_cpu_s > 0) w.m.build_cpu_s = std::max(0.0, w.m.first_cpu_s - median(w.m.cpu_s));
    out.push_back(std::move(w.m));
  }
}

json json_of(const std::vector<measured>& all, const settings& o) {
  json rows = json::array();
  for (const measured& m : all) {
    json row = {{"system", m.subject}, {"tool", m.tool}, {"command", m.command}};
    if (m.problem.empty()) {
      row.update({{"states", m.states},
                  {"transitions", m.transitions},
                  {"cpu_s", median(m.cpu_s)},
                  {"wall_s", median(m.wall_s)},
                  {"all_cpu_s", m.cpu_s},
                  {"all_wall_s", m.wall_s},
                  {"compile_cpu_s", m.build_cpu_s},
                  {"peak_resident_bytes", median(m.peak_bytes)},
                  {"table_bytes", median(m.table_bytes)}});
    } else {
      row["problem"] = m.problem;
    }
    rows.push_back(std::move(row));
  }
  return {{"rounds", o.rounds}, {"rows", rows}};
}

std::string text_of(const std::vector<measured>& all) {
  std::vector<std::vector<std::string>> rows = {{"system", "tool", "states", "transitions", "CPU s", "wall s",
                                                 "states/CPU s", "peak MiB", "bytes/state", "of tables", "compile s"}};
  for (const measured& m : all) {
    if (!m.problem.empty()) {
      rows.push_back({m.subject, m.tool, m.problem});
      continue;
    }
    const auto n = static_cast<double>(std::max<std::uint64_t>(1, m.states));
    const double cpu = median(m.cpu_s), peak = median(m.peak_bytes), table = median(m.table_bytes);
    rows.push_back({m.subject, m.tool, std::to_string(m.states), std::to_string(m.transitions), fmt::format("{:.3f}", cpu),
                    fmt::format("{:.3f}", median(m.wall_s)), fmt::format("{:.0f}", n / std::max(cpu, 1e-9)),
                    fmt::format("{:.1f}", peak / (1 << 20)), fmt::format("{:.1f}", peak / n),
                    table > 0 ? fmt::format("{:.1f}", table / n) : "", fmt::format("{:.2f}", m.build_cpu_s)});
  }
  return report::align(rows);
}

int run(const settings& o) {
  std::string scratch = (fs::temp_directory_path() / "quiesce_bench_XXXXXX").string();
  if (!mkdtemp(scratch.data())) return 70;
  std::vector<measured> all;
  for (const entry& e : subjects())
    if (o.only.empty() ? !e.large || o.large : listed(o.only, e.name)) measure(e.make(e.name), e.large, o, scratch, all);
  fs::remove_all(scratch);
  std::fputs(text_of(all).c_str(), stdout);
  if (!o.json_file.empty()) std::ofstream(o.json_file) << json_of(all, o).dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace quiesce::bench

int main(int argc, char** argv) {
  using namespace quiesce::bench;
  CLI::App app("quiesce, spin, rumur and a hand-written search side by side");
  settings o;
  where() = {QUIESCE_BINARY, QUIESCE_SOURCE_DIR};
  app.add_option("--rounds", o.rounds, "medians are of so many runs; default: 5");
  app.add_option("--limit", o.limit_s, "seconds that one run may take; default: 600");
  app.add_flag("--large", o.large, "also the systems of ten million states (spin takes 2 GB)");
  app.add_option("--system", o.only, "only these: teardown, german4, teardown_large, german5");
  app.add_option("--tool", o.tool_names, "only these, by the names of the table");
  app.add_option("--json", o.json_file, "write the table to this file too");
  app.add_option("--quiesce", where().quiesce, "the program; default: the one of this build");
  CLI11_PARSE(app, argc, argv);
  where().quiesce = fs::absolute(where().quiesce).string();  // it runs elsewhere
  return run(o);
}
