// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "model/language/source.hpp"

namespace quiesce::test {
namespace {

std::string shown(const std::string& text, std::uint32_t begin, std::uint32_t end, const std::string& hint = {}) {
  language::source_set sources;
  sources.add("other", "x");
  const std::uint32_t file = sources.add("dir/a.model", text);
  return language::render(sources, diagnostic(source_range{file, begin, end}, "it is wrong", hint));
}

TEST(diagnostic_render, underlines_exactly_the_span) {
  EXPECT_EQ(shown("one\ntwo three\n", 8, 13, "say it"), "dir/a.model:2:5: error: it is wrong\n  two three\n      ^^^^^\nhint: say it\n");
}
TEST(diagnostic_render, marks_one_column_for_an_empty_span) {
  EXPECT_EQ(shown("abc", 3, 3), "dir/a.model:1:4: error: it is wrong\n  abc\n     ^\n");
  EXPECT_EQ(shown("abc\n", 4, 4), "dir/a.model:2:1: error: it is wrong\n  \n  ^\n");
}
TEST(diagnostic_render, underlines_the_first_line_of_a_longer_span) {
  EXPECT_EQ(shown("ab cd\nef", 3, 8), "dir/a.model:1:4: error: it is wrong\n  ab cd\n     ^^\n");
}
TEST(diagnostic_render, shows_tabs_as_blanks_up_to_the_next_stop) {
  EXPECT_EQ(shown("\tab\tc", 4, 5), "dir/a.model:1:5: error: it is wrong\n          ab      c\n                  ^\n");
}
TEST(diagnostic_render, counts_characters_in_carets_and_bytes_in_columns) {
  EXPECT_EQ(shown("é€ x", 6, 7), "dir/a.model:1:7: error: it is wrong\n  é€ x\n     ^\n");
}
TEST(diagnostic_render, hides_control_characters_and_carriage_returns) {
  EXPECT_EQ(shown("a\x1b[31m b\r\n", 7, 8), "dir/a.model:1:8: error: it is wrong\n  a?[31m b\n         ^\n");
}
TEST(diagnostic_render, cuts_long_lines_around_the_span) {
  const std::string text = std::string(500, 'a') + "XYZ" + std::string(500, 'b');
  EXPECT_EQ(shown(text, 500, 503), "dir/a.model:1:501: error: it is wrong\n  …" + std::string(40, 'a') + "XYZ" + std::string(77, 'b') + "…\n" +
                                       std::string(43, ' ') + "^^^\n");
  EXPECT_EQ(shown(text, 0, 1000), "dir/a.model:1:1: error: it is wrong\n  " + std::string(120, 'a') + "…\n  " + std::string(120, '^') + "\n");
}
TEST(diagnostic_render, without_a_place_is_the_sentence) {
  EXPECT_EQ(language::render({}, diagnostic("no", "yes")), "error: no\nhint: yes\n");
}
TEST(diagnostic_render, locates_offsets_by_line_and_column) {
  language::source_set sources;
  const std::uint32_t file = sources.add("a", "\nab\n\nc");
  EXPECT_EQ(sources.locate(file, 0).line, 1u);
  EXPECT_EQ(sources.locate(file, 2).column, 2u);
  EXPECT_EQ(sources.locate(file, 4).line, 3u);
  EXPECT_EQ(sources.locate(file, 6).line, 4u);
  EXPECT_EQ(sources.line(file, 2), "ab");
}

}  // namespace
}  // namespace quiesce::test
