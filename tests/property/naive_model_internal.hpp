// SPDX-License-Identifier: MIT
#pragma once
// The reader behind explore_model: what naive_model.cpp (statements) and naive_expression.cpp (values) share.

#include <algorithm>
#include <deque>
#include <functional>
#include <stdexcept>

#include "tests/property/naive_model.hpp"

namespace quiesce::test::naive {

using ek = ast::expr_kind;
using sk = ast::statement_kind;
using locals = std::map<std::string, cell_value>;

struct failure {
  std::string error;
};  // a run-time error of the model

constexpr std::size_t most_moves = 20000;  // in the steps of one state

struct range {
  std::int64_t low = 0, high = 0;
};

// What is left to do, innermost last.
struct task {
  enum class kind {
    block,
    while_,
    repeat,
    sort_loop,
    set_loop,
    sequence_loop,
    arguments,
    call,
    atomic,
    branch
  } what = kind::block;
  const std::vector<ast::statement>* body = nullptr;
  const ast::statement* st = nullptr;
  std::size_t at = 0;     // block: next statement; arguments: next argument; sequence_loop: next member
  std::int64_t left = 0;  // repeat: turns; loops over sets: members to come, or, live, members visited
  cell_value members;     // sequence_loop over a copy
  locals saved;           // call: locals of the caller; arguments: what is bound so far
  std::string name;       // call: of the procedure
  bool entered = false;
  auto operator<=>(const task&) const = default;
};

struct process_state {
  std::vector<task> todo;
  locals names;
  cell_value result;
  bool ended = false;
  auto operator<=>(const process_state&) const = default;
};

struct state {
  std::map<std::string, std::vector<cell_value>> globals;
  std::vector<process_state> processes;
  auto operator<=>(const state&) const = default;
};

struct instance_of {
  const ast::process_decl* decl;
  std::int64_t me;
};

class naive_model {
 public:
  naive_model(const ast::model& m, bool early) : model_(m), early_(early) { declare(); }
  naive_outcomes explore(std::size_t most);

 private:
  const ast::model& model_;
  bool early_;
  std::map<std::string, std::int64_t> sorts_;
  std::map<std::string, std::int64_t> elements_;
  std::map<std::string, const ast::variable_decl*> variables_;
  std::set<std::string> mutexes_;
  std::map<std::string, const ast::procedure_decl*> procedures_;
  std::vector<instance_of> instances_;
  state first_;
  naive_outcomes out_;
  std::vector<state> next_;  // of the state being expanded
  std::size_t moves_ = 0;
  bool moved_ = false;  // it has a step, be it one that ends in an error
  std::size_t who_ = 0;

  void declare();
  void declare(const ast::variable_decl&);
  range range_of(const ast::type_expr&) const;
  std::int64_t constant(const ast::expr& e) const { return e.kind == ek::unary ? -constant(e.args[0]) : e.value; }
  cell_value least(const ast::type_expr&) const;
  std::vector<std::int64_t> values(const ast::type_expr&) const;

  // Expressions on a state.
  struct view {
    const state& s;
    const locals& names;
  };
  cell_value eval(const ast::expr&, const view&) const;
  std::int64_t number(const ast::expr& e, const view& v) const { return eval(e, v).at(0); }
  cell_value apply(const ast::expr&, const view&) const;
  std::int64_t binary(const ast::expr&, const view&) const;
  std::int64_t quantified(const ast::expr&, const view&) const;
  std::vector<std::int64_t> domain(const ast::binder&, const view&) const;
  bool is_sequence(const ast::expr&, const view&) const;
  std::size_t cell_of(const ast::expr&, const view&) const;

  bool shared(const ast::expr&) const;
  void check_guards(const ast::expr&, const state&) const;
  void check_range(const ast::type_expr&, const cell_value&) const;
  bool holds(const std::string& mutex, const state& s) const {
    return s.globals.at(mutex)[0][0] == static_cast<std::int64_t>(who_) + 1;
  }

  // Steps. `done`: the step has done something visible; the path goes on until the next thing that is.
  void run(state, bool done);
  bool statement(state&, bool& done, const ast::statement&);
  bool advance(state&, bool& done);
  void leave(state&, bool& done, const std::function<bool(const task&)>& until, bool including);
  bool visible(state&, bool& done);
  bool loop_turn(state&, bool& done, std::vector<std::int64_t> members, bool is_visible);
  bool arguments(state&, bool& done);
  void finish_call(state&, const ast::statement&, const cell_value&);
  void assign(state&, const ast::expr& target, cell_value);
  bool writes_global(const ast::expr& target) const { return variables_.count(target.text) != 0; }
  bool test(state&, bool& done, const ast::expr&, bool& holds);
  void append(state&, const ast::statement&);
  void for_all(state&, const ast::statement&);
  bool lock(state&, const ast::statement&);
  bool atomic(const state& s) const {
    return std::any_of(me(s).todo.begin(), me(s).todo.end(), [](const task& t) { return t.what == task::kind::atomic; });
  }
  process_state& me(state& s) const { return s.processes[who_]; }
  const process_state& me(const state& s) const { return s.processes[who_]; }
  view see(const state& s) const { return {s, me(s).names}; }
  static void push_block(process_state& p, const std::vector<ast::statement>& body) {
    task t;
    t.body = &body;
    p.todo.push_back(t);
  }
  void expand(const state&);
};

}  // namespace quiesce::test::naive
