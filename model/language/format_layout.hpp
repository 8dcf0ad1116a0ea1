// SPDX-License-Identifier: MIT
#pragma once
// The lines of a formatted file: what the tree says, with the comments and blank lines of the source in between.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/language/format_doc.hpp"

namespace quiesce::language::format_detail {

struct source_token {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t match = 0;  // brackets: number of the partner, else its own number
};
struct source_comment {
  std::uint32_t begin = 0;
  bool own_line = false;
  std::string text;  // from `#`, without blanks at its end
};

// Tokens and comments of a text that parses. Empty for a tree without text: then every look-up gives `nowhere`.
class source_layout {
 public:
  source_layout() = default;
  explicit source_layout(std::string_view text);

  std::string_view text;
  std::vector<source_token> tokens;
  std::vector<source_comment> comments;

  std::uint32_t token_at(std::uint32_t offset) const;                     // the first token at or behind it
  std::uint32_t find(std::string_view word, std::uint32_t offset) const;  // the first such token at or behind offset
  std::string_view word(std::uint32_t token) const;
  std::uint32_t begin(std::uint32_t token) const;
  std::uint32_t end(std::uint32_t token) const;
  std::uint32_t match(std::uint32_t token) const;
  bool blank_line_between(std::uint32_t from, std::uint32_t to) const;  // only white space and one empty line somewhere
  bool comment_between(std::uint32_t from, std::uint32_t to) const;
};
inline constexpr std::uint32_t nowhere = 0xffffffffu;

class writer {
 public:
  explicit writer(const source_layout& source) : source_(source) {}

  // One head, statement or closing brace, which the source has at [begin, end). Comments before it come first; those inside
  // it move in front of it.
  void unit(std::uint32_t begin, std::uint32_t end, const doc& what);
  void close(std::uint32_t begin, std::uint32_t end,
             const doc& what);  // the same for `}`: comments before it belong to the block
  void enter() {
    indent_ += 2;
    at_start_ = true;
  }
  void separate() { separate_ = true; }  // a blank line before whatever comes next
  void leave() { indent_ -= 2; }
  std::string finish();
  unsigned indent() const { return indent_; }
  const source_layout& source() const { return source_; }
  std::uint32_t previous_end() const { return previous_end_; }

 private:
  void comments_before(std::uint32_t offset, bool inside);
  void begin_line(std::uint32_t begin);
  const source_layout& source_;
  std::string out_;
  unsigned indent_ = 0;
  std::size_t next_comment_ = 0;
  std::uint32_t previous_end_ = 0;
  bool at_start_ = true, separate_ = false, line_has_comment_ = false;
};

}  // namespace quiesce::language::format_detail
