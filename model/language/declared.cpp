// SPDX-License-Identifier: MIT
#include "model/language/declared.hpp"

#include "model/language/lexical.hpp"

namespace quiesce::language {

std::vector<declared_name> declared_names(const source_set& sources, std::uint32_t file, std::string_view keyword) {
  const std::string_view text = sources.text(file);
  const grammar::iterator base = text.data(), end = base + text.size();
  std::vector<declared_name> found;
  bool named = false;  // the token before was the keyword
  for (grammar::iterator at = grammar::skip_blanks(base, end); at != end;) {
    const grammar::iterator behind = grammar::token_end(at, end);
    const std::string_view token(at, static_cast<std::size_t>(behind - at));
    if (named && grammar::begins_word(*at))
      found.push_back(
          {std::string(token), {file, static_cast<std::uint32_t>(at - base), static_cast<std::uint32_t>(behind - base)}});
    named = token == keyword;
    at = grammar::skip_blanks(behind, end);
  }
  return found;
}

}  // namespace quiesce::language
