// SPDX-License-Identifier: MIT
// The commands of model/netdev/README.md print what stands below them.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

struct command {
  std::string text;
  std::vector<std::string> printed;
};

// `console` blocks hold commands behind "$ " and lines of their output, of which "..." may leave the end out; a `claim`
// block is the file mine.claim.
struct walk_through {
  std::vector<command> commands;
  std::string claims;
};

walk_through read(const std::string& markdown) {
  walk_through out;
  std::string kind;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) {
      kind = line.substr(3);
    } else if (kind == "claim") {
      out.claims += line + "\n";
    } else if (kind == "console" && line.starts_with("$ ")) {
      out.commands.push_back({line.substr(2), {}});
    } else if (kind == "console") {
      out.commands.back().printed.push_back(line);
    }
  }
  return out;
}

std::string output_of(const std::string& text) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(text.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe.get())) > 0;) out.append(part.data(), n);
  return out;
}

bool matches(const std::string& line, const std::string& wanted) {
  return wanted.ends_with(" ...") ? line.starts_with(wanted.substr(0, wanted.size() - 3)) : line == wanted;
}

TEST(readme, of_the_models_prints_what_it_says) {
  const fs::path folder = fs::path(QUIESCE_BUILD_DIR) / "netdev_readme";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_directory_symlink(repository() / "model", folder / "model");
  fs::create_symlink(QUIESCE_BINARY, folder / "quiesce");
  const walk_through steps = read(read_text(repository() / "model/netdev/README.md"));
  std::ofstream(folder / "mine.claim") << steps.claims;
  for (const command& c : steps.commands) {
    const std::string out = output_of("cd '" + folder.string() + "' && " + c.text + " 2>/dev/null");
    const std::vector<std::string> lines = lines_of(out);
    auto from = lines.begin();
    for (const std::string& wanted : c.printed) {
      from = std::find_if(from, lines.end(), [&](const std::string& line) { return matches(line, wanted); });
      ASSERT_NE(from, lines.end()) << c.text << "\nlacks: " << wanted << "\nprinted:\n" << out;
      ++from;
    }
  }
  EXPECT_GE(steps.commands.size(), 9u);
}

}  // namespace
}  // namespace quiesce::test
