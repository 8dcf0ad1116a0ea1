// SPDX-License-Identifier: MIT
#pragma once
// Options that take one of some words.

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace quiesce::cli {

// The help and the refusal of another word name those that there are.
template <class T>
CLI::Option* add_word_option(CLI::App& app, const std::string& name, T& to,
                             const std::vector<std::pair<std::string, T>>& words, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const auto take = [&to, words](const std::string& given) {
    for (const auto& [word, value] : words)
      if (word == given) to = value;
  };
  return app.add_option_function<std::string>(name, take, help)->check(CLI::IsMember(names));
}

}  // namespace quiesce::cli
