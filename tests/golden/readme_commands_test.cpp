// SPDX-License-Identifier: MIT
// The commands of README.md and model/netdev/README.md print what stands below them. QUIESCE_RENEW_GOLDEN=1 renews README.md
// from the program's output.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>

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

// A part of README.md that is printed by one command: the lines [first, last) of a code block.
struct printed_block {
  std::string command;
  std::size_t first = 0, last = 0;
};

// Behind "$ COMMAND" at the beginning of a code block: the whole output. Behind a line with "`COMMAND` prints": a table of
// it.
std::vector<printed_block> printed_blocks(const std::vector<std::string>& lines) {
  std::vector<printed_block> found;
  std::string announced;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const std::size_t end = lines[i].find("` prints"); lines[i].starts_with("`./quiesce ") && end != std::string::npos)
      announced = lines[i].substr(1, end - 1);
    if (!lines[i].starts_with("```") || i + 1 == lines.size()) continue;
    std::size_t close = i + 1;
    while (close < lines.size() && !lines[close].starts_with("```")) ++close;
    if (lines[i + 1].starts_with("$ ")) found.push_back({lines[i + 1].substr(2), i + 2, close});
    if (!announced.empty()) found.push_back({announced, i + 1, close});
    announced.clear();
    i = close;
  }
  return found;
}

// The first table of a matrix: from its head to the next empty line.
std::vector<std::string> table_of(const std::vector<std::string>& lines) {
  const auto head =
      std::find_if(lines.begin(), lines.end(), [](const std::string& l) { return l.starts_with("  property "); });
  return {head, std::find(head, lines.end(), "")};
}

// Hashes and numbers of states change with every touch of a model or of the engine; they are renewed, not compared.
std::vector<std::string> comparable(std::vector<std::string> lines) {
  for (std::string& line : lines)
    line = std::regex_replace(line, std::regex("\\b[0-9a-f]{12}$|[0-9]+ states|\\.model:[0-9]+"), "*");
  return lines;
}

TEST(readme, of_the_project_prints_what_it_says) {
  const fs::path file = repository() / "README.md";
  std::vector<std::string> lines = lines_of(read_text(file));
  std::vector<printed_block> blocks = printed_blocks(lines);
  EXPECT_GE(blocks.size(), 2u);
  const bool renew = std::getenv("QUIESCE_RENEW_GOLDEN") != nullptr;
  std::reverse(blocks.begin(), blocks.end());  // renewing one leaves the places of those before it
  for (const printed_block& b : blocks) {
    const bool whole = lines[b.first - 1].starts_with("$ ");
    const std::string program = std::string("'") + QUIESCE_BINARY + "'" + b.command.substr(std::string("./quiesce").size());
    std::vector<std::string> out = lines_of(output_of("cd '" + repository().string() + "' && " + program + " 2>/dev/null"));
    if (!whole) out = table_of(out);
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(b.first),
               last = lines.begin() + static_cast<std::ptrdiff_t>(b.last);
    if (!renew) {
      EXPECT_EQ(comparable({first, last}), comparable(out)) << b.command;
    } else {
      lines.insert(lines.erase(first, last), out.begin(), out.end());
    }
  }
  if (!renew) return;
  std::ofstream text(file);
  for (const std::string& line : lines) text << line << "\n";
}

}  // namespace
}  // namespace quiesce::test
