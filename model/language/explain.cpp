// SPDX-License-Identifier: MIT
#include "model/language/explain.hpp"

namespace quiesce::language::grammar {

diagnostic explain(const state& s, iterator at, const std::string& wanted) {
  iterator found = skip_blanks(at, s.end);
  return diagnostic(s.range(found, token_end(found, s.end)), "expected " + wanted);
}

}  // namespace quiesce::language::grammar
