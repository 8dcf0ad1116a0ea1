// SPDX-License-Identifier: MIT
#pragma once
// Tokens as X3 parsers, and the state that travels in the parse context.
//
// Every token skips blanks first and leaves the iterator where it was if it does not match. So an iterator always stands
// directly behind the last token that was read, and every range that a rule covers is exact.

#include <boost/spirit/home/x3.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/diagnostic.hpp"

namespace quiesce::language::grammar {

namespace x3 = boost::spirit::x3;
using iterator = const char*;

inline constexpr unsigned nesting_limit = 200;

struct state {
  std::uint32_t file = 0;
  iterator base = nullptr;
  iterator end = nullptr;
  unsigned depth = 0;                        // of nested expressions, types and blocks around the current place
  std::vector<iterator> open;                // braces that are not closed yet
  mutable iterator reserved_name = nullptr;  // the last keyword found where a name could stand
  source_range range(iterator from, iterator to) const {
    return {file, static_cast<std::uint32_t>(from - base), static_cast<std::uint32_t>(to - base)};
  }
};
struct state_tag;

[[noreturn]] void refuse(const state&, iterator from, iterator to, std::string sentence, std::string hint = {});
[[noreturn]] void refuse_nesting(const state&, iterator at);

bool is_reserved(std::string_view word);
bool is_blank(char c);
bool begins_word(char c);
bool continues_word(char c);
iterator skip_blanks(iterator first, iterator last);
iterator word_end(iterator first, iterator last);      // first if no word begins there
iterator operator_end(iterator first, iterator last);  // longest operator or punctuation; first if there is none
iterator token_end(iterator first, iterator last);     // any token; a single character that is none is one too

// Read a token at `first` (no blanks before it). They return false if it is of another kind and refuse it if it is
// malformed.
bool read_integer(const state&, iterator& first, iterator last, std::int64_t& value);
bool read_string(const state&, iterator& first, iterator last, std::string& value);
bool read_infix(iterator& first, iterator last, bool arithmetic, std::string& value);

// White space, and `#` to the end of the line.
struct blank_parser : x3::parser<blank_parser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;
  template <class Context, class RContext, class Attribute>
  bool parse(iterator& first, const iterator& last, const Context&, RContext&, Attribute&) const {
    iterator behind = skip_blanks(first, last);
    return behind == first ? false : (first = behind, true);
  }
};

inline constexpr blank_parser blanks{};
using context_type = x3::context<state_tag, state, x3::phrase_parse_context<blank_parser>::type>;

// What stands behind `>` says in its error what was expected: "expected " + as.
template <class Derived, class Attribute>
struct token : x3::parser<Derived> {
  using attribute_type = Attribute;
  static constexpr bool has_attribute = !std::is_same_v<Attribute, x3::unused_type>;
  static constexpr bool handles_container = false;
  const char* as;
  constexpr explicit token(const char* expected) : as(expected) {}

  template <class Context, class RContext, class Target>
  bool parse(iterator& first, const iterator& last, const Context& context, RContext&, Target& target) const {
    iterator at = skip_blanks(first, last);
    attribute_type value{};
    if (at == last || !this->derived().read(x3::get<state_tag>(context), at, last, value)) return false;
    if constexpr (has_attribute && !std::is_same_v<std::remove_const_t<Target>, x3::unused_type>) target = std::move(value);
    first = at;
    return true;
  }
};

