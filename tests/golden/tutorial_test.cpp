// SPDX-License-Identifier: MIT
// Every block of the tutorial is a whole file, and all its claims are as expected.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "quiesce_paths.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

struct block {
  std::string kind;  // model, prop or claim
  std::string name;  // of the first thing that it declares
  std::string text;
};

std::vector<block> blocks_of(const std::string& markdown) {
  std::vector<block> found;
  bool inside = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) found.push_back({line.substr(3), "", ""});
      continue;
    }
    if (!inside) continue;
    block& b = found.back();
    b.text += line + "\n";
    const std::size_t space = line.find(' ');
    if (b.name.empty() && space != std::string::npos) b.name = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
  }
  return found;
}

TEST(tutorial, has_claims_that_are_as_expected) {
  const fs::path folder = fs::path(QUIESCE_BUILD_DIR) / "tutorial";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::vector<block> blocks = blocks_of(read_text(repository() / "model/language/TUTORIAL.md"));
  std::string properties;
  std::size_t claims = 0;
  for (const block& b : blocks) {
    const fs::path file = folder / (b.name + "." + b.kind);
    std::ofstream(file) << b.text;
    if (b.kind == "prop") properties += " --properties '" + file.string() + "'";
  }
  for (const block& b : blocks) {
    if (b.kind != "claim") continue;
    const std::string command = std::string("'") + QUIESCE_BINARY + "' check '" + (folder / (b.name + ".claim")).string() +
                                "'" + properties + " >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    ++claims;
  }
  EXPECT_GE(claims, 5u);
}

}  // namespace
}  // namespace quiesce::test
