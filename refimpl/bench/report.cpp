// SPDX-License-Identifier: MIT
#include "refimpl/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quiesce::bench {

namespace {

std::string cell_text(const json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_float()) return fmt::format("{}", cell.get<double>());
  return cell.dump();
}

std::vector<std::size_t> widths(const section& s) {
  std::vector<std::size_t> out;
  for (const std::string& c : s.columns) out.push_back(c.size());
  for (const row& r : s.rows)
    for (std::size_t i = 0; i < r.size() && i < out.size(); ++i) out[i] = std::max(out[i], cell_text(r[i]).size());
  return out;
}

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& width,
                 const std::vector<bool>& right) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out += right[i] ? fmt::format("  {:>{}}", cells[i], width[i]) : fmt::format("  {:<{}}", cells[i], width[i]);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "\n";
}

std::string section_text(const section& s) {
  const std::vector<std::size_t> width = widths(s);
  std::vector<bool> right(s.columns.size(), true);
  for (const row& r : s.rows)
    for (std::size_t i = 0; i < r.size() && i < right.size(); ++i)
      if (r[i].is_string()) right[i] = false;
  std::string out = s.title + "\n" + line(s.columns, width, right);
  for (const row& r : s.rows) {
    std::vector<std::string> cells;
    for (const json& c : r) cells.push_back(cell_text(c));
    out += line(cells, width, right);
  }
  return out;
}

}  // namespace

json number(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

std::string to_text(const report& r) {
  std::string out = fmt::format("{}: {}\n\ninputs (chosen, not measured)\n", r.name, r.title);
  section inputs{"", {"", "", ""}, {}};
  for (const input& i : r.inputs) inputs.rows.push_back({i.name, i.value, i.why});
  for (const row& one : inputs.rows)
    out += line({one[0].get<std::string>(), one[1].get<std::string>(), one[2].get<std::string>()}, widths(inputs),
                {false, false, false});
  out += "\nreported in the thread\n";
  for (const std::string& text : r.reported) out += "  " + text + "\n";
  for (const section& s : r.sections) out += "\n" + section_text(s);
  if (!r.findings.empty()) out += "\nfindings of this run\n";
  for (const std::string& text : r.findings) out += "  " + text + "\n";
  return out;
}

json to_json(const report& r) {
  json out = {{"name", r.name}, {"title", r.title}, {"inputs", json::array()}, {"reported", r.reported}};
  for (const input& i : r.inputs) out["inputs"].push_back({{"name", i.name}, {"value", i.value}, {"why", i.why}});
  out["sections"] = json::array();
  for (const section& s : r.sections) {
    json rows = json::array();
    for (const row& cells : s.rows) {
      json one = json::object();
      for (std::size_t i = 0; i < cells.size() && i < s.columns.size(); ++i) one[s.columns[i]] = cells[i];
      rows.push_back(std::move(one));
    }
    out["sections"].push_back({{"title", s.title}, {"columns", s.columns}, {"rows", std::move(rows)}});
  }
  out["findings"] = r.findings;
  return out;
}

}  // namespace quiesce::bench
