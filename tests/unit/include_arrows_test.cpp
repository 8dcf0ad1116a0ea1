// SPDX-License-Identifier: MIT
// Dependencies between the folders point one way: what a folder may include is listed here, and nothing else passes.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

using folders = std::set<std::string>;

const std::map<std::string, folders>& allowed() {
  static const folders properties = {"properties"};
  static const folders language = {"properties", "model/language"};
  static const folders system = {"properties", "model/language", "model/system"};
  static const folders engines = {"properties", "model/language", "model/system", "model/explicit", "model/symbolic"};
  static const auto with = [](folders base, const std::string& more) { return base.insert(more), base; };
  static const folders verdict = with(engines, "model/verdict");
  static const folders inference = with(engines, "model/inference");
  static const folders cli = with(with(with(with(verdict, "model/report"), "model/export"), "model/inference"), "model/cli");
  static const folders refimpl = {"properties", "refimpl"};
  static const folders all = with(with(cli, "refimpl"), "conformance");
  static const std::map<std::string, folders> table = {
      {"properties", properties},
      {"model/language", language},
      {"model/system", system},
      {"model/explicit", with(system, "model/explicit")},
      {"model/symbolic", with(with(system, "model/explicit"), "model/symbolic")},
      {"model/inference", inference},
      {"model/verdict", verdict},
      {"model/report", with(verdict, "model/report")},
      {"model/export", with(verdict, "model/export")},
      {"model/cli", all},
      {"refimpl", refimpl},
      {"conformance", all},
      {"proofs", {"proofs"}},
  };
  return table;
}

// "model/system" of model/system/ir.hpp, "refimpl" of refimpl/net/todo.hpp, "tests" of tests/...
std::string folder_of(const std::string& path) {
  const std::size_t first = path.find('/');
  if (first == std::string::npos) return "";
  const std::string top = path.substr(0, first);
  return top == "model" ? path.substr(0, path.find('/', first + 1)) : top;
}

// The path of `#include "path"`, else nothing.
std::string included(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#' || line.find("include") == std::string::npos) return "";
  const std::size_t open = line.find('"');
  if (open == std::string::npos) return "";
  return line.substr(open + 1, line.find('"', open + 1) - open - 1);
}

std::vector<std::string> wrong_includes(const std::string& file, const std::string& text) {
  std::vector<std::string> wrong;
  const std::string folder = folder_of(file);
  if (folder == "tests") return wrong;
  const auto rule = allowed().find(folder);
  for (const std::string& line : lines_of(text)) {
    const std::string target = included(line);
    if (target.empty()) continue;
    if (rule == allowed().end() || !rule->second.count(folder_of(target))) wrong.push_back(file + " includes " + target);
  }
  return wrong;
}

TEST(include_arrows, point_one_way) {
  const std::vector<std::string> files = source_files({".cpp", ".hpp"});
  ASSERT_GT(files.size(), 10u);
  for (const std::string& file : files)
    for (const std::string& wrong : wrong_includes(file, read_text(repository() / file))) ADD_FAILURE() << wrong;
}

TEST(include_arrows, a_quoted_include_names_its_file_from_the_top) {
  for (const std::string& file : source_files({".cpp", ".hpp"}))
    for (const std::string& line : lines_of(read_text(repository() / file))) {
      if (file == "tests/unit/include_arrows_test.cpp") continue;  // it quotes includes
      const std::string target = included(line);
      if (target == "quiesce_paths.hpp") continue;  // made by CMake
      EXPECT_TRUE(target.empty() || std::filesystem::exists(repository() / target)) << file << " includes " << target;
    }
}

TEST(include_arrows, an_arrow_back_is_found) {
  EXPECT_EQ(wrong_includes("model/system/a.cpp", "#include \"model/explicit/search.hpp\"\n").size(), 1u);
  EXPECT_EQ(wrong_includes("properties/a.hpp", "  # include \"model/language/ast.hpp\"\n").size(), 1u);
  EXPECT_EQ(wrong_includes("model/explicit/a.cpp", "#include \"model/symbolic/encode.hpp\"\n").size(), 1u);
  EXPECT_EQ(wrong_includes("refimpl/net/a.cpp", "#include \"model/system/ir.hpp\"\n").size(), 1u);
  EXPECT_EQ(wrong_includes("model/elsewhere/a.cpp", "#include \"properties/property.hpp\"\n").size(), 1u);
  EXPECT_TRUE(wrong_includes("model/cli/a.cpp", "#include \"model/explicit/search.hpp\"\n#include <vector>\n").empty());
}

}  // namespace
}  // namespace quiesce::test
