// SPDX-License-Identifier: MIT
#pragma once
// The checkout that the tests were built from.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "quiesce_paths.hpp"

namespace quiesce::test {

inline std::filesystem::path repository() { return QUIESCE_SOURCE_DIR; }

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Source files relative to the checkout, sorted: everything but build directories, hidden directories and test data.
inline std::vector<std::string> source_files(const std::vector<std::string>& extensions) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  for (auto it = fs::recursive_directory_iterator(repository()); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      const bool skip = name[0] == '.' || name.starts_with("build") || name == "data" || name == "corpus" || name == "cases";
      if (skip) it.disable_recursion_pending();
      continue;
    }
    const bool wanted = std::find(extensions.begin(), extensions.end(), it->path().extension()) != extensions.end() ||
                        std::find(extensions.begin(), extensions.end(), name) != extensions.end();
    if (wanted) found.push_back(fs::relative(it->path(), repository()).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace quiesce::test
