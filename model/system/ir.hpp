// SPDX-License-Identifier: MIT
#pragma once
// The lowered system: what a model becomes for one variant and one finite scope. Flat, first-order, no names to resolve.
//
// A process template is one array of instructions. Some of them are `stop`s: the places where a process can be between
// two steps. A step starts behind the stop where the process stands and runs until the next `stop`, `error` or `bound`;
// a false `await` means that there is no such step; `choose` makes several. Monitors of properties are ordinary
// instructions behind the `emit` that they watch, so every engine that runs the code checks the properties too.
//
//   values     Boolean 0/1; integer: itself; enumeration: label number; element: its number in the sort;
//              option: 0 none, else 1 + code of the inner value; set: bit i is element i (sorts of at most 64).
//   code       what is stored: value - low for integers, the value for all else.
//   variable   a table of values over up to 3 sorts; element (i, j, k) is slot first_slot + (i*size1 + j)*size2 + k.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "properties/source_range.hpp"

namespace quiesce::ir {

using sort_id = std::uint32_t;
using type_id = std::uint32_t;
using variable_id = std::uint32_t;
using expr_id = std::uint32_t;
using temp_id = std::uint16_t;
inline constexpr std::uint32_t nothing = 0xffffffffu;

// Where an element comes from, so that exchanging elements of a base sort tells how every derived element moves:
// lo(n) moves with n, the list node of n with n, the stack head of task t's frame with t. Two elements are exchanged by a
// permutation iff they have the same `constructor` and `over` and their `of` are. `over` == nothing: never moves.
// An interchangeable element of a counted sort is its own base: constructor 0, over = its sort, of = itself.
struct element_origin {
  std::uint32_t constructor = 0;
  sort_id over = nothing;
  std::uint32_t of = 0;
};

// `lo` of `sort dev with lo(net)`, where the scope gives no size: one element for each of `over`, different from all others.
struct constructor {
  std::string name;
  sort_id over = nothing;
};

// Of an unbounded sort only the first elements have numbers: those that the model names, at least one. There may be any number
// of others. A closed sort has its numbered elements and those that its constructors make, and no others.
struct sort {
  std::string name;
  bool counted = false;                    // a sort of the model whose size the scope gives
  bool unbounded = false;
  bool closed = false;
  std::vector<constructor> constructors;   // only in a parametrised program
  std::vector<std::string> element;        // printed names; element.size() is the size
  std::vector<element_origin> origin;      // one for each element
};

enum class type_kind : std::uint8_t { boolean, integer, enumeration, element, option, set };
struct type {
  type_kind kind = type_kind::boolean;
  std::int64_t low = 0, high = 1;          // integer
  std::vector<std::string> labels;         // enumeration
  sort_id sort = nothing;                  // element, set
  type_id inner = nothing;                 // option
};

enum class variable_kind : std::uint8_t { global, rigid, local, pc, ghost, monitor, hidden };
struct variable {
  std::string name;                        // as a user would write it; locals: procedure.name
  type_id type = 0;
  std::vector<sort_id> index;              // 0..3 sorts; a local's first is its template's sort, if any
  variable_kind kind = variable_kind::global;
  std::uint32_t owner = nothing;           // local, pc: the template
  std::uint32_t first_slot = 0;            // set by layout
};

enum class op : std::uint8_t {
  constant,    // value
  load,        // var[kids...]
  temp,        // temp
  not_, negate,
  and_, or_, implies,                                   // evaluate the right side only where it decides
  equal, not_equal, less, less_equal, add, subtract, multiply, divide, minimum, maximum,   // divide: by a positive constant, of a non-negative number
  select,      // kids[0] ? kids[1] : kids[2]
  wrap,        // T -> option<T>:  1 + kid - low(T)     type is the option
  unwrap,      // option<T> -> T:  kid - 1 + low(T)     type is T; the caller has excluded none
  contains,    // kids[0] set, kids[1] element
  singleton,   // element -> set
  unite, intersect, subtract_set,
  cardinality,
  all, some, count,   // over temp in 0..size(sort)-1: kids[0]
  collect,            // the set of temp in sort with kids[0]
  construct,          // constructor `value` of `sort`, of kids[0]; parametrised programs only, as is
  constructed         // kids[0] was made by constructor `value` of `sort`
};

struct expr {
  op code = op::constant;
  type_id type = 0;
  std::int64_t value = 0;
  variable_id var = nothing;
  temp_id temp = 0;
  sort_id sort = nothing;
  std::vector<expr_id> kids;
};

// Run-time errors end the path and are violations of their own; bounds end the path and make a verdict `unknown`.
enum class error_kind : std::uint8_t { range, list_corruption, endless_traversal, lock_misuse, value_of_none, assertion, division };
enum class bound_kind : std::uint8_t { recursion, capacity, horizon };
const char* name(error_kind);
const char* name(bound_kind);

enum class operation : std::uint8_t {
  set,        // var[index...] := a         `range` error where the value does not fit; without a, in a parametrised init: any table
  set_temp,   // temp := a
  jump,       // to target
  jump_if,    // a: to target
  await,      // false: there is no such step
  choose,     // temp := each value 0..size-1 of `sort`, or 0..count-1 where sort is nothing; ascending; of `type` if there is one
  emit,       // event(args...): for traces only
  violate,    // property `which` does not hold (where a, if there is one, is true); the path goes on
  mark,       // the trigger of property `which` has happened (vacuity); likewise
  error,      // kind `which`: the path ends
  bound,      // kind `which`: the path ends
  stuck,      // the path ends here as a deadlock of this process
  stop        // location `which`: the step ends
};

struct instruction {
  operation code = operation::stop;
  variable_id var = nothing;
  std::vector<expr_id> index;
  std::vector<expr_id> args;       // emit
  expr_id a = nothing;
  temp_id temp = 0;
  sort_id sort = nothing;
  std::uint32_t count = 0;
  std::uint32_t target = 0;
  std::uint32_t which = 0;
  std::uint32_t note = nothing;    // choose: index into program.strings, what is chosen; error: the message
  type_id type = nothing;          // choose, in a parametrised program: the type of the value that is chosen
  std::vector<std::pair<temp_id, sort_id>> each;  // set, in a parametrised program: for all these at once
  source_range where;
};

// One place of a procedure in the call path of a location, outermost first.
struct frame {
  std::string procedure;
  std::string kernel_file, kernel_function, kernel_version;  // empty: no anchor
};

struct location {
  std::uint32_t entry = 0;             // first instruction of the step
  bool resting = false;                // not deadlocked here: idle, ended, or a softirq process at its start
  bool ended = false;
  std::string statement;               // one line, for traces
  source_range where;
  std::vector<frame> path;
  std::vector<std::string> labels;     // of the statements that it is in, `@at NAME`
};

// A process: one instance for each element of `over`, or one. Temp 0 holds the instance's element (0 without `over`).
// Location 0 is where it starts. `only_when_stuck`: its steps exist only where no other process has one (time).
struct process {
  std::string name;
  sort_id over = nothing;
  bool only_when_stuck = false;
  variable_id pc = nothing;
  std::vector<instruction> code;
  std::vector<location> locations;
  std::uint16_t temps = 1;
};

struct event {
  std::string name;
  std::vector<type_id> params;
};

// Properties whose monitors are in the code (violate/mark), and state invariants to evaluate in every state.
struct checked_property {
  std::string name;
  expr_id invariant = nothing;         // state property: this must be true in every reachable state
  bool sometimes = false;              // wants `mark` (or `invariant`) to be reached; never violated
  bool has_trigger = false;            // vacuous where no `mark` of it was ever executed
  std::vector<error_kind> errors;      // `no error`: violated by these
};

// A condition of all reachable states that a proof rests on.
struct lemma {
  std::string name;
  expr_id condition = nothing;
};

// A parametrised program has a sort of unknown size or a bound without a value. Nothing runs it: its core is what is proved.
struct program {
  bool parametrised = false;
  std::vector<lemma> lemmas;
  std::vector<sort> sorts;
  std::vector<type> types;
  std::vector<variable> variables;
  std::vector<expr> exprs;
  std::vector<event> events;
  std::vector<process> processes;
  std::vector<instruction> init;       // from the all-zero-code state; ends with `stop`; may choose and await
  std::uint16_t init_temps = 1;
  std::uint16_t invariant_temps = 1;   // temps used by invariants and quantifiers of invariants
  std::vector<checked_property> properties;  // at most 64
  std::vector<std::string> strings;
};

// Width of the greatest code; 0: a type with one value.
std::uint32_t bits(const program&, type_id);
std::uint64_t max_code(const program&, type_id);   // the greatest code; also right for sets of 64 elements
std::uint64_t element_count(const program&, const variable&);
std::int64_t low(const program&, type_id);

}  // namespace quiesce::ir
