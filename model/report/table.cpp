// SPDX-License-Identifier: MIT
#include "model/report/table.hpp"

#include <algorithm>
#include <sstream>

namespace quiesce::report {
namespace {

std::vector<std::string> lines_of(const std::string& cell) {
  std::vector<std::string> lines;
  std::istringstream in(cell);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      for (const std::string& line : lines_of(row[i])) widths[i] = std::max(widths[i], line.size());
  }
  return widths;
}

void break_word(const std::string& word, std::size_t columns, std::vector<std::string>& lines) {
  std::string rest = word;
  while (lines.back().size() + rest.size() > columns && lines.back().size() < columns) {
    const std::size_t room = columns - lines.back().size();
    lines.back() += rest.substr(0, room);
    rest.erase(0, room);
    lines.push_back("  ");
  }
  lines.back() += rest;
}

}  // namespace

std::string align(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string out;
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::string& cell : row) height = std::max(height, cells.emplace_back(lines_of(cell)).size());
    for (std::size_t y = 0; y < height; ++y) {
      std::string line = indent;
      for (std::size_t x = 0; x < cells.size(); ++x) {
        const std::string text = y < cells[x].size() ? cells[x][y] : "";
        line += text + std::string(widths[x] - text.size() + 2, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string fold(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::vector<std::string> lines(1);
  for (std::string word; words >> word;) {
    const bool fresh = lines.back().find_first_not_of(' ') == std::string::npos;
    const std::size_t needed = lines.back().size() + (fresh ? 0 : 1) + word.size();
    if (needed <= columns) {
      lines.back() += (fresh ? "" : " ") + word;
    } else if (2 + word.size() <= columns) {
      lines.push_back("  " + word);
    } else {
      if (!fresh) lines.push_back("  ");
      break_word(word, columns, lines);
    }
  }
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

}  // namespace quiesce::report
