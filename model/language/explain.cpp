// SPDX-License-Identifier: MIT
#include "model/language/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace quiesce::language::grammar {
namespace {

struct advice {
  const char* found;   // the token at the place of the error; "" for any
  const char* wanted;  // part of the description of what was expected; "" for any
  const char* hint;
};
constexpr const char* equality = "equality is written '=='";
constexpr const char* variant_order = "behind a variant come its sentence, 'source', 'evidence' and 'kernel', in this order";
constexpr const char* property_order =
    "behind the sentence come 'rule', 'status', 'evidence', 'model' and 'for all', in this order";
constexpr const char* claim_order =
    "behind the sentence come 'model', 'variant', 'with', 'environment', 'property', 'scope', 'method', 'expect', "
    "'evidence', 'bug' and 'because', in this order";
// The first that fits is given.
constexpr std::array advices = {
    advice{"=", ":=", "an assignment is written ':='"},
    advice{":=", "'='", "an initial value is written '=', an assignment in a block ':='"},
    advice{"=", "'{' to open", equality},
    advice{"=", "condition", equality},
    advice{"=", "assertion", equality},
    advice{"=", "after the assignment", equality},
    advice{"=", "after the argument", equality},
    advice{"=", "'return'", equality},
    advice{"=", "')'", equality},
    advice{"=", "other branch", equality},
    advice{"=", "bound variables", equality},
    advice{"=", "after the property", equality},
    advice{"=", "to close the s", equality},
    advice{"&", "", "'and' is written '&&'"},
    advice{"|", "", "'or' is written '||'; '|' stands between events"},
    advice{"and", "", "'and' is written '&&'"},
    advice{"not", "", "'not' is written '!'"},
    advice{"/", "", "comments begin with '#', and there is no division"},
    advice{"%", "", "there is no division and no remainder"},
    advice{"'", "", "strings are in double quotes"},
    advice{"earlier", "", "'earlier' follows an event with its arguments: EVENT(a, b) earlier"},
    advice{"since", "", "'since' stands between two events with their arguments: P(a) since Q(a)"},
    advice{"when", "",
           "inside an expression the condition of an event stands in parentheses: EVENT(a) when (condition) earlier"},
    advice{"call", "expression", "a call is a statement of its own: let x := call f(a);"},
    advice{"any", "a number", "a claim is about one finite scope: give a number"},
    advice{"any", "e", "'any' stands only as an argument of 'perform' and as an initial value"},
    advice{"else", "statement", "'else' stands directly behind the '}' of its 'if'"},
    advice{"or", "statement", "'or' stands directly behind the '}' of a branch of 'either'"},
    advice{"or", "'{'", "'or' between conditions is written '||'"},
    advice{"or", "';'", "'or' between conditions is written '||'"},
    advice{"where", "bound variables", "the 'for all' of a property takes no 'where': use 'when' behind an event, or '=>'"},
    advice{"where", "filter", "a filter is written '[NAME in SEQUENCE where CONDITION]'"},
    advice{"}", "a declaration", "this '}' closes nothing"},
    advice{"source", "a declaration", variant_order},
    advice{"evidence", "a declaration", variant_order},
    advice{"kernel", "a declaration", variant_order},
    advice{"rule", "the property says", property_order},
    advice{"status", "the property says", property_order},
    advice{"evidence", "the property says", property_order},
    advice{"vocabulary", "a property", "a file holds at most one vocabulary, at its beginning"},
    advice{"event", "a property", "events are declared in the vocabulary, before the properties"},
    advice{"ghost", "a property", "ghost variables are declared in the vocabulary, before the properties"},
    advice{"span", "a property", "spans are declared in the vocabulary, before the properties"},
    advice{"sort", "a property", "sorts are declared in the vocabulary, before the properties"},
    advice{"model", "'vocabulary'", "this begins like a model; models are in files named *.model"},
    advice{"library", "'vocabulary'", "this begins like a library; libraries are in files named *.model"},
    advice{"vocabulary", "'model'", "this begins like a vocabulary; vocabularies are in files named *.prop"},
    advice{"property", "'model'", "this begins like a property; properties are in files named *.prop"},
    advice{"with", "after the sort", "a sort of the vocabulary has no named elements; models declare them"},
    advice{":", "after the type", "an event and a span list types only: event E(dev, net) \"…\";"},
    advice{":", "')' after the name", "only names stand here; their types are known"},
    advice{",", "after the instance", "a process has at most one parameter"},
    advice{";", "after the label", "labels are separated by ','"},
    advice{",", "after the setting", "settings end with ';'"},
    advice{"", "and its name", claim_order},
    advice{"", "'scope' and sizes", claim_order},
};

constexpr std::array statement_words = {"assert",
                                        "atomic",
                                        "break",
                                        "choose",
                                        "continue",
                                        "either",
                                        "emit",
                                        "for",
                                        "head",
                                        "idle",
                                        "if",
                                        "let",
                                        "notify",
                                        "perform",
                                        "repeat",
                                        "return",
                                        "skip",
                                        "sleep",
                                        "span",
                                        "wait",
                                        "while",
                                        "list_for_each_entry",
                                        "list_for_each_entry_safe"};
constexpr std::array declaration_words = {
    "bound",  "enum", "environment", "ghost_init", "handler", "import", "init",     "list", "mutex", "node", "operation",
    "option", "proc", "process",     "rigid",      "softirq", "sort",   "spinlock", "time", "timer", "var",  "variant"};
// Words of other languages.
constexpr std::array<std::pair<const char*, const char*>, 12> foreign = {{{"foreach", "for"},
                                                                          {"function", "proc"},
                                                                          {"fn", "proc"},
                                                                          {"def", "proc"},
                                                                          {"func", "proc"},
                                                                          {"const", "bound"},
                                                                          {"include", "import"},
                                                                          {"variable", "var"},
                                                                          {"await", "wait"},
                                                                          {"loop", "while"},
                                                                          {"do", "while"},
                                                                          {"elif", "if"}}};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

template <class Words>
std::string nearest(std::string_view word, const Words& words) {
  for (const auto& [alien, known] : foreign)
    if (word == alien && std::find(words.begin(), words.end(), std::string_view(known)) != words.end())
      return fmt::format("did you mean '{}'?", known);
  if (word.size() > 40) return {};
  std::string_view best;
  std::size_t distance = word.size() <= 4 ? 2 : 3;  // must be less
  for (std::string_view candidate : words)
    if (const std::size_t d = edit_distance(word, candidate); d < distance) best = candidate, distance = d;
  return best.empty() ? std::string() : fmt::format("did you mean '{}'?", best);
}

std::string advise(std::string_view found, std::string_view wanted) {
  for (const advice& a : advices)
    if ((*a.found == '\0' || found == a.found) && wanted.find(a.wanted) != std::string_view::npos) return a.hint;
  return {};
}

std::string opened_at(const state& s) {
  if (s.open.empty()) return {};
  const iterator brace = s.open.back();
  const auto line = std::count(s.base, brace, '\n') + 1;
  iterator start = brace;
  while (start != s.base && start[-1] != '\n') --start;
  return fmt::format("the '{{' in line {}, column {} is not closed", line, brace - start + 1);
}

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What is wrong with a word that begins nothing, or with a keyword at the wrong level; an empty sentence if that isn't the
// problem.
std::pair<std::string, std::string> misplaced(const state& s, std::string_view found, const std::string& wanted) {
  if (wanted == "a statement or '}'" && contains(declaration_words, found))
    return {fmt::format("'{}' begins a declaration, not a statement", found),
            found == "var" ? "a local variable is declared by 'let NAME := VALUE;'"
                           : "declarations stand outside of blocks, and " + opened_at(s)};
  if (wanted != "a declaration" || found.empty() || !begins_word(found.front())) return {};
  if (contains(statement_words, found))
    return {fmt::format("'{}' begins a statement, not a declaration", found),
            "statements stand inside procedures, processes and operations"};
  if (is_reserved(found) || found == "source" || found == "kernel") return {};
  return {fmt::format("'{}' does not begin a declaration", found), nearest(found, declaration_words)};
}

std::string_view word_before(const state& s, iterator at) {
  iterator begin = at;
  while (begin != s.base && continues_word(begin[-1])) --begin;
  return {begin, static_cast<std::size_t>(at - begin)};
}

// A name stands where a statement should begin, and neither `:=` nor `(` follows it.
diagnostic unknown_statement(const state& s, iterator at, std::string_view found) {
  const std::string_view word = word_before(s, at);
  const source_range where = s.range(word.data(), at);
  if (found == ";")
    return diagnostic(where, fmt::format("expected ':=' or '(' after '{}'", word),
                      fmt::format("a procedure is called with parentheses: {}();", word));
  std::string hint = nearest(word, statement_words);
  if (hint.empty()) hint = "a statement is 'NAME := VALUE;', 'NAME(ARGUMENTS);' or begins with a keyword";
  return diagnostic(where, fmt::format("'{}' does not begin a statement", word), hint);
}

// Is what was expected the beginning of a new part, rather than something that belonged to the last token?
bool begins_part(const std::string& wanted) {
  return (wanted[0] == '\'' && begins_word(wanted[1])) || wanted == "a declaration" || wanted == "a property" ||
         wanted == "a claim" || wanted.starts_with("what the property says");
}

// Behind the last token if what is missing belonged there: at the end of a line or of the file.
source_range place(const state& s, iterator at, iterator found, const std::string& wanted) {
  const bool complete = at == s.base || at[-1] == ';' || at[-1] == '}' || at[-1] == '{' || begins_part(wanted);
  const bool other_line = std::find(at, found, '\n') != found;
  if (found == s.end || (other_line && !complete)) return s.range(at, at);
  return s.range(found, token_end(found, s.end));
}

}  // namespace

diagnostic explain(const state& s, iterator at, const std::string& wanted) {
  const iterator begin = skip_blanks(at, s.end);
  const std::string_view found(begin, static_cast<std::size_t>(token_end(begin, s.end) - begin));
  const source_range where = place(s, at, begin, wanted);
  if (begin == s.end) return diagnostic(where, fmt::format("expected {}, but the file ends", wanted), opened_at(s));
  if (wanted.find("name that begins a statement") != std::string::npos && found != "=")
    return unknown_statement(s, at, found);
  if (auto [sentence, hint] = misplaced(s, found, wanted); !sentence.empty()) return diagnostic(where, sentence, hint);
  std::string hint = advise(found, wanted);
  if (hint.empty() && word_before(s, at) == "not") hint = "'not' is written '!'";
  if (hint.empty() && s.reserved_name == begin) hint = fmt::format("'{}' is a keyword, so it cannot be a name", found);
  return diagnostic(where, fmt::format("expected {}", wanted), hint);
}

}  // namespace quiesce::language::grammar
