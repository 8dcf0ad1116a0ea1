// SPDX-License-Identifier: MIT
#pragma once
// Small texts and types that the parts of smt_writer share.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "model/symbolic/core_reader.hpp"

namespace quiesce::symbolic {

inline type_ref simple(type_kind k) {
  auto t = std::make_shared<type>();
  t->kind = k;
  t->unlimited = true;
  t->low = -1;
  return t;
}

inline type_ref element_type(std::size_t sort) {
  auto t = std::make_shared<type>();
  t->kind = type_kind::element;
  t->sort = sort;
  return t;
}

inline type_ref set_type(std::size_t sort) {
  auto t = std::make_shared<type>();
  t->kind = type_kind::set;
  t->sort = sort;
  return t;
}

inline std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, " ")); }

inline std::string asserted(const std::string& term) { return fmt::format("(assert {})\n", term); }

// `text` with `by` in all places of the name `name`, or of the application that it is.
inline std::string replaced(const std::string& text, const std::string& name, const std::string& by) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    if (name.back() != ')' && end < text.size() && text[end] >= '0' && text[end] <= '9') continue;
    out += text.substr(from, at - from) + by;
    from = end;
  }
  return out + text.substr(from);
}

}  // namespace quiesce::symbolic
