// SPDX-License-Identifier: MIT
#include "model/report/counterexample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/report/table.hpp"

namespace quiesce::report {
namespace {

constexpr std::size_t page_columns = 120;
constexpr std::size_t least_columns = 22;

std::vector<std::string> movers(const run_text& t) {
  std::vector<std::string> names;
  for (const step_text& s : t.steps)
    if (!s.process.empty() && std::find(names.begin(), names.end(), s.process) == names.end()) names.push_back(s.process);
  return names;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// Function, statement, what was chosen, what was emitted: one folded line each.
std::string action_cell(const step_text& s, std::size_t columns) {
  std::vector<std::string> lines;
  if (!s.path.empty()) {
    const ir::frame& inner = s.path.back();
    lines.push_back((inner.kernel_function.empty() ? inner.procedure : inner.kernel_function) + ":");
  }
  if (!s.statement.empty()) lines.push_back(s.statement);
  for (const trace_choice& c : s.choices)
    if (!c.shown.empty()) lines.push_back(fmt::format("[{}]", c.shown));
  for (const trace_event& e : s.events) lines.push_back(fmt::format("! {}({})", e.name, joined(e.args, ", ")));
  for (std::string& line : lines) line = fold(line, columns);
  return joined(lines, "\n");
}

std::string change_cell(const step_text& s, std::size_t columns) {
  std::vector<std::string> lines;
  for (const trace_change& c : s.changes)
    lines.push_back(fold(fmt::format("{}: {} -> {}", c.variable, c.before, c.after), columns));
  return joined(lines, "\n");
}

// The initial state says only what the run chose; the rest is the model's text.
std::string initial_cell(const step_text& s) {
  std::string text = "(initial state)\n";
  for (const trace_choice& c : s.choices) text += c.shown;
  return text;
}

// Where a run without end begins to repeat itself, and where it does it again.
std::vector<std::string> loop_mark(std::size_t columns, std::string text) {
  std::vector<std::string> row(columns);
  row[0] = "  ==";
  row.back() = std::move(text);
  return row;
}

}  // namespace

std::string trace_table(const run_text& t) {
  const std::vector<std::string> names = movers(t);
  const std::size_t columns = std::max(least_columns, (page_columns - 6) / (names.size() + 1) - 2);
  std::vector<std::vector<std::string>> rows(1, {"step"});
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  rows[0].push_back("changed");
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    const step_text& s = t.steps[i];
    std::vector<std::string> row(names.size() + 2);
    row[0] = fmt::format("{:>4}", i);
    const auto column = static_cast<std::size_t>(std::find(names.begin(), names.end(), s.process) - names.begin());
    if (!s.process.empty()) row[1 + column] = action_cell(s, columns);
    row.back() = s.process.empty() ? initial_cell(s) : change_cell(s, columns);
    rows.push_back(std::move(row));
    if (t.loop_from == i) rows.push_back(loop_mark(names.size() + 2, i + 1 < t.steps.size() ? "for ever:" : "for ever nothing"));
  }
  if (t.loop_from && *t.loop_from + 1 < t.steps.size())
    rows.push_back(loop_mark(names.size() + 2, fmt::format("on behind step {}", *t.loop_from)));
  return align(rows, "  ");
}

std::string last_step_place(const run_text& t, const language::source_set* sources) {
  if (t.steps.empty() || t.steps.back().process.empty()) return "";
  const step_text& s = t.steps.back();
  std::string out = fmt::format("step {}, {}: {}", t.length(), s.process, s.statement);
  if (sources) {
    const std::string file = std::filesystem::path(sources->path(s.where.file)).filename().string();
    out += fmt::format("  ({}:{})", file, sources->locate(s.where.file, s.where.begin).line);
  }
  out += "\n";
  for (std::size_t i = s.path.size(); i-- > 0;) {
    const ir::frame& f = s.path[i];
    out += i + 1 == s.path.size() ? "  in " : "  called from ";
    if (f.kernel_function.empty()) {
      out += f.procedure + "\n";
      continue;
    }
    const std::string version = f.kernel_version.empty() ? "" : ", " + f.kernel_version;
    const std::string as = f.procedure == f.kernel_function || f.procedure.empty() ? "" : fmt::format(", {} in the model", f.procedure);
    out += fmt::format("{}() ({}{}){}\n", f.kernel_function, f.kernel_file, version, as);
  }
  return out;
}

}  // namespace quiesce::report
