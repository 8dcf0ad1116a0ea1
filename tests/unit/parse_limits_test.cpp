// SPDX-License-Identifier: MIT
// Input that is too deep, too large or no text at all.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/language_text.hpp"

namespace quiesce::test {
namespace {

std::string times(std::size_t n, const std::string& s) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += s;
  return out;
}
bool is_too_deep(const std::string& text, const std::string& kind) {
  return complaint(text, kind).find("nested more than 200 levels deep") != std::string::npos;
}

TEST(parse_limits, nesting_of_expressions_is_limited) {
  EXPECT_EQ(complaint(times(90, "(") + "a" + times(90, ")"), "expr"), "");
  for (const char* open : {"(", "!", "{", "[", "f(", "a[", "a => ", "a ? ", "a ? b : ", "all x: dev : ", "all x in ", "count A("}) {
    EXPECT_TRUE(is_too_deep(times(201, open) + "a", "expr")) << open;
    EXPECT_NE(complaint(times(50000, open) + "a", "expr"), "") << open;
  }
}

TEST(parse_limits, long_chains_make_no_deep_trees) {
  EXPECT_EQ(complaint("a" + times(150, " && a"), "expr"), "");
  for (const char* more : {" + a", " && a", " => a", ".a", "[1]"}) EXPECT_NE(complaint("a" + times(100000, more), "expr"), "") << more;
  EXPECT_TRUE(is_too_deep("(a" + times(150, " + a") + ")" + times(150, " * a"), "expr"));
}

TEST(parse_limits, nesting_of_types_is_limited) {
  EXPECT_TRUE(is_too_deep("model m var x: " + times(100000, "set<") + "dev", "model"));
  EXPECT_NE(complaint("model m var x: 0.." + times(30, "-") + "1;"), "");
}

TEST(parse_limits, nesting_of_blocks_is_limited) {
  for (const char* open : {"atomic {", "if a {", "either {", "while b {", "for x in s {"})
    EXPECT_TRUE(is_too_deep("model m proc p() {" + times(100000, open), "model")) << open;
  EXPECT_TRUE(is_too_deep("model m proc p() { if a { }" + times(100000, " else if a { }") + "}", "model"));
  EXPECT_EQ(complaint("model m proc p() {" + times(60, "atomic {") + times(60, "}") + "}"), "");
}

class temporary_files : public testing::Test {
 protected:
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("quiesce_read_" + std::to_string(::getpid()));
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string write(const std::string& bytes) {
    const std::string path = folder / "x.model";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string refusal(const std::string& path) {
    language::source_set sources;
    try {
      sources.read(path);
    } catch (const diagnostic& d) {
      EXPECT_FALSE(d.has_place);
      EXPECT_NE(d.sentence.find("'" + path + "'"), std::string::npos);
      return d.sentence.substr(d.sentence.find("': ") + 3);
    }
    return {};
  }
};

TEST_F(temporary_files, that_are_no_texts_are_refused_each_with_its_reason) {
  EXPECT_EQ(refusal(folder / "missing.model"), "there is no such file");
  EXPECT_EQ(refusal(folder), "it is a directory");
  EXPECT_EQ(refusal("/dev/zero"), "it is not a regular file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "pipe"), "it is not a regular file");
  EXPECT_EQ(refusal(write("")), "the file is empty");
  EXPECT_EQ(refusal(write(std::string("model m\nvar\0", 12))), "line 2 holds a NUL byte, so it is not a text");
  EXPECT_EQ(refusal(write("a\nb\n\xc3(")), "line 3 is not valid UTF-8");
  for (const char* bad : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff"})
    EXPECT_EQ(refusal(write(bad)), "line 1 is not valid UTF-8");
  EXPECT_EQ(refusal(write("# é € 😀\n")), "");
}

TEST_F(temporary_files, that_are_too_large_are_refused_by_their_size) {
  const std::string path = write("x");
  std::filesystem::resize_file(path, 1u << 20);
  EXPECT_EQ(refusal(path), "line 1 holds a NUL byte, so it is not a text");
  std::filesystem::resize_file(path, (1u << 20) + 1);
  EXPECT_EQ(refusal(path), "it has 1048577 bytes; at most 1048576 are read");
  std::filesystem::resize_file(path, std::uintmax_t(1) << 40);   // sparse: reading it would take for ever
  EXPECT_EQ(refusal(path), "it has 1099511627776 bytes; at most 1048576 are read");
}

}  // namespace
}  // namespace quiesce::test
