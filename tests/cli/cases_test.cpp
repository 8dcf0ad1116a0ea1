// SPDX-License-Identifier: MIT
// Every tests/cli/cases/*.case as one test.

#include <gtest/gtest.h>

#include "tests/support/case_file.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

class cli_case : public testing::TestWithParam<std::string> {};

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(repository() / "tests/cli/cases"))
    if (entry.path().extension() == ".case") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

TEST_P(cli_case, passes) {
  const case_file test = parse_case(read_text(repository() / "tests/cli/cases" / (GetParam() + ".case")));
  for (const std::string& wrong : run_case(test)) ADD_FAILURE() << wrong;
}

INSTANTIATE_TEST_SUITE_P(, cli_case, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

std::vector<std::string> result_of(const std::string& text) { return run_case(parse_case(text)); }

TEST(case_file, what_is_as_expected_passes) {
  EXPECT_TRUE(result_of("file a\n| x\nrun cat a; echo y >&2; exit 3\nexit 3\nstdout last x\nstderr has y\n").empty());
}

TEST(case_file, what_is_not_as_expected_fails) {
  EXPECT_EQ(result_of("run true\nexit 1\n").size(), 2u);  // the status, and the streams for the reader
  EXPECT_EQ(result_of("run echo x\nexit 0\nstdout empty\n").size(), 2u);
  EXPECT_EQ(result_of("run echo x\nexit 0\nstdout lacks x\n").size(), 2u);
  EXPECT_EQ(result_of("run echo xy\nexit 0\nstdout line x\n").size(), 2u);
  EXPECT_EQ(result_of("run touch a\nexit 0\n").size(), 1u);
  EXPECT_EQ(result_of("run true\nexit 0\ncreates a\n").size(), 1u);
}

TEST(case_file, what_is_not_a_case_is_refused) {
  EXPECT_THROW(parse_case("run true\n"), std::runtime_error);
  EXPECT_THROW(parse_case("exit 0\n"), std::runtime_error);
  EXPECT_THROW(parse_case("run true\nexit 0\nstdout hsa x\n"), std::runtime_error);
}

}  // namespace
}  // namespace quiesce::test
