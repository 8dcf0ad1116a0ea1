// SPDX-License-Identifier: MIT
#pragma once
// How tightly the operators of MANUAL.md section 6 bind; the parser and the formatter share it.

#include <string_view>

namespace quiesce::language {

inline constexpr int conditional_precedence = 0;
inline constexpr int comparison_precedence = 5;
inline constexpr int unary_precedence = 8;
inline constexpr int postfix_precedence = 9;

constexpr int precedence(std::string_view infix) {
  if (infix == "<=>") return 1;
  if (infix == "=>") return 2;
  if (infix == "||") return 3;
  if (infix == "&&") return 4;
  if (infix == "+" || infix == "-") return 6;
  if (infix == "*") return 7;
  return comparison_precedence;  // == != < <= > >= in is
}

}  // namespace quiesce::language
