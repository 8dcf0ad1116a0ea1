// SPDX-License-Identifier: MIT
#pragma once
// Compiled monitors: what a property becomes, for a model's state as well as for a stream of events.
//
// A monitor has cells (flags and saturating counters, tables over elements, one copy per open span where a span variable keys
// them), updates of cells, and checks. At one event, in this order: all checks are evaluated on the cells and ghosts as they were
// before the event; then the matching cell updates are applied (to the values before the event), then the ghost updates. So
// "earlier" means strictly before. Identical cells of different properties are one cell.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "properties/property.hpp"

namespace quiesce::monitors {

enum class value_kind : std::uint8_t { boolean, integer, element, option, set };
struct value_type {
  value_kind kind = value_kind::boolean;
  std::int64_t low = 0, high = 1;         // integer
  std::string sort;                       // element, set
  std::vector<value_type> inner;          // option: one
};

struct event { std::string name; std::vector<value_type> params; };   // includes <span>_begin and <span>_end
struct span_kind { std::string name; std::vector<value_type> params; std::uint32_t begin = 0, end = 0; };  // event numbers

// A span's begin event has the span's parameters, its end event has none. Both belong to the span themselves: it is the innermost
// open one when their checks and updates run, with cells at 0 at its begin.
//
// Values: Boolean 0/1, integer itself, element its number, option 0 = none else 1 + value, set: see span_argument.
enum class op : std::uint8_t {
  constant,       // value
  named,          // a named element of a sort, by text (init_net); lo(n): kids[0]
  variable,       // bound variable number `index`
  cell,           // cell `index` at kids; `span`: number of the span variable whose copy is read, or -1
  ghost,          // ghost `index` at kids
  in_span,        // kids[0] is a member of the first argument (a set) of the span bound to span variable `span`
  outermost,      // the span bound to span variable `span` is not nested in another open span of its kind (of its process)
  innermost,      // no other open span of its kind (of its process) is nested in the span bound to span variable `span`
  not_, and_, or_, implies, equal, not_equal, less, less_equal, add, subtract, multiply,
  select,         // kids[0] ? kids[1] : kids[2]
  is_none, value_of, wrap,
  all, some, count   // over variable `index` of type `type`: kids[0]
};
struct term {
  op code = op::constant;
  std::int64_t value = 0;
  std::uint32_t index = 0;
  int span = -1;
  std::string text;
  value_type type;
  std::vector<term> kids;
};

struct cell {
  std::string name;                  // unique; says which pattern it follows
  bool counter = false;              // else a flag
  std::int64_t cap = 1;              // a counter stops counting here: one above what any condition can tell apart
  std::vector<value_type> keys;
  int span = -1;                     // kind number of the span that has its own copy, or -1. Starts at 0 when the span begins.
};

// One argument of a pattern: anything, a fresh binding of a variable, or a value to be equal to.
enum class match_kind : std::uint8_t { any, bind, bind_inner, equal };  // bind_inner: option not none, binds the inner value
struct match { match_kind kind = match_kind::any; std::uint32_t variable = 0; term value; };

enum class span_match : std::uint8_t { none, innermost, enclosing };
struct pattern {
  std::uint32_t event = 0;
  std::vector<match> args;
  span_match place = span_match::none;
  int span_kind = -1;                // innermost: the innermost open span must be of this kind; enclosing: each open one of it
  int span_variable = -1;            // which span variable it binds
  std::vector<term> when;            // none or one
};

enum class action : std::uint8_t { set, clear, increment };
// Updates are listed so that applying the matching ones one after another, each reading what the others before it left, is the same
// as applying all to the values before the event: a `when` reads only cells that are updated later. Of two
// updates of one entry at one event the later in the list wins.
struct update {
  pattern on;
  std::uint32_t cell = 0;
  std::vector<std::uint32_t> keys;   // variables that give the cell's keys, bound by the pattern or listed in `free`
  // Only for `clear`: every entry whose other keys match is cleared. `when` may mention these variables.
  std::vector<std::pair<std::uint32_t, value_type>> free;
  action act = action::set;
  std::uint32_t variables = 0;       // size of the environment of variables
};

struct ghost {
  std::string name;
  std::vector<value_type> index;
  value_type type;
  std::int64_t initial = 0;
};
// Listed so that doing the matching ones one after another is the same as doing them at once.
struct ghost_update {
  pattern on;
  std::uint32_t ghost = 0;
  std::vector<term> index;
  term value;
  std::uint32_t variables = 0;
};

// At a matching event: every unbound variable of `free` ranges over its sort; `condition` must be true.
struct check {
  pattern on;                        // at_end: event = the span's end event, place innermost
  std::vector<std::pair<std::uint32_t, value_type>> free;
  term condition;                    // `never`: constant 0
  std::uint32_t variables = 0;
};

struct monitor {
  const ast::property* source = nullptr;
  std::vector<check> checks;         // empty for invariant, no_error
  bool sometimes = false;            // a check that matches with a true condition is what is wanted
  // leads_to between events: the flag that is set while an answer is due, or -1, and the variables that are its keys. Its checks
  // never fail: they only tell that the trigger has happened.
  int due = -1;
  std::vector<std::string> due_for;
};

struct monitor_set {
  std::vector<event> events;
  std::vector<span_kind> spans;
  std::vector<ghost> ghosts;             // only those used
  std::vector<ghost_update> ghost_updates;
  std::vector<cell> cells;
  std::vector<update> updates;
  std::vector<monitor> monitors;         // in the order of the properties given; state properties have no checks
};

// Types and compiles. `named` elements (init_net) and constructors (lo) are accepted by name. Throws diagnostic with the place:
// unknown event, wrong number or type of arguments, unbound or unknown variable, a span variable that no pattern binds, ...
// An argument or `when` of a pattern inside an atom is evaluated at the event that it matches, on the values before that event.
// State properties (invariant, sometimes EXPR) are passed through unchecked: the model's type checker reads them.
monitor_set compile(const ast::vocabulary&, const std::vector<const ast::property*>&);

}  // namespace quiesce::monitors
