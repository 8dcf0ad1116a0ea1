// SPDX-License-Identifier: MIT
#include "model/language/format_doc.hpp"

#include <algorithm>

namespace quiesce::language::format_detail {
namespace {

struct piece {
  const doc* what;
  unsigned indent;
  bool flat;
};
using pieces = std::vector<piece>;  // a stack: the next piece is the last

void push_parts(pieces& stack, const piece& from, unsigned indent, bool flat) {
  for (auto part = from.what->parts.rbegin(); part != from.what->parts.rend(); ++part)
    stack.push_back({&*part, indent, flat});
}

// Does what follows fit into `room` columns up to the next line break? `rest` comes behind `first`.
bool fits(const piece& first, const pieces& rest, long room) {
  pieces stack{first};
  std::size_t next = rest.size();
  while (room >= 0) {
    if (stack.empty()) {
      if (next == 0) return true;
      stack.push_back(rest[--next]);
    }
    const piece top = stack.back();
    stack.pop_back();
    switch (top.what->kind) {
      case doc_kind::text:
        room -= static_cast<long>(columns(top.what->text));
        break;
      case doc_kind::hard:
        return !top.flat;
      case doc_kind::line:
        if (!top.flat) return true;
        --room;
        break;
      case doc_kind::soft:
        if (!top.flat) return true;
        break;
      case doc_kind::group:
        push_parts(stack, top, top.indent, top.flat);
        break;
      case doc_kind::nest:
      case doc_kind::sequence:
        push_parts(stack, top, top.indent, top.flat);
        break;
    }
  }
  return false;
}

void break_line(std::string& out, unsigned indent) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
  out.append(indent, ' ');
}

}  // namespace

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string lay_out(const doc& document, unsigned indent, unsigned width) {
  std::string out;
  std::size_t column = indent;
  pieces stack{{&document, indent, false}};
  while (!stack.empty()) {
    const piece top = stack.back();
    stack.pop_back();
    const doc& d = *top.what;
    const bool breaks = d.kind == doc_kind::hard || (!top.flat && (d.kind == doc_kind::line || d.kind == doc_kind::soft));
    if (breaks) {
      break_line(out, top.indent);
      column = top.indent;
    } else if (d.kind == doc_kind::text || d.kind == doc_kind::line) {
      const std::string text = d.kind == doc_kind::line ? " " : d.text;
      out += text;
      column += columns(text);
    } else if (d.kind == doc_kind::group) {
      const piece flat{&d, top.indent, true};
      const bool on_one_line = top.flat || fits(flat, stack, static_cast<long>(width) - static_cast<long>(column));
      push_parts(stack, top, top.indent, on_one_line);
    } else if (d.kind != doc_kind::soft) {
      push_parts(stack, top, top.indent + d.indent, top.flat);
    }
  }
  return out;
}

}  // namespace quiesce::language::format_detail
