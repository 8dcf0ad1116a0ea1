// SPDX-License-Identifier: MIT
#pragma once
// The event vocabulary and properties as written: what *.prop files hold. MANUAL.md sections 7 and 8.

#include <optional>
#include <string>
#include <vector>

#include "properties/expression.hpp"

namespace quiesce::ast {

// How a fact is known: V read in source, H seen in a public archive, M from memory, R reasoned, X executed.
struct evidence {
  char mark = 0;  // 0: none given
  std::string text;
};

struct vocabulary_sort {
  source_range where;
  std::string name;
};

struct event_decl {
  source_range where;       // of the name
  std::string name;
  std::vector<type_expr> params;
  std::string meaning;
  evidence proof;
};

struct span_decl {
  source_range where;
  std::string name;
  std::vector<type_expr> params;
  std::string meaning;
};

// on EV(args) : target := value
struct ghost_update {
  source_range where;
  std::string event;
  std::vector<expr> args;   // each a fresh name or _
  expr target;              // name or apply
  expr value;
};

struct ghost_decl {
  source_range where;
  std::string name;
  std::vector<std::string> index;
  type_expr type;
  expr initial;
  std::string meaning;
  std::vector<ghost_update> updates;
};

struct vocabulary {
  source_range where;
  std::string name;
  std::vector<vocabulary_sort> sorts;
  std::vector<event_decl> events;
  std::vector<span_decl> spans;
  std::vector<ghost_decl> ghosts;
};

enum class property_kind { requires_, never, after_never, at_most, at_end, invariant, sometimes, no_error, leads_to };
enum class property_status { unspecified, required, proposed };

// What a run that counts grants a process: of its steps those inside the procedure, operation, handler or labelled statement
// `place`, or all. MANUAL.md section 8.
struct fair_place {
  source_range where;
  std::string process;
  std::string place;                      // empty: anywhere
};
struct fairness {
  source_range where;
  bool strong = false;
  std::vector<fair_place> of;             // empty: every process
};

struct property {
  source_range where;  // of the name
  std::string name;
  std::string sentence;
  std::vector<std::string> rules;         // E6, O3, ... of the rule list that the file's README names
  property_status status = property_status::unspecified;
  std::string status_text;                // since which kernel, or proposed by whom
  evidence proof;
  bool on_model = false;                  // marked `model`: reads state, undecidable on a trace
  std::vector<binder> binders;
  property_kind kind = property_kind::never;
  std::vector<event_pattern> patterns;    // requires_, leads_to: triggers; never; after_never: the first list; at_most; sometimes
  std::vector<event_pattern> forbidden;   // after_never: the second list
  std::vector<event_pattern> answers;     // leads_to between events: what must follow
  std::int64_t limit = 0;                 // at_most
  std::string span;                       // at_end: the span variable
  std::vector<expr> condition;            // requires_, at_end, invariant, sometimes: one, or none; leads_to of states: two
  std::vector<fairness> fair;             // leads_to: what its runs grant; none: nothing
  std::vector<std::string> errors;        // no_error
};

// One *.prop file: a vocabulary, properties, or both.
struct property_file {
  std::vector<vocabulary> vocabularies;   // none or one
  std::vector<property> properties;
};

}  // namespace quiesce::ast
