// SPDX-License-Identifier: MIT
#pragma once
// Expressions and types as written, shared by properties and models. Nothing is resolved here: names are text.
// model/language/MANUAL.md section 6 gives the grammar.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "properties/source_range.hpp"

namespace quiesce::ast {

struct expr;
struct event_pattern;

// A type as written. `text` is the name for `named`; `args` the inner type; `low`, `high`, `capacity` are expressions because
// they may name options, bounds and size(SORT).
enum class type_kind { boolean, range, named, labels, option, set, seq, queue, process, event };
struct type_expr {
  type_kind kind = type_kind::boolean;
  source_range where;
  std::string text;                 // named
  std::vector<std::string> labels;  // labels: an inline enumeration
  std::vector<type_expr> args;      // option, set, seq, queue: one
  std::vector<expr> bounds;         // range: low, high; seq: capacity or nothing
};

// x: T  or  x in e
struct binder {
  source_range where;
  std::string name;
  std::vector<type_expr> type;    // one, or none
  std::vector<expr> domain;       // one, or none
};

enum class expr_kind {
  boolean,      // value 0 or 1
  integer,      // value
  none,         // none
  wildcard,     // _   (argument of a pattern; `any` argument of perform is `any`)
  any,          // any (argument of perform, initialiser)
  name,         // text
  apply,        // text(args)
  member,       // args[0].text
  index,        // args[0][args[1]]
  unary,        // text: ! -
  binary,       // text: && || => <=> == != < <= > >= + - * in
  conditional,  // args[0] ? args[1] : args[2]
  quantified,   // text: all some count; binders; args[0] body; args[1] the `where`, if any
  is_named,     // args[0] is text
  set_literal,  // { args }
  seq_literal,  // [ args ]
  set_filter,   // { binders[0] where args[0] }   binder with a type
  seq_filter,   // [ binders[0] where args[0] ]   binder with a domain
  earlier,      // patterns[0..] earlier
  since,        // patterns[0] since patterns[1..]
  count_events  // count patterns[0..]
};

struct expr {
  expr_kind kind = expr_kind::boolean;
  source_range where;
  std::string text;
  std::int64_t value = 0;
  std::vector<expr> args;
  std::vector<binder> binders;
  std::vector<event_pattern> patterns;  // `since`: first is P, the rest are Q
};

enum class placement { anywhere, in, within };

// EV(args) [in r | within r] [when cond]
struct event_pattern {
  source_range where;
  std::string event;
  std::vector<expr> args;
  placement place = placement::anywhere;
  std::string span;          // the span variable of `in`, `within`
  std::vector<expr> when;    // one, or none
};

}  // namespace quiesce::ast
