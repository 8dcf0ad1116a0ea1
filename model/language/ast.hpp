// SPDX-License-Identifier: MIT
#pragma once
// Models and claims as written: what the grammar builds and the formatter prints. Nothing is resolved. MANUAL.md sections 2-5, 9.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "properties/property.hpp"

namespace quiesce::ast {

struct anchor {        // @kernel("file", function, "version" calls NAME, NAME), or @at NAME in front of a statement
  source_range where;
  std::string file;
  std::string function;
  std::string version;  // empty: the variant's
  std::vector<std::string> calls;   // of the function that the step stands for, in this order
  std::string label;    // then the rest is empty
};

enum class statement_kind {
  skip,
  assign,          // target := value[0]
  let,             // let name [: type[0]] := value[0]
  head,            // head name : text
  call,            // text(args)                      also list, lock, set, queue, timer statements
  assign_call,     // target := call text(args)       target is a NAME
  let_call,        // let name := call text(args)
  if_,             // value[0]; body; otherwise (an `else if` is one nested if_ in otherwise)
  while_,          // value[0]; body
  repeat,          // value[0]; body
  for_,            // name in [live|snapshot] value[0] [where value[1]]; body
  for_all,         // binders [where value[0]]; body holds assignments
  list_for_each,       // name in value[0]; body
  list_for_each_safe,  // the same
  choose,          // choose name : type[0] [where value[0]]
  either,          // branches
  wait_until,      // value[0]
  assert_,         // value[0] [text]
  atomic,          // body
  idle,
  return_,         // [value[0]]
  break_,
  continue_,
  notify,          // text(args)
  emit,            // text(args)
  span,            // text(args) body
  perform,         // text(args); an argument may be expr_kind::any
  sleep            // value[0]
};

enum class iteration { plain, live, snapshot };

struct statement {
  statement_kind kind = statement_kind::skip;
  source_range where;
  std::optional<anchor> at;
  std::string name;
  std::string text;
  std::vector<type_expr> type;
  std::vector<expr> target;      // assign, assign_call: one (expr_kind::name or apply)
  std::vector<expr> value;
  std::vector<expr> args;
  std::vector<binder> binders;   // for_all
  iteration iterate = iteration::plain;
  std::vector<statement> body;
  std::vector<statement> otherwise;
  bool has_otherwise = false;
  std::vector<std::vector<statement>> branches;  // either
};

struct import_decl { source_range where; std::vector<std::string> names; };

struct sort_extra { source_range where; std::string name; std::string over; };  // over empty: a named element
struct sort_decl { source_range where; std::string name; std::vector<sort_extra> extras; std::int64_t standard = 0; };  // 0: the scope must give it

struct enum_decl { source_range where; std::string name; std::vector<std::string> labels; };

struct option_decl {
  source_range where;
  std::string name;
  type_expr type;
  expr value;
  bool orthogonal = false;
  std::string sentence;
};

struct bound_decl {
  source_range where;
  std::string name;
  std::int64_t low = 0, high = 0, value = 0;
  std::string sentence;
};

struct option_setting { source_range where; std::string name; expr value; };
struct variant_decl {
  source_range where;
  std::string name;
  std::string base;            // empty: none
  std::vector<option_setting> settings;
  std::string sentence;
  std::string source;
  std::string kernel;          // version, for anchors
  evidence proof;
};

struct time_decl { source_range where; bool urgent = false; std::int64_t horizon = 0; };

// var and rigid
struct variable_decl {
  source_range where;
  std::string name;
  bool rigid = false;
  std::vector<std::string> index;
  type_expr type;
  std::string guard;               // empty: none
  std::vector<expr> initial;       // one (expr_kind::any for `= any`), or none
  std::vector<expr> filter;        // the `where`: one, or none
};

struct node_decl { source_range where; std::string name; std::string sort; std::string guard; };
struct list_decl { source_range where; std::string name; std::string node; std::string guard; };
struct lock_decl { source_range where; std::string name; bool spin = false; std::string sort; };
struct timer_decl { source_range where; std::string name; std::string sort; };
struct init_decl { source_range where; std::vector<statement> body; };
struct ghost_init_decl { source_range where; std::string name; std::vector<std::string> params; expr value; };

enum class param_kind { value, reference, event };
struct param { source_range where; std::string name; param_kind kind = param_kind::value; std::vector<type_expr> type; std::string node; };

struct procedure_decl {
  source_range where;
  std::string name;
  std::vector<param> params;
  std::vector<type_expr> result;      // one, or none
  std::vector<expr> recursive;        // one, or none
  std::optional<anchor> at;
  std::vector<statement> body;
};

struct handler_clause {
  source_range where;
  std::string event;                  // empty: `other`
  std::vector<std::string> params;    // may be "_"
  std::vector<statement> body;
};
struct handler_decl {
  source_range where;
  std::string name;
  std::int64_t priority = 0;
  std::vector<expr> when;             // one, or none
  std::optional<anchor> at;
  std::vector<handler_clause> clauses;
};

struct process_decl {
  source_range where;
  std::string name;
  std::vector<param> params;          // none or one
  bool softirq = false;
  std::vector<expr> cpu;              // `on e`: one, or none
  std::string timer;                  // `expiry of t`: its name
  std::optional<anchor> at;
  std::vector<statement> body;
};

struct operation_decl {
  source_range where;
  std::string name;
  std::vector<param> params;
  std::optional<anchor> at;
  std::vector<statement> begin;
  std::vector<expr> requires_;        // one, or none
  std::vector<statement> otherwise;
  std::vector<statement> body;
};

struct environment_decl {
  source_range where;
  std::string name;
  std::string sentence;
  std::vector<process_decl> processes;
  std::vector<procedure_decl> procedures;
};

using item = std::variant<import_decl, sort_decl, enum_decl, option_decl, bound_decl, variant_decl, time_decl, variable_decl,
                          node_decl, list_decl, lock_decl, timer_decl, init_decl, ghost_init_decl, procedure_decl, handler_decl,
                          process_decl, operation_decl, environment_decl>;

struct model {
  source_range where;   // of the name
  bool library = false;
  std::string name;
  std::string sentence;
  std::vector<item> items;
};

enum class expectation { holds, violated, unknown, vacuous, deadlock };

inline constexpr std::int64_t any_number = -1;  // in a scope: `any`
struct named_integer { source_range where; std::string name; std::int64_t value = 0; };

struct claim {
  source_range where;   // of the name
  std::string name;
  std::string sentence;
  std::string model, variant, environment, property, method;
  std::vector<option_setting> with;
  std::vector<named_integer> scope;
  expectation expect = expectation::holds;
  evidence proof;
  std::vector<std::string> bugs;       // HB4, ...: of the list in model/netdev/README.md
  std::string because;
};

struct claim_file { std::vector<claim> claims; };

}  // namespace quiesce::ast
