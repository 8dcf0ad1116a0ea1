// SPDX-License-Identifier: MIT
#include "model/report/compare.hpp"

#include <fmt/format.h>

#include "model/report/table.hpp"

namespace quiesce::report {
namespace {

constexpr std::size_t cell_columns = 54;

std::string place(const step_text& s) {
  if (s.path.empty()) return s.process + ":";
  const ir::frame& inner = s.path.back();
  return fmt::format("{}, {}:", s.process, inner.kernel_function.empty() ? inner.procedure : inner.kernel_function);
}

void add_line(std::string& cell, const std::string& line) { cell += fold(line, cell_columns) + "\n"; }

std::string arguments(const trace_event& e) {
  std::string text;
  for (const std::string& a : e.args) text += (text.empty() ? "" : ", ") + a;
  return text;
}

// An initial state has hundreds of variables: those of the other run are shown where they differ.
void add_initial(const step_text& s, const step_text* other, std::string& cell) {
  cell += "(initial state)\n";
  for (const trace_choice& c : s.choices) cell += c.shown;
  if (!other) return;
  for (std::size_t i = 0; i < s.changes.size(); ++i) {
    const trace_change& c = s.changes[i];
    const bool same =
        i < other->changes.size() && other->changes[i].variable == c.variable && other->changes[i].after == c.after;
    if (!same) add_line(cell, fmt::format("{} = {}", c.variable, c.after));
  }
}

std::string step_cell(const step_text& s, const step_text* other) {
  std::string cell;
  if (s.process.empty()) {
    add_initial(s, other, cell);
    return cell;
  }
  add_line(cell, place(s));
  if (!s.statement.empty()) add_line(cell, s.statement);
  for (const trace_choice& c : s.choices)
    if (!c.shown.empty()) add_line(cell, fmt::format("[{}]", c.shown));
  for (const trace_event& e : s.events) add_line(cell, fmt::format("! {}({})", e.name, arguments(e)));
  for (const trace_change& c : s.changes) add_line(cell, fmt::format("{}: {} -> {}", c.variable, c.before, c.after));
  return cell;
}

}  // namespace

std::string side_by_side(const run_text& run, const followed_run& other, const std::string& left, const std::string& right) {
  std::vector<std::vector<std::string>> rows(1, {"", "step", left, right});
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const followed_step* followed = i < other.steps.size() ? &other.steps[i] : nullptr;
    const step_text* words = followed && followed->taken ? &followed->words : nullptr;
    const bool same = words && same_step(run.steps[i], *words);
    std::vector<std::string> row = {same                          ? ""
                                    : i == other.first_difference ? ">"
                                                                  : "*",
                                    fmt::format("{:>4}", i), step_cell(run.steps[i], words), ""};
    if (words) row[3] = step_cell(*words, &run.steps[i]);
    if (followed && !words) row[3] = fmt::format("({})", followed->why);
    rows.push_back(std::move(row));
  }
  std::string out = align(rows);
  if (!other.ending.empty()) out += fmt::format("the run of {} ends: {}\n", right, other.ending);
  return out;
}

}  // namespace quiesce::report
