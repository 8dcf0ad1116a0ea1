// SPDX-License-Identifier: MIT
#pragma once
// What the grammars of text lines share. Only for the observers' sources: it includes Boost.Spirit.

#include <boost/range/iterator_range.hpp>
#include <boost/spirit/home/x3.hpp>
#include <cstdint>
#include <string_view>

namespace quiesce::observe::grammar {

namespace x3 = boost::spirit::x3;
using x3::char_;
using x3::lit;

using iterator = const char*;
using text_range = boost::iterator_range<iterator>;

inline std::string_view view(const text_range& r) {
  return r.begin() ? std::string_view{r.begin(), static_cast<std::size_t>(r.end() - r.begin())} : std::string_view{};
}

const auto number = x3::ulong_long;
// As isspace() has it, without asking it for each character.
const auto white = char_(" \t\n\v\f\r");
// For any byte: those of the library's own classes are not to be asked about bytes beyond ASCII.
const auto blank = char_(" \t");
const auto digit = char_("0-9");
const auto xdigit = char_("0-9a-fA-F");
const auto word = x3::raw[+(char_ - white)];

// A beginning of the text fits.
template <typename Grammar, typename... Out>
bool matches(std::string_view text, const Grammar& grammar, Out&... out) {
  iterator first = text.data();
  return x3::parse(first, first + text.size(), grammar, out...);
}

// Of the digits behind a point, in 10⁻⁹; further digits are left out.
inline std::int64_t fraction_of(std::string_view digits) {
  std::int64_t fraction = 0, scale = 1'000'000'000;
  for (char c : digits)
    if (scale > 1) fraction = fraction * 10 + (c - '0'), scale /= 10;
  return fraction * scale;
}

}  // namespace quiesce::observe::grammar
