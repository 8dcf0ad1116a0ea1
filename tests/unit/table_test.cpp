// SPDX-License-Identifier: MIT
#include "model/report/table.hpp"

#include <gtest/gtest.h>

#include "model/verdict/check.hpp"

namespace quiesce {
namespace {

TEST(table, columns_are_aligned_without_trailing_blanks) {
  EXPECT_EQ(report::align({{"a", "bb", "c"}, {"long", "b"}}), "a     bb  c\nlong  b\n");
}

TEST(table, a_cell_of_several_lines_keeps_its_column) {
  EXPECT_EQ(report::align({{"a", "x\nyy", "1"}, {"b", "z", "2"}}, "  "), "  a  x   1\n     yy\n  b  z   2\n");
}

TEST(table, fold_breaks_at_blanks_and_inside_long_words) {
  EXPECT_EQ(report::fold("one two three", 9), "one two\n  three");
  EXPECT_EQ(report::fold("abcdefghijkl", 6), "abcdef\n  ghij\n  kl");
  EXPECT_EQ(report::fold("x", 6), "x");
}

TEST(wrap, keeps_every_line_within_72_columns) {
  std::string text = "quiesce:";
  for (int i = 0; i < 40; ++i) text += " word=" + std::to_string(i);
  const std::string wrapped = wrap(text, 72, "  ");
  std::size_t start = 0, lines = 0;
  std::string rejoined;
  while (start <= wrapped.size()) {
    const std::size_t end = std::min(wrapped.find('\n', start), wrapped.size());
    EXPECT_LE(end - start, 72u);
    const std::size_t from = lines++ ? start + 2 : start;
    rejoined += (rejoined.empty() ? "" : " ") + wrapped.substr(from, end - from);
    start = end + 1;
  }
  EXPECT_GT(lines, 3u);
  EXPECT_EQ(rejoined, text);
}

}  // namespace
}  // namespace quiesce