struct word_token : token<word_token, x3::unused_type> {
  std::string_view text;
  constexpr word_token(const char* word, const char* expected) : token(expected), text(word) {}
  bool read(const state&, iterator& at, iterator last, x3::unused_type) const {
    iterator behind = word_end(at, last);
    if (std::string_view(at, behind) != text) return false;
    at = behind;
    return true;
  }
};
struct symbol_token : token<symbol_token, x3::unused_type> {
  std::string_view text;
  constexpr symbol_token(const char* symbol, const char* expected) : token(expected), text(symbol) {}
  bool read(const state&, iterator& at, iterator last, x3::unused_type) const {
    iterator behind = operator_end(at, last);
    if (std::string_view(at, behind) != text) return false;
    at = behind;
    return true;
  }
};
// The `>` that closes a type, also directly before `=`.
struct closing_angle : token<closing_angle, x3::unused_type> {
  constexpr closing_angle() : token("'>' to close the type") {}
  bool read(const state&, iterator& at, iterator, x3::unused_type) const { return *at == '>' && ++at; }
};
struct name_token : token<name_token, std::string> {
  using token::token;
  bool read(const state& s, iterator& at, iterator last, std::string& value) const {
    iterator behind = word_end(at, last);
    if (behind == at) return false;
    if (is_reserved({at, static_cast<std::size_t>(behind - at)})) return s.reserved_name = at, false;
    value.assign(at, behind);
    at = behind;
    return true;
  }
};
struct integer_token : token<integer_token, std::int64_t> {
  using token::token;
  bool read(const state& s, iterator& at, iterator last, std::int64_t& value) const {
    return read_integer(s, at, last, value);
  }
};
struct string_token : token<string_token, std::string> {
  using token::token;
  bool read(const state& s, iterator& at, iterator last, std::string& value) const {
    return read_string(s, at, last, value);
  }
};
struct infix_token : token<infix_token, std::string> {
  bool arithmetic;  // + - * only
  constexpr explicit infix_token(bool only_arithmetic) : token("an operator"), arithmetic(only_arithmetic) {}
  bool read(const state&, iterator& at, iterator last, std::string& value) const {
    return read_infix(at, last, arithmetic, value);
  }
};
// A `;` directly behind a `}`: allowed and meaningless.
struct stray_token : token<stray_token, x3::unused_type> {
  constexpr stray_token() : token("';'") {}
  template <class Context, class RContext, class Target>
  bool parse(iterator& first, const iterator& last, const Context& context, RContext&, Target&) const {
    iterator at = skip_blanks(first, last);
    if (first == x3::get<state_tag>(context).base || first[-1] != '}' || at == last || *at != ';') return false;
    first = at + 1;
    return true;
  }
};
// The end of the file, behind blanks.
struct end_token : x3::parser<end_token> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;
  const char* as;
  constexpr explicit end_token(const char* expected) : as(expected) {}
  template <class Context, class RContext, class Target>
  bool parse(iterator& first, const iterator& last, const Context&, RContext&, Target&) const {
    return skip_blanks(first, last) == last;
  }
};

constexpr word_token kw(const char* word, const char* expected = "") { return {word, expected}; }
constexpr symbol_token sym(const char* symbol, const char* expected = "") { return {symbol, expected}; }
constexpr name_token name(const char* expected = "a name") { return name_token(expected); }
constexpr integer_token integer(const char* expected = "an integer") { return integer_token(expected); }
constexpr string_token text(const char* expected = "a string in double quotes") { return string_token(expected); }
inline constexpr stray_token stray{};

// nested[p]: one level deeper; refuses what is nested too deeply.
template <class Subject>
struct nested_directive : x3::unary_parser<Subject, nested_directive<Subject>> {
  using base_type = x3::unary_parser<Subject, nested_directive<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  constexpr explicit nested_directive(const Subject& subject) : base_type(subject) {}
  template <class Context, class RContext, class Attribute>
  bool parse(iterator& first, const iterator& last, const Context& context, RContext& rcontext, Attribute& attribute) const {
    state& s = x3::get<state_tag>(context);
    if (s.depth == nesting_limit) refuse_nesting(s, skip_blanks(first, last));
    ++s.depth;
    bool found = this->subject.parse(first, last, context, rcontext, attribute);
    --s.depth;
    return found;
  }
};
struct nested_gen {
  template <class Subject>
  constexpr auto operator[](const Subject& subject) const {
    return nested_directive<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject));
  }
};
inline constexpr nested_gen nested{};

// braces("what", "inside")[p]: { p }. What is expected before the closing brace is `inside`.
template <class Subject>
struct braces_directive : x3::unary_parser<Subject, braces_directive<Subject>> {
  using base_type = x3::unary_parser<Subject, braces_directive<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  const char* as;
  const char* inside;
  constexpr braces_directive(const Subject& subject, const char* expected, const char* within)
      : base_type(subject), as(expected), inside(within) {}
  template <class Context, class RContext, class Attribute>
  bool parse(iterator& first, const iterator& last, const Context& context, RContext& rcontext, Attribute& attribute) const {
    iterator at = skip_blanks(first, last);
    if (at == last || *at != '{') return false;
    state& s = x3::get<state_tag>(context);
    s.open.push_back(at);
    first = at + 1;
    this->subject.parse(first, last, context, rcontext, attribute);
    at = skip_blanks(first, last);
    if (at == last || *at != '}') throw x3::expectation_failure<iterator>(first, inside);
    first = at + 1;
    s.open.pop_back();
    return true;
  }
};
struct braces {
  const char* as;
  const char* inside;
  template <class Subject>
  constexpr auto operator[](const Subject& subject) const {
    using parser = typename x3::extension::as_parser<Subject>::value_type;
    return braces_directive<parser>(x3::as_parser(subject), as, inside);
  }
};

