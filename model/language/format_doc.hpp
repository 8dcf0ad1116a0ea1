// SPDX-License-Identifier: MIT
#pragma once
// Documents to be laid out within a width (P. Wadler, "A prettier printer"): a group stands on one line if it fits, else all
// its own line breaks are taken.

#include <string>
#include <utility>
#include <vector>

namespace quiesce::language::format_detail {

enum class doc_kind {
  text,
  line,
  soft,
  hard,
  nest,
  group,
  sequence
};  // line: blank or break; soft: nothing or break; hard: break

struct doc {
  doc_kind kind = doc_kind::sequence;
  std::string text;
  unsigned indent = 0;  // nest
  std::vector<doc> parts;

  doc() = default;
  doc(std::string t) : kind(doc_kind::text), text(std::move(t)) {}
  doc(const char* t) : kind(doc_kind::text), text(t) {}
  doc& operator<<(doc part) {
    parts.push_back(std::move(part));
    return *this;
  }
};

inline doc made(doc_kind kind) {
  doc d;
  d.kind = kind;
  return d;
}
inline doc line() { return made(doc_kind::line); }
inline doc soft() { return made(doc_kind::soft); }
inline doc hard() { return made(doc_kind::hard); }
inline doc group(doc inner) {
  doc d = made(doc_kind::group);
  d.parts.push_back(std::move(inner));
  return d;
}
inline doc nest(doc inner, unsigned by = 2) {
  doc d = made(doc_kind::nest);
  d.indent = by;
  d.parts.push_back(std::move(inner));
  return d;
}
template <class... Parts>
doc join(Parts&&... parts) {
  doc d;
  (d.parts.push_back(doc(std::forward<Parts>(parts))), ...);
  return d;
}

inline constexpr unsigned page_width = 110;
inline constexpr unsigned no_limit = 1u << 30;

// The first line begins at column `indent`, which is not written; later lines are indented by it. O(size * width) at worst.
std::string lay_out(const doc&, unsigned indent, unsigned width);

std::size_t columns(const std::string& text);  // UTF-8 characters

}  // namespace quiesce::language::format_detail
