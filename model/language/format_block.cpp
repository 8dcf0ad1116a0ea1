// SPDX-License-Identifier: MIT
#include "model/language/format_block.hpp"

#include <algorithm>

namespace quiesce::language::format_detail {
namespace {

using ast::statement;
using ast::statement_kind;

bool has_body(statement_kind kind) {
  switch (kind) {
    case statement_kind::if_:
    case statement_kind::either:
    case statement_kind::while_:
    case statement_kind::repeat:
    case statement_kind::for_:
    case statement_kind::for_all:
    case statement_kind::list_for_each:
    case statement_kind::list_for_each_safe:
    case statement_kind::atomic:
    case statement_kind::span:
      return true;
    default:
      return false;
  }
}

doc anchored(const statement& s, doc head) { return s.at ? group(join(anchor(*s.at), line(), std::move(head))) : head; }

// A block that other text follows on the line of its closing brace: the caller writes that.
std::uint32_t open_block(writer& w, std::uint32_t begin, std::uint32_t behind, const doc& head,
                         const std::vector<statement>& body, bool continues) {
  const std::uint32_t open = w.source().find("{", behind);
  const doc line_of_head = join(head, " {");
  if (continues)
    w.close(begin, w.source().end(open), line_of_head);
  else
    w.unit(begin, w.source().end(open), line_of_head);
  w.enter();
  statements(w, body);
  return w.source().match(open);
}

bool is_empty(const writer& w, std::uint32_t open, const std::vector<statement>& body) {
  const source_layout& source = w.source();
  return body.empty() && !source.comment_between(source.end(open), source.begin(source.match(open)));
}

// One statement without a body and without comments stays on the line of its head if there is room: if c { f(x); }
bool stays_on_line(const writer& w, std::uint32_t open, const doc& head, const std::vector<statement>& body, doc& whole) {
  if (body.size() != 1 || body[0].at || has_body(body[0].kind)) return false;
  if (w.source().comment_between(w.source().end(open), w.source().begin(w.source().match(open)))) return false;
  whole = join(head, " { ", statement_head(body[0]), "; }");
  const std::string text = lay_out(whole, w.indent(), page_width);
  return text.find('\n') == std::string::npos && columns(text) + w.indent() <= page_width;
}

// The last block of a chain; `continues` if the head begins with the closing brace of the one before.
void last_block(writer& w, std::uint32_t begin, std::uint32_t behind, const doc& head, const std::vector<statement>& body,
                bool continues) {
  const std::uint32_t open = w.source().find("{", behind);
  const std::uint32_t close = w.source().match(open);
  doc whole;
  if (!continues && stays_on_line(w, open, head, body, whole)) {
    w.unit(begin, w.source().end(close), whole);
  } else if (!is_empty(w, open, body)) {
    open_block(w, begin, behind, head, body, continues);
    w.close(w.source().begin(close), w.source().end(close), "}");
  } else if (continues) {
    w.close(begin, w.source().end(close), join(head, " { }"));
  } else {
    w.unit(begin, w.source().end(close), join(head, " { }"));
  }
}

void if_chain(writer& w, const statement& s, std::uint32_t begin, const doc& prefix, bool continues) {
  const doc head = join(prefix, statement_head(s));
  const std::uint32_t behind = s.value[0].where.end;
  if (!s.has_otherwise) return last_block(w, begin, behind, head, s.body, continues);
  const std::uint32_t close = open_block(w, begin, behind, head, s.body, continues);
  const bool nested_if = s.otherwise.size() == 1 && s.otherwise[0].kind == statement_kind::if_ && !s.otherwise[0].at;
  const std::uint32_t from = w.source().begin(close);
  if (nested_if)
    if_chain(w, s.otherwise[0], from, "} else ", true);
  else
    last_block(w, from, w.source().end(close), "} else", s.otherwise, true);
}

void either(writer& w, const statement& s) {
  std::uint32_t begin = s.where.begin;
  std::uint32_t behind = s.at ? s.at->where.end : begin;
  doc head = anchored(s, "either");
  for (std::size_t i = 0; i + 1 < s.branches.size(); ++i) {
    const std::uint32_t close = open_block(w, begin, behind, head, s.branches[i], i > 0);
    begin = w.source().begin(close);
    behind = w.source().end(close);
    head = "} or";
  }
  last_block(w, begin, behind, head, s.branches.back(), true);
}

// Behind everything of the head that may hold a brace of its own.
std::uint32_t behind_head(const statement& s) {
  std::uint32_t behind = s.at ? s.at->where.end : s.where.begin;
  for (const auto* list : {&s.value, &s.args})
    for (const ast::expr& e : *list) behind = std::max(behind, e.where.end);
  for (const ast::binder& b : s.binders) behind = std::max(behind, b.where.end);
  return behind;
}

}  // namespace

std::uint32_t block(writer& w, std::uint32_t begin, std::uint32_t behind, const doc& head,
                    const std::vector<statement>& body) {
  last_block(w, begin, behind, head, body, false);
  return w.source().end(w.source().match(w.source().find("{", behind)));
}

void statements(writer& w, const std::vector<statement>& list) {
  for (const statement& s : list) {
    if (s.kind == statement_kind::if_)
      if_chain(w, s, s.where.begin, s.at ? join(anchor(*s.at), " ") : doc(), false);
    else if (s.kind == statement_kind::either)
      either(w, s);
    else if (has_body(s.kind))
      block(w, s.where.begin, behind_head(s), anchored(s, statement_head(s)), s.body);
    else
      w.unit(s.where.begin, s.where.end, anchored(s, join(statement_head(s), ";")));
  }
}

}  // namespace quiesce::language::format_detail
