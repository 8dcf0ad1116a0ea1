// SPDX-License-Identifier: MIT
#include "model/report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/report/table.hpp"

namespace quiesce::report {
namespace {

constexpr std::size_t most_lines = 12, statement_columns = 48;

std::string parts_text(const std::vector<state_part>& parts, const char* head, std::uint64_t states) {
  std::vector<std::vector<std::string>> rows = {{head, "bits", "values", "states without it", "factor"}};
  for (const state_part& p : parts) {
    if (rows.size() > most_lines) break;
    const double factor = p.without ? static_cast<double>(states) / static_cast<double>(p.without) : 1.0;
    rows.push_back({p.name, std::to_string(p.bits), std::to_string(p.values), std::to_string(p.without),
                    fmt::format("{:.2f}", factor)});
  }
  std::string out = align(rows, "  ");
  if (parts.size() > most_lines) out += fmt::format("  and {} more, each with less\n", parts.size() - most_lines);
  return out;
}

std::string place_text(const source_range& where, const language::source_set& sources) {
  if (where.end == 0) return "";
  const std::string file = std::filesystem::path(sources.path(where.file)).filename().string();
  return fmt::format("{}:{}", file, sources.locate(where.file, where.begin).line);
}

std::string places_text(const explanation& x, const language::source_set& sources) {
  std::vector<std::vector<std::string>> rows = {{"process", "at", "where", "most steps", "mean", "share of steps"}};
  for (const branching_place& b : x.places) {
    if (rows.size() > most_lines) break;
    std::string at = b.statement;
    if (at.size() > statement_columns) at = at.substr(0, statement_columns - 3) + "...";
    rows.push_back({b.process, at, place_text(b.where, sources), std::to_string(b.most),
                    fmt::format("{:.2f}", static_cast<double>(b.steps) / static_cast<double>(b.visits)),
                    fmt::format("{:.1f} %", 100.0 * static_cast<double>(b.steps) / static_cast<double>(x.sampled_steps))});
  }
  return align(rows, "  ");
}

}  // namespace

std::string write_explanation(const explanation& x, const language::source_set& sources) {
  std::string out =
      fmt::format("what makes {} states{}\n", x.states,
                  x.estimated ? fmt::format(" (numbers above {} are estimates, to about 1 %)", most_exact) : "");
  out += parts_text(x.variables, "variable", x.states);
  if (!x.processes.empty()) out += "\n" + parts_text(x.processes, "process with its place and locals", x.states);
  out += fmt::format("\nlargest branching, of {} of the states, {} steps\n", x.sampled, x.sampled_steps);
  return out + places_text(x, sources);
}

}  // namespace quiesce::report
