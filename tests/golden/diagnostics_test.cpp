// SPDX-License-Identifier: MIT
// What a user reads for wrong input: every golden/diagnostics/cases/*.{model,prop,claim} is rendered and compared with its .expected
// file. UPDATE_GOLDEN=1 writes these files.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/language/parse.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

std::string rendering(const fs::path& path) {
  language::source_set sources;
  const std::uint32_t file = sources.add(path.filename(), read_text(path));
  try {
    if (path.extension() == ".model") language::parse_model(sources, file);
    if (path.extension() == ".prop") language::parse_properties(sources, file);
    if (path.extension() == ".claim") language::parse_claims(sources, file);
  } catch (const diagnostic& d) {
    return language::render(sources, d);
  }
  return "no error\n";
}

TEST(diagnostics, read_as_expected_for_every_wrong_input) {
  const bool update = std::getenv("UPDATE_GOLDEN") != nullptr;
  std::size_t inputs = 0;
  for (const auto& entry : fs::directory_iterator(repository() / "tests/golden/diagnostics/cases")) {
    fs::path expected = entry.path();
    if (expected.extension() == ".expected") continue;
    const std::string text = rendering(entry.path());
    expected += ".expected";
    if (update) std::ofstream(expected, std::ios::binary) << text;
    EXPECT_NE(text, "no error\n") << entry.path();
    EXPECT_EQ(text, read_text(expected)) << entry.path();
    ++inputs;
  }
  EXPECT_GE(inputs, 40u);
}

}  // namespace
}  // namespace quiesce::test
