// SPDX-License-Identifier: MIT
// What every source file keeps to: a licence line, at most 600 lines of at most 160 columns, no tabs or trailing blanks.

#include <gtest/gtest.h>

#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

const std::vector<std::string> kinds = {".cpp", ".hpp", ".model", ".prop", ".claim", "CMakeLists.txt", "quiesce"};

TEST(source_files, have_an_spdx_line) {
  for (const std::string& file : source_files(kinds)) {
    const std::vector<std::string> lines = lines_of(read_text(repository() / file));
    ASSERT_FALSE(lines.empty()) << file;
    const std::string& first = lines[0].starts_with("#!") && lines.size() > 1 ? lines[1] : lines[0];
    const std::string comment = file.ends_with(".cpp") || file.ends_with(".hpp") ? "// " : "# ";
    EXPECT_EQ(first, comment + "SPDX-License-Identifier: MIT") << file;
  }
}

TEST(source_files, have_at_most_600_lines) {
  for (const std::string& file : source_files(kinds)) EXPECT_LE(lines_of(read_text(repository() / file)).size(), 600u) << file;
}

TEST(source_files, have_no_tabs_no_trailing_blanks_and_no_endless_lines) {
  for (const std::string& file : source_files(kinds)) {
    int number = 0;
    for (const std::string& line : lines_of(read_text(repository() / file))) {
      ++number;
      EXPECT_EQ(line.find('\t'), std::string::npos) << file << ":" << number;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << file << ":" << number;
      const bool prose = file.ends_with(".claim") || file.ends_with(".prop");  // a sentence is one string, on one line
      EXPECT_TRUE(prose || line.size() <= 160) << file << ":" << number;
    }
  }
}

}  // namespace
}  // namespace quiesce::test
