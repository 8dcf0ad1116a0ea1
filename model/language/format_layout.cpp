// SPDX-License-Identifier: MIT
#include "model/language/format_layout.hpp"

#include <algorithm>

#include "model/language/lexical.hpp"

namespace quiesce::language::format_detail {
namespace {

std::uint32_t offset_of(std::string_view text, const char* at) { return static_cast<std::uint32_t>(at - text.data()); }

source_comment read_comment(std::string_view text, const char* at) {
  const char* end = std::find(at, text.data() + text.size(), '\n');
  while (end > at && grammar::is_blank(end[-1])) --end;
  const char* before = at;
  while (before > text.data() && grammar::is_blank(before[-1]) && before[-1] != '\n') --before;
  return {offset_of(text, at), before == text.data() || before[-1] == '\n', std::string(at, end)};
}

void pair_brackets(std::string_view text, std::vector<source_token>& tokens) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    tokens[i].match = i;
    const char c = text[tokens[i].begin];
    if (tokens[i].end != tokens[i].begin + 1) continue;
    if (c == '(' || c == '[' || c == '{') open.push_back(i);
    if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
      tokens[i].match = open.back();
      tokens[open.back()].match = i;
      open.pop_back();
    }
  }
}

// A string token may hold escaped quotes, which grammar::token_end does not look at.
const char* end_of_token(const char* at, const char* last) {
  if (*at != '"') return grammar::token_end(at, last);
  for (++at; at != last && *at != '"'; ++at)
    if (*at == '\\' && at + 1 != last) ++at;
  return at == last ? at : at + 1;
}

}  // namespace

source_layout::source_layout(std::string_view whole) : text(whole) {
  const char* last = text.data() + text.size();
  for (const char* at = text.data(); at != last;) {
    if (grammar::is_blank(*at)) {
      ++at;
    } else if (*at == '#') {
      comments.push_back(read_comment(text, at));
      at = std::find(at, last, '\n');
    } else {
      const char* end = end_of_token(at, last);
      tokens.push_back({offset_of(text, at), offset_of(text, end), 0});
      at = end;
    }
  }
  pair_brackets(text, tokens);
}

std::uint32_t source_layout::token_at(std::uint32_t offset) const {
  const auto found = std::lower_bound(tokens.begin(), tokens.end(), offset,
                                      [](const source_token& t, std::uint32_t o) { return t.begin < o; });
  return found == tokens.end() ? nowhere : static_cast<std::uint32_t>(found - tokens.begin());
}
std::uint32_t source_layout::find(std::string_view wanted, std::uint32_t offset) const {
  for (std::uint32_t i = token_at(offset); i < tokens.size(); ++i)
    if (word(i) == wanted) return i;
  return nowhere;
}
std::string_view source_layout::word(std::uint32_t token) const {
  return token >= tokens.size() ? std::string_view()
                                : text.substr(tokens[token].begin, tokens[token].end - tokens[token].begin);
}
std::uint32_t source_layout::begin(std::uint32_t token) const { return token >= tokens.size() ? 0 : tokens[token].begin; }
std::uint32_t source_layout::end(std::uint32_t token) const { return token >= tokens.size() ? 0 : tokens[token].end; }
std::uint32_t source_layout::match(std::uint32_t token) const {
  return token >= tokens.size() ? nowhere : tokens[token].match;
}

bool source_layout::blank_line_between(std::uint32_t from, std::uint32_t to) const {
  unsigned breaks = 0;
  for (std::uint32_t i = from; i < std::min<std::size_t>(to, text.size()); ++i) {
    if (text[i] == '\n' && ++breaks == 2) return true;
    if (!grammar::is_blank(text[i])) breaks = 0;
  }
  return false;
}
bool source_layout::comment_between(std::uint32_t from, std::uint32_t to) const {
  return std::any_of(comments.begin(), comments.end(),
                     [&](const source_comment& c) { return c.begin >= from && c.begin < to; });
}

// One blank line where the source has some; none at the start of a block.
void writer::begin_line(std::uint32_t begin) {
  const bool wanted = separate_ || (!at_start_ && source_.blank_line_between(previous_end_, begin));
  if (wanted && !out_.empty()) out_ += '\n';
  separate_ = at_start_ = line_has_comment_ = false;
  out_.append(indent_, ' ');
}

void writer::comments_before(std::uint32_t offset, bool inside) {
  for (; next_comment_ < source_.comments.size() && source_.comments[next_comment_].begin < offset; ++next_comment_) {
    const source_comment& comment = source_.comments[next_comment_];
    if (!comment.own_line && !inside && !line_has_comment_ && !out_.empty()) {
      out_.insert(out_.size() - 1, "  " + comment.text);
      line_has_comment_ = true;
    } else {
      begin_line(comment.begin);
      out_ += comment.text + '\n';
    }
    previous_end_ = comment.begin + static_cast<std::uint32_t>(comment.text.size());
  }
}

void writer::unit(std::uint32_t begin, std::uint32_t end, const doc& what) {
  comments_before(begin, false);
  comments_before(end, true);
  begin_line(begin);
  out_ += lay_out(what, indent_, page_width) + '\n';
  previous_end_ = std::max(previous_end_, end);
}

void writer::close(std::uint32_t begin, std::uint32_t end, const doc& what) {
  comments_before(begin, false);
  comments_before(end, true);
  leave();
  at_start_ = true;  // no blank line before a closing brace
  begin_line(begin);
  out_ += lay_out(what, indent_, page_width) + '\n';
  previous_end_ = std::max(previous_end_, end);
}

std::string writer::finish() {
  comments_before(nowhere, false);
  return std::move(out_);
}

}  // namespace quiesce::language::format_detail
