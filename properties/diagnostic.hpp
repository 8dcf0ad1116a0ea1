// SPDX-License-Identifier: MIT
#pragma once
// The one type for everything that is wrong with an input. Thrown by whoever finds it; rendered by model/language/diagnostic.

#include <exception>
#include <string>
#include <utility>

#include "properties/source_range.hpp"

namespace quiesce {

struct diagnostic : std::exception {
  source_range where;      // meaningless if !has_place
  bool has_place = false;
  bool usage = false;      // exit code 64 instead of 65
  std::string sentence;    // one plain sentence, no full stop needed
  std::string hint;        // may be empty

  diagnostic(source_range at, std::string text, std::string help = {})
      : where(at), has_place(true), sentence(std::move(text)), hint(std::move(help)) {}
  explicit diagnostic(std::string text, std::string help = {}) : sentence(std::move(text)), hint(std::move(help)) {}
  const char* what() const noexcept override { return sentence.c_str(); }
};

}  // namespace quiesce
