// SPDX-License-Identifier: MIT
#pragma once
// What is wrong with the scope that is asked for, at the declaration that it does not fit. Who knows where the scope was
// written says that instead.

#include <string>
#include <utility>

#include "properties/diagnostic.hpp"

namespace quiesce {

struct scope_problem : diagnostic {
  std::string name;  // of the sort or bound
  scope_problem(source_range declared, std::string of, std::string text, std::string help = {})
      : diagnostic(declared, std::move(text), std::move(help)), name(std::move(of)) {}
};

}  // namespace quiesce
