// SPDX-License-Identifier: MIT
// The shortest runs that break the rules of teardown, as the events that they emit: each golden/models/*.expected holds the
// arguments of `quiesce` in its first line, then the verdict, one line for each event, and how the run ends. UPDATE_GOLDEN=1
// writes all but the first line.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <nlohmann/json.hpp>

#include "quiesce_paths.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe.get())) > 0;) text.append(part.data(), n);
  return text;
}

std::string events_of(const std::string& arguments) {
  const std::string text =
      output_of(std::string("'") + QUIESCE_BINARY + "' " + arguments + " --format json --threads 2 2>/dev/null");
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) return "no JSON: " + text;
  const nlohmann::json& result = document.at("results").at(0);
  std::string out = result.at("verdict").get<std::string>() + "\n";
  if (!result.contains("run") || result.at("run").is_null()) return out;
  for (const auto& step : result.at("run").at("steps")) {
    for (const auto& event : step.at("events")) {
      std::string line = step.at("process").get<std::string>() + " " + event.at("name").get<std::string>() + "(";
      for (const auto& argument : event.at("args")) {
        if (line.back() != '(') line += ", ";
        line += argument.get<std::string>();
      }
      out += line + ")\n";
    }
  }
  const std::string ending = result.at("run").at("ending");
  return ending.empty() ? out : out + ending + "\n";
}

TEST(models, break_rules_by_these_runs) {
  const bool update = std::getenv("UPDATE_GOLDEN") != nullptr;
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator(repository() / "tests/golden/models")) {
    const std::string expected = read_text(entry.path());
    const std::string arguments = expected.substr(0, expected.find('\n'));
    const std::string found = arguments + "\n" + events_of(arguments);
    if (update) std::ofstream(entry.path(), std::ios::binary) << found;
    EXPECT_EQ(found, expected) << entry.path();
    ++runs;
  }
  EXPECT_GE(runs, 10u);
}

}  // namespace
}  // namespace quiesce::test
