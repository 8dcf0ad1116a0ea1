// SPDX-License-Identifier: MIT
#include "model/language/lexical.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace quiesce::language::grammar {
namespace {

constexpr auto reserved = std::to_array<std::string_view>(
    {"after",   "all",     "any",       "assert",   "at",          "atomic",     "begin",     "bool",     "bound",
     "break",   "by",      "call",      "choose",   "claim",       "continue",   "count",     "earlier",  "either",
     "else",    "emit",    "end",       "enum",     "environment", "error",      "event",     "evidence", "expect",
     "false",   "for",     "free",      "ghost",    "ghost_init",  "guarded",    "handler",   "head",     "idle",
     "if",      "import",  "in",        "init",     "invariant",   "is",         "let",       "library",  "list",
     "live",    "model",   "most",      "mutex",    "never",       "no",         "node",      "none",     "notify",
     "of",      "on",      "operation", "option",   "or",          "orthogonal", "otherwise", "perform",  "priority",
     "proc",    "process", "property",  "proposed", "queue",       "recursive",  "repeat",    "required", "requires",
     "return",  "rigid",   "rule",      "seq",      "set",         "since",      "skip",      "sleep",    "snapshot",
     "softirq", "some",    "sometimes", "sort",     "span",        "spinlock",   "status",    "time",     "timer",
     "true",    "until",   "urgent",    "var",      "variant",     "vocabulary", "wait",      "when",     "where",
     "while",   "with",    "within"});

// Those of one first character stand together, the longest first.
constexpr auto operators = std::to_array<std::string_view>(
    {"<=>", "<=", "<", "==", "=>", "=", "!=", "!", ">=", ">", "&&", "&", "||", "|", ":=", ":", "->", "-", "..", ".",
     "+", "*", "?", ";", ",", "(", ")", "[", "]", "{", "}", "@"});

struct operator_range {
  std::size_t from = 0, to = 0;
};
constexpr std::array<operator_range, 128> operators_of = [] {
  std::array<operator_range, 128> out{};
  for (std::size_t i = 0; i != operators.size(); ++i) {
    operator_range& r = out[static_cast<unsigned char>(operators[i][0])];
    if (r.to == 0) r.from = i;
    r.to = i + 1;
  }
  return out;
}();
constexpr std::array infix = {"<=>", "=>", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void refuse(const state& s, iterator from, iterator to, std::string sentence, std::string hint) {
  throw diagnostic(s.range(from, to), std::move(sentence), std::move(hint));
}
void refuse_nesting(const state& s, iterator at) {
  refuse(s, at, token_end(at, s.end), "this is nested more than " + std::to_string(nesting_limit) + " levels deep");
}

bool is_reserved(std::string_view word) { return std::binary_search(reserved.begin(), reserved.end(), word); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return begins_word(c) || is_digit(c); }

iterator skip_blanks(iterator first, iterator last) {
  for (;; ++first) {
    if (first != last && *first == '#') first = std::find(first, last, '\n');
    if (first == last || !is_blank(*first)) return first;
  }
}
iterator word_end(iterator first, iterator last) {
  return first == last || !begins_word(*first) ? first : std::find_if_not(first, last, continues_word);
}
iterator operator_end(iterator first, iterator last) {
  if (first == last || static_cast<unsigned char>(*first) >= 128) return first;
  const auto [from, to] = operators_of[static_cast<unsigned char>(*first)];
  std::string_view rest(first, static_cast<std::size_t>(last - first));
  for (std::size_t i = from; i != to; ++i)
    if (rest.starts_with(operators[i])) return first + operators[i].size();
  return first;
}
iterator token_end(iterator first, iterator last) {
  if (first == last) return first;
  if (continues_word(*first)) return std::find_if_not(first, last, continues_word);
  if (iterator behind = operator_end(first, last); behind != first) return behind;
  if (*first == '"') {
    iterator close = first + 1;
    while (close != last && *close != '"' && *close != '\n')
      close += *close == '\\' && close + 1 != last && close[1] != '\n' ? 2 : 1;
    return close != last && *close == '"' ? close + 1 : close;
  }
  for (++first; first != last && (static_cast<unsigned char>(*first) & 0xc0) == 0x80;)
    ++first;  // the rest of a UTF-8 character
  return first;
}

bool read_integer(const state& s, iterator& first, iterator last, std::int64_t& value) {
  if (!is_digit(*first)) return false;
  iterator end = std::find_if_not(first, last, continues_word);
  if (!std::all_of(first, end, is_digit))
    refuse(s, first, end, "this is neither an integer nor a name", "a name begins with a letter");
  value = 0;
  for (iterator i = first; i != end; ++i) {
    if (value > (std::numeric_limits<std::int64_t>::max() - (*i - '0')) / 10)
      refuse(s, first, end, "this integer does not fit into 64 bits", "the largest is 9223372036854775807");
    value = value * 10 + (*i - '0');
  }
  first = end;
  return true;
}

bool read_string(const state& s, iterator& first, iterator last, std::string& value) {
  if (*first != '"') return false;
  iterator i = first + 1;
  for (; i != last && *i != '"' && *i != '\n'; ++i) {
    if (*i == '\\') {
      if (i + 1 == last || (i[1] != '"' && i[1] != '\\'))
        refuse(s, i, i + 1, "a backslash in a string stands only before '\"' or '\\'", "write '\\\\' for a backslash");
      ++i;
    }
    value += *i;
  }
  if (i == last || *i == '\n') refuse(s, first, i, "this string is not closed on its line", "a string ends with '\"'");
  first = i + 1;
  return true;
}

bool read_infix(iterator& first, iterator last, bool arithmetic, std::string& value) {
  iterator end = operator_end(first, last);
  std::string_view found(first, static_cast<std::size_t>(end - first));
  bool known = std::find(infix.begin(), infix.end(), found) != infix.end();
  if (found.empty()) {
    end = word_end(first, last);
    found = {first, static_cast<std::size_t>(end - first)};
    known = found == "in";
  }
  if (!known || (arithmetic && found != "+" && found != "-" && found != "*")) return false;
  value = found;
  first = end;
  return true;
}

}  // namespace quiesce::language::grammar
