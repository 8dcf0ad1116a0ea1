// SPDX-License-Identifier: MIT
// Diagnostics as text: where, what, the source line with the exact span underlined, and a hint.

#include <fmt/format.h>

#include <algorithm>

#include "model/language/source.hpp"

namespace quiesce::language {
namespace {

constexpr std::size_t widest_line = 120;    // columns of a source line that are shown
constexpr std::size_t context_before = 40;  // columns kept in front of the span when a longer line is cut

// One line as it is shown: tabs are spaces, and every character (not byte) is one column.
struct shown_line {
  std::string text;
  std::vector<std::size_t> column_of_byte;   // for each byte of the source line and its end
  std::vector<std::size_t> start_of_column;  // in `text`, and its end
};

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

shown_line show(std::string_view line) {
  shown_line shown;
  for (char c : line) {
    if (continues_character(c) && !shown.text.empty()) {
      shown.column_of_byte.push_back(shown.start_of_column.size() - 1);
      shown.text += c;
      continue;
    }
    shown.column_of_byte.push_back(shown.start_of_column.size());
    const std::size_t width = c == '\t' ? 8 - shown.start_of_column.size() % 8 : 1;
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    for (std::size_t i = 0; i < width; ++i) {
      shown.start_of_column.push_back(shown.text.size());
      shown.text += c == '\t' ? ' ' : control ? '?' : c;
    }
  }
  shown.column_of_byte.push_back(shown.start_of_column.size());
  shown.start_of_column.push_back(shown.text.size());
  return shown;
}

// The line and the carets below it, for bytes [from, to) of the line.
std::string excerpt(std::string_view line, std::size_t from, std::size_t to) {
  const shown_line shown = show(line);
  const std::size_t total = shown.start_of_column.size() - 1;
  std::size_t begin = shown.column_of_byte[std::min(from, line.size())];
  std::size_t end = std::max(shown.column_of_byte[std::min(to, line.size())], begin + 1);
  std::size_t left = 0, right = total;
  if (total > widest_line) {
    left = begin > widest_line - context_before ? begin - context_before : 0;
    right = std::min(total, left + widest_line);
    end = std::min(end, std::max(right, begin + 1));
  }
  std::string text = left > 0 ? "…" : "";
  text += shown.text.substr(shown.start_of_column[left], shown.start_of_column[right] - shown.start_of_column[left]);
  if (right < total) text += "…";
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::size_t indent = begin - left + (left > 0 ? 1 : 0);
  return fmt::format("  {}\n  {}{}\n", text, std::string(indent, ' '), std::string(end - begin, '^'));
}

}  // namespace

std::string render(const source_set& sources, const diagnostic& problem) {
  std::string hint = problem.hint.empty() ? "" : fmt::format("hint: {}\n", problem.hint);
  if (!problem.has_place) return fmt::format("error: {}\n{}", problem.sentence, hint);
  const source_range where = problem.where;
  const auto size = static_cast<std::uint32_t>(sources.text(where.file).size());
  const std::uint32_t begin = std::min(where.begin, size);
  const position at = sources.locate(where.file, begin);
  const std::string_view line = sources.line(where.file, at.line);
  const std::size_t from = at.column - 1;
  const std::size_t to = from + std::max(where.end, begin) - begin;  // beyond the line: the span goes on; excerpt cuts it
  return fmt::format("{}:{}:{}: error: {}\n{}{}", sources.path(where.file), at.line, at.column, problem.sentence,
                     excerpt(line, from, to), hint);
}

}  // namespace quiesce::language
