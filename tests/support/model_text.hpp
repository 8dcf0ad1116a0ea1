// SPDX-License-Identifier: MIT
#pragma once
// A model without variants, from its text in a test.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "model/language/source.hpp"
#include "model/system/lower.hpp"
#include "model/system/system.hpp"

namespace quiesce::test {

// The text behind the line `model m`.
inline std::unique_ptr<transition_system> from_text(const std::string& text, std::map<std::string, std::int64_t> scope) {
  const auto path = std::filesystem::temp_directory_path() / ("quiesce-text-" + std::to_string(getpid()) + ".model");
  std::ofstream(path) << "model m\n" << text;
  language::source_set sources;
  instance chosen;
  chosen.scope = std::move(scope);
  lowered l = lower(load_model(sources, path.string(), {}), chosen, {});
  std::filesystem::remove(path);
  return make_interpreter(std::move(l.program));
}

}  // namespace quiesce::test
