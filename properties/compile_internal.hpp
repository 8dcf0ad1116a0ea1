// SPDX-License-Identifier: MIT
#pragma once
// The parts of monitors::compile. Not for other folders.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "properties/compiled.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::monitors::detail {

inline constexpr std::int64_t no_bound = std::int64_t{1} << 40;  // the maximum of an integer whose range no type tells
inline constexpr std::int64_t largest_cap = 65535;
inline constexpr std::size_t most_keys = 4;
inline constexpr std::uint32_t unassigned = 0xffffffffu;

bool same(const value_type&, const value_type&);
std::string print(const value_type&);
value_type boolean_type();
value_type integer_type(std::int64_t low, std::int64_t high);
value_type element_type(const std::string& sort);
value_type option_of(value_type);

term constant(std::int64_t, value_type = boolean_type());
term variable(std::uint32_t index, value_type);
term apply(op, value_type, std::vector<term> kids);
term conjunction(std::vector<term>);  // the empty one is true
term negation(term);

// One name of a scope. Cell patterns have scopes of their own, numbered by first mention, so that equal patterns have equal
// numbers.
struct scope_variable {
  std::string name;
  value_type type;
  source_range where;                // of the first mention in this scope
  std::uint32_t index = unassigned;  // in the environment
  bool outer = false;                // in a cell pattern: a variable of the property around it
  bool bound = false;                // by this scope's pattern (or a quantifier)
};
struct scope_span {
  std::string name;
  int kind = -1;
  int number = -1;
  bool bound = false;
};
struct scope {
  std::vector<scope_variable> variables;
  std::vector<scope_span> spans;
  std::uint32_t size = 0;  // of the environment
  bool inside_atom = false;

  scope_variable* find(const std::string&);
  std::uint32_t mention(scope_variable&, source_range);
  std::uint32_t fresh();
};

// A term with its type. `counters` are the cells of event counts that it adds up; low, high is the range of all else in the
// sum.
struct typed {
  term code;
  value_type type;
  source_range where;
  bool none = false;  // the literal `none`, whose option type the context gives
  std::vector<std::uint32_t> counters;
  std::int64_t rest_low = 0, rest_high = 0;
};

// A pattern and the conditions that its match cannot test, because they read variables that it does not bind.
struct matched {
  pattern on;
  std::vector<term> guards;
};

class compiler {
 public:
  explicit compiler(const ast::vocabulary&);
  void add(const ast::property&);
  monitor_set finish();

 private:
  // compile_type.cpp
  value_type type_of(const ast::type_expr&) const;
  std::int64_t constant_value(const ast::expr&) const;
  void declare_events();
  void declare_event(const std::string& name, std::vector<value_type>, source_range);
  bool is_sort(const std::string&) const;

  // compile_ghost.cpp
  void declare_ghosts();
  void declare_ghost_updates();
  void order_ghost_updates();
  ghost_update compile_ghost_update(const ast::ghost_decl&, const ast::ghost_update&, std::uint32_t number);
  std::int64_t initial_value(const ast::ghost_decl&, const value_type&);
  void keep_used_ghosts();
  void note_named_ghosts(const ast::expr&);  // of a condition on the state: ghost_NAME

  // compile_term.cpp
  typed compile_expr(scope&, const ast::expr&);
  typed plain(scope&, const ast::expr&);     // refuses counts of events
  term condition(scope&, const ast::expr&);  // of type bool
  term of_type(scope&, const ast::expr&, const value_type&, const std::string& what);
  term coerce(typed, const value_type&, const std::string& what) const;
  typed name(scope&, const ast::expr&);
  typed call(scope&, const ast::expr&);
  typed ghost_read(scope&, const ast::expr&, std::uint32_t number);
  typed unary(scope&, const ast::expr&);
  typed binary(scope&, const ast::expr&);
  typed arithmetic(scope&, const ast::expr&, typed, typed) const;
  typed conditional(scope&, const ast::expr&);
  std::uint32_t find_ghost(const std::string&) const;

  // compile_relation.cpp
  typed comparison(scope&, const ast::expr&);
  typed equality(const ast::expr&, typed, typed);
  void limit_counters(const ast::expr&, typed&, typed&);
  typed membership(scope&, const ast::expr&);
  typed is_named(scope&, const ast::expr&);
  typed quantified(scope&, const ast::expr&);
  typed quantify(scope&, const ast::expr&, std::size_t from);
  std::pair<value_type, std::vector<term>> binder_type(scope&, const ast::binder&, std::uint32_t index);
  scope_span& member_span(scope&, const ast::expr&, std::string& sort);

  // compile_pattern.cpp
  matched compile_pattern(scope&, const ast::event_pattern&);
  void place(scope&, const ast::event_pattern&, pattern&);
  match bind_argument(scope&, scope_variable&, const ast::expr&, const value_type& param, std::vector<term>& conditions);
  std::uint32_t find_event(const ast::event_pattern&) const;

  // compile_cell.cpp
  typed atom(scope&, const ast::expr&);
  term read_earlier(scope&, const std::vector<ast::event_pattern>&);
  term read_since(scope&, const ast::expr&);
  term read_count(scope&, const std::vector<ast::event_pattern>&, source_range);
  struct cell_update {
    update code;
    std::vector<std::string> names;
    std::string key_types;
    int span_kind;
    std::string span_name;
  };
  cell_update compile_update(scope&, const ast::event_pattern&, action, const std::vector<std::string>* keys);
  std::vector<cell_update> compile_updates(scope&, const std::vector<ast::event_pattern>&, action);
  void exclude(scope&, const ast::event_pattern& before, const ast::event_pattern& now, matched&,
               const std::vector<value_type>&);
  term read_cell(scope&, std::uint32_t cell, const cell_update& like, source_range);
  std::uint32_t add_cell(const std::string& name, bool counter, std::vector<cell_update>);
  term since_form(scope&, const ast::event_pattern& p, const std::vector<const ast::event_pattern*>& q);
  std::uint32_t due_cell(const ast::property&, std::vector<std::string>& keys);
  term not_since_form(scope&, const ast::event_pattern& p, const ast::event_pattern& q);

  // compile.cpp
  scope property_scope(const ast::property&);
  std::vector<term> domain_guards(scope&, const ast::property&);
  void add_check(monitor&, scope, const ast::property&, const matched&, term wanted);
  void triggered(monitor&, const ast::property&, const std::vector<ast::event_pattern>&);
  term wanted_at(scope&, const ast::property&);
  void at_end(monitor&, const ast::property&);

  const ast::vocabulary& vocabulary_;
  monitor_set out_;
  std::map<std::string, std::uint32_t> event_numbers_;
  std::map<std::string, int> span_numbers_;
  std::map<std::string, std::uint32_t> cell_numbers_;  // by structure
  std::map<std::string, int> cell_names_;
  std::set<std::uint32_t> named_ghosts_;
};

std::string structure(const term&);
std::string structure(const update&);
std::string describe(const ast::event_pattern&);
// Calls f for every term in t, t included.
template <typename F>
void each_term(term& t, F&& f) {
  f(t);
  for (term& kid : t.kids) each_term(kid, f);
}
bool mentions_unbound(const scope&, const term&, std::string* name, source_range* where);

}  // namespace quiesce::monitors::detail