// separated(",")[p]: p, p, …: at least one. Behind a separator another one must follow.
template <class Subject>
struct separated_directive : x3::unary_parser<Subject, separated_directive<Subject>> {
  using base_type = x3::unary_parser<Subject, separated_directive<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  symbol_token separator;
  constexpr separated_directive(const Subject& subject, const char* by) : base_type(subject), separator(by, "") {}
  template <class Context, class RContext, class Attribute>
  bool parse(iterator& first, const iterator& last, const Context& context, RContext& rcontext, Attribute&) const {
    if (!this->subject.parse(first, last, context, rcontext, x3::unused)) return false;
    while (separator.parse(first, last, context, x3::unused, x3::unused))
      if (!this->subject.parse(first, last, context, rcontext, x3::unused))
        throw x3::expectation_failure<iterator>(first,
                                                x3::what(this->subject) + " after '" + std::string(separator.text) + "'");
    return true;
  }
};
struct separated {
  const char* by;
  template <class Subject>
  constexpr auto operator[](const Subject& subject) const {
    return separated_directive<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject), by);
  }
};
inline constexpr separated commas{","};

// as("an item")[p]: p with a description of its own for errors.
template <class Subject>
struct described_directive : x3::unary_parser<Subject, described_directive<Subject>> {
  using base_type = x3::unary_parser<Subject, described_directive<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  const char* as;
  constexpr described_directive(const Subject& subject, const char* expected) : base_type(subject), as(expected) {}
  template <class Context, class RContext, class Attribute>
  bool parse(iterator& first, const iterator& last, const Context& context, RContext& rcontext, Attribute& attribute) const {
    return this->subject.parse(first, last, context, rcontext, attribute);
  }
};
struct as {
  const char* text;
  constexpr explicit as(const char* expected) : text(expected) {}
  template <class Subject>
  constexpr auto operator[](const Subject& subject) const {
    return described_directive<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject), text);
  }
};

// Semantic actions: put<&T::m> assigns to a member of the rule's attribute, push<&T::m> appends, mark<&T::m, v> sets a
// constant.
template <auto Member>
struct put_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).*Member = std::move(x3::_attr(context));
  }
};
template <auto Member>
struct push_action {
  template <class Context>
  void operator()(const Context& context) const {
    (x3::_val(context).*Member).push_back(std::move(x3::_attr(context)));
  }
};
template <auto Member, auto Value>
struct mark_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context).*Member = Value;
  }
};
template <auto Member>
inline constexpr put_action<Member> put{};
template <auto Member>
inline constexpr push_action<Member> push{};
template <auto Member, auto Value>
inline constexpr mark_action<Member, Value> mark{};
struct become_action {
  template <class Context>
  void operator()(const Context& context) const {
    x3::_val(context) = std::move(x3::_attr(context));
  }
};
inline constexpr become_action become{};

// located[p]: the `where` of the rule's attribute becomes exactly the text that p matches.
template <class Subject>
struct located_directive : x3::unary_parser<Subject, located_directive<Subject>> {
  using base_type = x3::unary_parser<Subject, located_directive<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;
  constexpr explicit located_directive(const Subject& subject) : base_type(subject) {}
  template <class Context, class Node, class Attribute>
  bool parse(iterator& first, const iterator& last, const Context& context, Node& node, Attribute& attribute) const {
    const state& s = x3::get<state_tag>(context);
    iterator begin = skip_blanks(first, last);
    node.where = s.range(begin, begin);
    if (!this->subject.parse(first, last, context, node, attribute)) return false;
    node.where = s.range(begin, first);
    return true;
  }
};
struct located_gen {
  template <class Subject>
  constexpr auto operator[](const Subject& subject) const {
    return located_directive<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject));
  }
};
inline constexpr located_gen located{};

}  // namespace quiesce::language::grammar

namespace boost::spirit::x3 {
template <class T>
requires requires(const T& t) {
  { t.as } -> std::convertible_to<const char*>;
}
struct get_info<T> {
  using result_type = std::string;
  std::string operator()(const T& parser) const { return parser.as; }
};
template <class Subject>
struct get_info<quiesce::language::grammar::separated_directive<Subject>> {
  using result_type = std::string;
  std::string operator()(const quiesce::language::grammar::separated_directive<Subject>& parser) const {
    return what(parser.subject);
  }
};
template <class Subject, class Action>
struct get_info<action<Subject, Action>> {
  using result_type = std::string;
  std::string operator()(const action<Subject, Action>& parser) const { return what(parser.subject); }
};
}  // namespace boost::spirit::x3
