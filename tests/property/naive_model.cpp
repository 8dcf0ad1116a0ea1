// SPDX-License-Identifier: MIT
#include "tests/property/naive_model.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <stdexcept>

namespace quiesce::test {
namespace {

using ek = ast::expr_kind;
using sk = ast::statement_kind;
using locals = std::map<std::string, cell_value>;

struct failure { std::string error; };   // a run-time error of the model

constexpr std::size_t most_moves = 20000;   // in the steps of one state

struct range { std::int64_t low = 0, high = 0; };

// What is left to do, innermost last.
struct task {
  enum class kind { block, while_, repeat, sort_loop, set_loop, sequence_loop, arguments, call, atomic, branch } what = kind::block;
  const std::vector<ast::statement>* body = nullptr;
  const ast::statement* st = nullptr;
  std::size_t at = 0;              // block: next statement; arguments: next argument; sequence_loop: next member
  std::int64_t left = 0;           // repeat: turns; loops over sets: members to come, or, live, members visited
  cell_value members;             // sequence_loop over a copy
  locals saved;                    // call: locals of the caller; arguments: what is bound so far
  std::string name;                // call: of the procedure
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

struct instance_of { const ast::process_decl* decl; std::int64_t me; };

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
  std::vector<state> next_;       // of the state being expanded
  std::size_t moves_ = 0;
  bool moved_ = false;            // it has a step, be it one that ends in an error
  std::size_t who_ = 0;

  void declare();
  void declare(const ast::variable_decl&);
  range range_of(const ast::type_expr&) const;
  std::int64_t constant(const ast::expr& e) const { return e.kind == ek::unary ? -constant(e.args[0]) : e.value; }
  cell_value least(const ast::type_expr&) const;
  std::vector<std::int64_t> values(const ast::type_expr&) const;

  // Expressions on a state.
  struct view { const state& s; const locals& names; };
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
  bool holds(const std::string& mutex, const state& s) const { return s.globals.at(mutex)[0][0] == static_cast<std::int64_t>(who_) + 1; }

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

// --- declarations ----------------------------------------------------------------------------------------------------------

range naive_model::range_of(const ast::type_expr& t) const {
  switch (t.kind) {
    case ast::type_kind::boolean: return {0, 1};
    case ast::type_kind::range: return {constant(t.bounds[0]), constant(t.bounds[1])};
    case ast::type_kind::named: return {0, sorts_.at(t.text) - 1};
    case ast::type_kind::option: return {-1, range_of(t.args[0]).high};
    case ast::type_kind::set: return {0, (std::int64_t{1} << sorts_.at(t.args[0].text)) - 1};
    default: throw std::logic_error("a type that random models do not have");
  }
}

cell_value naive_model::least(const ast::type_expr& t) const {
  if (t.kind == ast::type_kind::seq || t.kind == ast::type_kind::queue) return {};
  return {range_of(t).low};
}

std::vector<std::int64_t> naive_model::values(const ast::type_expr& t) const {
  std::vector<std::int64_t> all;
  for (std::int64_t v = range_of(t).low; v <= range_of(t).high; ++v) all.push_back(v);
  return all;
}

void naive_model::declare(const ast::variable_decl& d) {
  variables_[d.name] = &d;
  std::size_t cells = 1;
  for (const auto& s : d.index) cells *= static_cast<std::size_t>(sorts_.at(s));
  const cell_value start = d.initial.empty() ? least(d.type) : cell_value{d.initial[0].value};   // random models start with literals
  first_.globals[d.name] = std::vector<cell_value>(cells, start);
}

void naive_model::declare() {
  for (const auto& item : model_.items) {
    if (const auto* d = std::get_if<ast::sort_decl>(&item)) {
      sorts_[d->name] = d->standard;
      for (const auto& x : d->extras) elements_.emplace(x.name, static_cast<std::int64_t>(elements_.size()));
    }
    if (const auto* d = std::get_if<ast::procedure_decl>(&item)) procedures_[d->name] = d;
    if (const auto* d = std::get_if<ast::lock_decl>(&item)) {
      mutexes_.insert(d->name);
      first_.globals[d->name] = {{0}};
    }
  }
  for (const auto& item : model_.items) {
    if (const auto* d = std::get_if<ast::variable_decl>(&item)) declare(*d);
    const auto* p = std::get_if<ast::process_decl>(&item);
    if (!p) continue;
    const std::int64_t n = p->params.empty() ? 1 : sorts_.at(p->params[0].type[0].text);
    for (std::int64_t i = 0; i < n; ++i) {
      process_state s;
      if (!p->params.empty()) s.names[p->params[0].name] = {i};
      push_block(s, p->body);
      first_.processes.push_back(s);
      instances_.push_back({p, i});
    }
  }
}

// --- expressions -----------------------------------------------------------------------------------------------------------

std::size_t naive_model::cell_of(const ast::expr& e, const view& v) const {
  std::size_t at = 0;
  const auto& index = variables_.at(e.text)->index;
  for (std::size_t i = 0; i < index.size(); ++i) at = at * static_cast<std::size_t>(sorts_.at(index[i])) + static_cast<std::size_t>(number(e.args[i], v));
  return at;
}

cell_value naive_model::apply(const ast::expr& e, const view& v) const {
  if (variables_.count(e.text)) return v.s.globals.at(e.text)[cell_of(e, v)];
  if (e.text == "min" || e.text == "max") {
    const auto a = number(e.args[0], v), b = number(e.args[1], v);
    return {e.text == "min" ? std::min(a, b) : std::max(a, b)};
  }
  if (e.text == "len") return {static_cast<std::int64_t>(eval(e.args[0], v).size())};
  if (e.text == "card") return {__builtin_popcountll(static_cast<unsigned long long>(number(e.args[0], v)))};
  if (e.text == "locked") return {v.s.globals.at(e.args[0].text)[0][0] != 0};
  if (e.text == "held") return {holds(e.args[0].text, v.s)};
  if (e.text == "value") {
    const auto o = number(e.args[0], v);
    if (o < 0) throw failure{"value_of_none"};
    return {o};
  }
  throw std::logic_error("a function that random models do not use: " + e.text);
}

bool naive_model::is_sequence(const ast::expr& e, const view& v) const {
  (void)v;
  if (e.kind != ek::name || !variables_.count(e.text)) return false;
  const auto kind = variables_.at(e.text)->type.kind;
  return kind == ast::type_kind::seq || kind == ast::type_kind::queue;
}

std::vector<std::int64_t> naive_model::domain(const ast::binder& b, const view& v) const {
  if (!b.type.empty()) return values(b.type[0]);
  const cell_value d = eval(b.domain[0], v);
  if (is_sequence(b.domain[0], v)) return d;
  std::vector<std::int64_t> members;
  for (std::int64_t i = 0; i < 64; ++i)
    if (d[0] >> i & 1) members.push_back(i);
  return members;
}

std::int64_t naive_model::quantified(const ast::expr& e, const view& v) const {
  std::int64_t n = 0;
  const auto all = domain(e.binders[0], v);
  for (const auto x : all) {
    locals names = v.names;
    names[e.binders[0].name] = {x};
    n += number(e.args[0], {v.s, names}) != 0;
  }
  return e.text == "count" ? n : e.text == "all" ? n == static_cast<std::int64_t>(all.size()) : n > 0;
}

std::int64_t naive_model::binary(const ast::expr& e, const view& v) const {
  const std::string& o = e.text;
  const std::int64_t a = number(e.args[0], v);
  if (o == "&&") return a ? number(e.args[1], v) : 0;
  if (o == "||") return a ? 1 : number(e.args[1], v);
  if (o == "=>") return a ? number(e.args[1], v) : 1;
  if (o == "in") {
    const cell_value d = eval(e.args[1], v);
    if (is_sequence(e.args[1], v)) return std::find(d.begin(), d.end(), a) != d.end();
    return d[0] >> a & 1;
  }
  const std::int64_t b = number(e.args[1], v);
  if (o == "<=>" || o == "==") return a == b;
  if (o == "!=") return a != b;
  if (o == "<") return a < b;
  if (o == "<=") return a <= b;
  if (o == ">") return a > b;
  if (o == ">=") return a >= b;
  const bool sets = e.args[1].kind == ek::set_literal || e.args[1].kind == ek::set_filter;   // in random models the right operand shows it
  if (o == "+") return sets ? a | b : a + b;
  if (o == "-") return sets ? a & ~b : a - b;
  throw std::logic_error("an operator that random models do not use: " + o);
}

cell_value naive_model::eval(const ast::expr& e, const view& v) const {
  switch (e.kind) {
    case ek::boolean:
    case ek::integer: return {e.value};
    case ek::none: return {-1};
    case ek::name:
      if (const auto l = v.names.find(e.text); l != v.names.end()) return l->second;
      if (const auto x = elements_.find(e.text); x != elements_.end()) return {x->second};
      return v.s.globals.at(e.text)[0];
    case ek::apply: return apply(e, v);
    case ek::unary: return {e.text == "!" ? !number(e.args[0], v) : -number(e.args[0], v)};
    case ek::binary: return {binary(e, v)};
    case ek::conditional: return eval(number(e.args[0], v) ? e.args[1] : e.args[2], v);
    case ek::quantified: return {quantified(e, v)};
    case ek::set_literal: {
      std::int64_t set = 0;
      for (const auto& a : e.args) set |= std::int64_t{1} << number(a, v);
      return {set};
    }
    case ek::set_filter: {
      std::int64_t set = 0;
      for (const auto x : values(e.binders[0].type[0])) {
        locals names = v.names;
        names[e.binders[0].name] = {x};
        if (number(e.args[0], {v.s, names})) set |= std::int64_t{1} << x;
      }
      return {set};
    }
    default: throw std::logic_error("an expression that random models do not have");
  }
}

bool naive_model::shared(const ast::expr& e) const {
  if (e.text == "locked" && e.kind == ek::apply) return true;
  if (const auto it = variables_.find(e.text); (e.kind == ek::name || e.kind == ek::apply) && it != variables_.end() && it->second->guard.empty()) return true;
  for (const auto& a : e.args)
    if (shared(a)) return true;
  for (const auto& b : e.binders)
    for (const auto& d : b.domain)
      if (shared(d)) return true;
  return false;
}

void naive_model::check_guards(const ast::expr& e, const state& s) const {
  if (const auto it = variables_.find(e.text); (e.kind == ek::name || e.kind == ek::apply) && it != variables_.end() && !it->second->guard.empty())
    if (!holds(it->second->guard, s)) throw failure{"lock_misuse"};
  for (const auto& a : e.args) check_guards(a, s);
}

void naive_model::check_range(const ast::type_expr& t, const cell_value& v) const {
  if (t.kind == ast::type_kind::seq || t.kind == ast::type_kind::queue) return;
  if (v[0] < range_of(t).low || v[0] > range_of(t).high) throw failure{"range"};
}

// --- steps -----------------------------------------------------------------------------------------------------------------

// Something visible is about to happen. False: the step ends in front of it.
bool naive_model::visible(state& s, bool& done) {
  if (atomic(s)) return true;
  if (done) {
    next_.push_back(s);
    return false;
  }
  done = true;
  return true;
}

// Drops what is left to do down to a task; a branch of either that is left without a step was one.
void naive_model::leave(state& s, bool& done, const std::function<bool(const task&)>& until, bool including) {
  auto& todo = me(s).todo;
  while (!todo.empty() && !until(todo.back())) {
    done |= todo.back().what == task::kind::branch;
    todo.pop_back();
  }
  if (including && !todo.empty()) todo.pop_back();
}

bool is_loop(const task& t) {
  using tk = task::kind;
  return t.what == tk::while_ || t.what == tk::repeat || t.what == tk::sort_loop || t.what == tk::set_loop || t.what == tk::sequence_loop;
}

// Runs one path; choices start others. The path ends at the next visible thing, at the end, or where it cannot go on.
void naive_model::run(state s, bool done) {
  try {
    while (advance(s, done))
      if (++moves_ > most_moves) throw std::length_error("a step that does not end");
  } catch (const failure& f) {
    moved_ = true;
    (f.error == "capacity" || f.error == "recursion" ? out_.bounds : out_.errors).insert(f.error);
  }
}

bool naive_model::test(state& s, bool& done, const ast::expr& e, bool& result) {
  if (shared(e) && !visible(s, done)) return false;
  check_guards(e, s);
  result = number(e, see(s)) != 0;
  return true;
}

// One small move. False: the path has ended here.
bool naive_model::advance(state& s, bool& done) {
  process_state& p = me(s);
  if (p.todo.empty()) {
    p.ended = true;
    p.names.clear();
    next_.push_back(s);
    return false;
  }
  task& t = p.todo.back();
  const ast::statement* st = t.st;
  switch (t.what) {
    case task::kind::block: {
      if (t.at == t.body->size()) {
        p.todo.pop_back();
        return true;
      }
      return statement(s, done, (*t.body)[t.at]);
    }
    case task::kind::atomic: p.todo.pop_back(); return true;
    case task::kind::branch:
      done = true;
      p.todo.pop_back();
      return true;
    case task::kind::while_: {
      bool again = false;
      if (!test(s, done, st->value[0], again)) return false;
      if (again) push_block(p, st->body);
      else p.todo.pop_back();
      return true;
    }
    case task::kind::repeat:
      if (t.left-- == 0) p.todo.pop_back();
      else push_block(p, st->body);
      return true;
    case task::kind::sort_loop:
    case task::kind::set_loop: {
      const bool live = st->iterate == ast::iteration::live;
      std::int64_t among = live ? 0 : t.left;
      const bool filtered = st->value.size() > 1 && st->iterate != ast::iteration::snapshot;
      const bool looks = (live && t.what == task::kind::set_loop && shared(st->value[0])) || (filtered && shared(st->value[1]));
      if (looks && !visible(s, done)) return false;
      if (live) among = (t.what == task::kind::sort_loop ? (std::int64_t{1} << sorts_.at(st->value[0].text)) - 1 : number(st->value[0], see(s))) & ~t.left;
      std::vector<std::int64_t> members;
      for (std::int64_t i = 0; i < 64; ++i) {
        if (!(among >> i & 1)) continue;
        locals names = p.names;
        names[st->name] = {i};
        if (filtered) check_guards(st->value[1], s);
        if (!filtered || number(st->value[1], {s, names})) members.push_back(i);
      }
      return loop_turn(s, done, members, live);
    }
    case task::kind::sequence_loop: {
      const bool live = st->iterate == ast::iteration::live;
      if (live && shared(st->value[0]) && !visible(s, done)) return false;
      const cell_value all = live ? eval(st->value[0], see(s)) : t.members;
      if (t.at >= all.size()) {
        p.todo.pop_back();
        return true;
      }
      p.names[st->name] = {all[t.at++]};
      push_block(p, st->body);
      return true;
    }
    case task::kind::arguments: return arguments(s, done);
    case task::kind::call: {   // fell off the end
      const ast::statement* call = t.st;
      const auto& result = procedures_.at(t.name)->result;
      const cell_value r = result.empty() ? cell_value{} : least(result[0]);
      p.names = t.saved;
      p.todo.pop_back();
      finish_call(s, *call, r);
      return true;
    }
  }
  return false;
}

// A turn for each member that may come next.
bool naive_model::loop_turn(state& s, bool& done, std::vector<std::int64_t> members, bool live) {
  if (members.empty()) {
    me(s).todo.pop_back();
    return true;
  }
  const ast::statement* st = me(s).todo.back().st;
  for (const auto m : members) {
    state other = s;
    process_state& p = me(other);
    if (live) p.todo.back().left |= std::int64_t{1} << m;
    else p.todo.back().left &= ~(std::int64_t{1} << m);
    p.names[st->name] = {m};
    push_block(p, st->body);
    run(other, done);
  }
  return false;
}

// Value parameters are locals: one that reads a global is a step.
bool naive_model::arguments(state& s, bool& done) {
  process_state& p = me(s);
  const ast::statement& st = *p.todo.back().st;
  const ast::procedure_decl& d = *procedures_.at(st.text);
  if (p.todo.back().at < d.params.size()) {
    const ast::expr& e = st.args[p.todo.back().at];
    if (shared(e) && !visible(s, done)) return false;
    const cell_value v = eval(e, see(s));
    const ast::param& param = d.params[p.todo.back().at];
    check_range(param.type[0], v);
    p.todo.back().saved[param.name] = v;
    ++p.todo.back().at;
    return true;
  }
  std::int64_t running = 0;
  for (const auto& t : p.todo) running += t.what == task::kind::call && t.name == st.text;
  if (!d.recursive.empty() && running >= d.recursive[0].value) {
    throw failure{"recursion"};
  }
  locals bound = p.todo.back().saved;
  p.todo.pop_back();
  task call;
  call.what = task::kind::call;
  call.st = &st;
  call.name = st.text;
  call.saved = p.names;
  p.todo.push_back(call);
  p.names = bound;
  push_block(p, d.body);
  return true;
}

void naive_model::finish_call(state& s, const ast::statement& st, const cell_value& result) {
  if (st.kind == sk::let_call) me(s).names[st.name] = result;
  if (st.kind == sk::assign_call) me(s).names[st.target[0].text] = result;
}

void naive_model::assign(state& s, const ast::expr& target, cell_value v) {
  if (!writes_global(target)) {
    me(s).names[target.text] = v;
    return;
  }
  const ast::variable_decl& d = *variables_.at(target.text);
  if (!d.guard.empty() && !holds(d.guard, s)) throw failure{"lock_misuse"};
  check_range(d.type, v);
  const std::size_t at = cell_of(target, see(s));
  s.globals[target.text][at] = v;
}

void naive_model::append(state& s, const ast::statement& st) {
  const ast::variable_decl& d = *variables_.at(st.args[0].text);
  cell_value& q = s.globals[st.args[0].text][0];
  if (st.text == "dequeue") {
    if (q.empty()) throw failure{"value_of_none"};
    q.erase(q.begin());
    return;
  }
  const std::int64_t v = number(st.args[1], see(s));
  if (st.text == "enqueue" && std::find(q.begin(), q.end(), v) != q.end()) return;
  const std::int64_t capacity = d.type.bounds.empty() ? static_cast<std::int64_t>(values(d.type.args[0]).size()) : d.type.bounds[0].value;
  if (static_cast<std::int64_t>(q.size()) >= capacity) throw failure{"capacity"};
  check_range(d.type.args[0], {v});
  q.push_back(v);
}

void naive_model::for_all(state& s, const ast::statement& st) {
  state after = s;
  for (const auto x : values(st.binders[0].type[0])) {
    locals names = me(s).names;
    names[st.binders[0].name] = {x};
    const view v{s, names};
    if (!st.value.empty() && !number(st.value[0], v)) continue;
    for (const auto& a : st.body) {
      const cell_value e = eval(a.value[0], v);
      check_range(variables_.at(a.target[0].text)->type, e);
      after.globals[a.target[0].text][cell_of(a.target[0], v)] = e;
    }
  }
  s = after;
}

// False: it waits, or is stuck for ever.
bool naive_model::lock(state& s, const ast::statement& st) {
  std::int64_t& owner = s.globals.at(st.args[0].text)[0][0];
  const auto mine = static_cast<std::int64_t>(who_) + 1;
  if (st.text == "mutex_unlock") {
    if (owner != mine) throw failure{"lock_misuse"};
    owner = 0;
    return true;
  }
  if (owner == mine) {
    moved_ = true;
    out_.deadlocks.insert(shown_globals(s.globals));
  }
  if (owner != 0) return false;
  owner = mine;
  return true;
}

bool naive_model::statement(state& s, bool& done, const ast::statement& st) {
  process_state& p = me(s);
  const auto reads = [&](const ast::expr& e) { return !shared(e) || visible(s, done); };
  const auto begin = [&](task::kind k) {
    task t;
    t.what = k;
    t.st = &st;
    ++p.todo.back().at;
    p.todo.push_back(t);
    return &p.todo.back();
  };
  const auto after = [&] {
    ++p.todo.back().at;
    return true;
  };
  switch (st.kind) {
    case sk::skip: return visible(s, done) && after();
    case sk::assert_:
      if (!visible(s, done)) return false;
      if (!number(st.value[0], see(s))) throw failure{"assertion"};
      return after();
    case sk::wait_until: return visible(s, done) && number(st.value[0], see(s)) && after();
    case sk::assign: {
      if (writes_global(st.target[0]) ? !visible(s, done) : !reads(st.value[0])) return false;
      assign(s, st.target[0], eval(st.value[0], see(s)));
      return after();
    }
    case sk::let: {
      if (!reads(st.value[0])) return false;
      const cell_value v = eval(st.value[0], see(s));
      check_range(st.type[0], v);
      p.names[st.name] = v;
      return after();
    }
    case sk::if_: {
      bool yes = false;
      if (!test(s, done, st.value[0], yes)) return false;
      ++p.todo.back().at;
      push_block(p, yes ? st.body : st.otherwise);
      return true;
    }
    case sk::while_: begin(task::kind::while_); return true;
    case sk::repeat: begin(task::kind::repeat)->left = st.value[0].value; return true;
    case sk::atomic: {
      if (!visible(s, done)) return false;
      begin(task::kind::atomic);
      push_block(p, st.body);
      return true;
    }
    case sk::for_: {
      if (sorts_.count(st.value[0].text)) {
        std::int64_t all = 0;
        const bool once = st.iterate == ast::iteration::snapshot && st.value.size() > 1;
        if (once && !reads(st.value[1])) return false;
        for (std::int64_t i = 0; i < sorts_.at(st.value[0].text); ++i) {
          locals names = p.names;
          names[st.name] = {i};
          if (!once || number(st.value[1], {s, names})) all |= std::int64_t{1} << i;
        }
        begin(task::kind::sort_loop)->left = st.iterate == ast::iteration::live ? 0 : all;
        return true;
      }
      const bool copies = st.iterate != ast::iteration::live;
      if (copies && !reads(st.value[0])) return false;
      const cell_value d = copies ? eval(st.value[0], see(s)) : cell_value{0};
      const bool sequence = is_sequence(st.value[0], see(s));
      task* t = begin(sequence ? task::kind::sequence_loop : task::kind::set_loop);
      if (sequence) t->members = copies ? d : cell_value{};
      else t->left = copies ? d[0] : 0;
      return true;
    }
    case sk::for_all:
      if (!visible(s, done)) return false;
      for_all(s, st);
      return after();
    case sk::choose: {
      if (!visible(s, done)) return false;
      for (const auto v : values(st.type[0])) {
        state other = s;
        me(other).names[st.name] = {v};
        if (!st.value.empty() && !number(st.value[0], see(other))) continue;
        ++me(other).todo.back().at;
        run(other, done);
      }
      return false;
    }
    case sk::either: {
      if (!visible(s, done)) return false;
      for (const auto& branch : st.branches) {
        state other = s;
        ++me(other).todo.back().at;
        const bool shares = !early_ && !atomic(s);
        if (shares) {
          task t;
          t.what = task::kind::branch;
          me(other).todo.push_back(t);
        }
        push_block(me(other), branch);
        run(other, !shares);
      }
      return false;
    }
    case sk::break_:
      leave(s, done, is_loop, true);
      return true;
    case sk::continue_:
      leave(s, done, is_loop, false);
      return true;
    case sk::return_: {
      if (!st.value.empty() && !reads(st.value[0])) return false;
      const cell_value r = st.value.empty() ? cell_value{} : eval(st.value[0], see(s));
      leave(s, done, [](const task& t) { return t.what == task::kind::call; }, false);
      if (p.todo.empty()) return true;
      const task call = p.todo.back();
      const auto& type = procedures_.at(call.name)->result;
      if (!type.empty()) check_range(type[0], r);
      p.names = call.saved;
      p.todo.pop_back();
      finish_call(s, *call.st, r);
      return true;
    }
    case sk::call:
      if (mutexes_.count(st.args.empty() ? "" : st.args[0].text)) return visible(s, done) && lock(s, st) && after();
      if (st.text == "append" || st.text == "enqueue" || st.text == "dequeue") {
        if (!visible(s, done)) return false;
        append(s, st);
        return after();
      }
      [[fallthrough]];
    case sk::let_call:
    case sk::assign_call: begin(task::kind::arguments); return true;
    default: throw std::logic_error("a statement that random models do not have");
  }
}

void naive_model::expand(const state& s) {
  next_.clear();
  moves_ = 0;
  moved_ = false;
  for (who_ = 0; who_ < s.processes.size(); ++who_)
    if (!s.processes[who_].ended) run(s, false);
}

naive_outcomes naive_model::explore(std::size_t most) {
  std::map<state, std::uint32_t> number{{first_, 0}};
  std::deque<state> waiting{first_};
  out_.graph.push_back({shown_globals(first_.globals), {}});
  for (std::size_t at = 0; !waiting.empty(); ++at) {
    const state s = waiting.front();
    waiting.pop_front();
    expand(s);
    const bool all_ended = std::all_of(s.processes.begin(), s.processes.end(), [](const auto& p) { return p.ended; });
    if (next_.empty() && !all_ended && !moved_) out_.deadlocks.insert(out_.graph[at].globals);
    for (auto& n : next_) {
      const auto [it, fresh] = number.emplace(n, static_cast<std::uint32_t>(number.size()));
      out_.graph[at].next.push_back(it->second);
      if (!fresh) continue;
      out_.graph.push_back({shown_globals(n.globals), {}});
      waiting.push_back(n);
    }
    if (number.size() > most) {
      out_.complete = false;
      break;
    }
  }
  return out_;
}

}  // namespace

naive_outcomes explore_model(const ast::model& m, bool commit_early, std::size_t most_states) {
  try {
    return naive_model(m, commit_early).explore(most_states);
  } catch (const std::length_error&) {
    naive_outcomes endless;
    endless.complete = false;
    return endless;
  }
}

namespace {

using states = std::set<std::uint32_t>;

// And all that follows without a change of the globals.
states closed(const naive_outcomes& g, states from) {
  std::vector<std::uint32_t> waiting(from.begin(), from.end());
  while (!waiting.empty()) {
    const auto at = waiting.back();
    waiting.pop_back();
    for (const auto n : g.graph[at].next)
      if (g.graph[n].globals == g.graph[at].globals && from.insert(n).second) waiting.push_back(n);
  }
  return from;
}

std::map<std::string, states> changes(const naive_outcomes& g, const states& from) {
  std::map<std::string, states> out;
  for (const auto at : from)
    for (const auto n : g.graph[at].next)
      if (g.graph[n].globals != g.graph[at].globals) out[g.graph[n].globals].insert(n);
  return out;
}

}  // namespace

std::string lost_history(const naive_outcomes& of, const naive_outcomes& in, bool& gave_up) {
  constexpr std::size_t most_pairs = 3000;
  using pair = std::pair<states, states>;
  std::map<pair, std::string> seen;   // with the history that led there
  std::deque<pair> waiting;
  const auto reach = [&](states a, states b, const std::string& history) {
    const pair p{closed(of, std::move(a)), closed(in, std::move(b))};
    if (seen.emplace(p, history).second) waiting.push_back(p);
  };
  reach({0}, {0}, of.graph[0].globals);
  for (; !waiting.empty(); waiting.pop_front()) {
    const pair p = waiting.front();
    const std::string history = seen.at(p);
    auto there = changes(in, p.second);
    for (const auto& [globals, a] : changes(of, p.first)) {
      const auto b = there.find(globals);
      if (b == there.end()) return history + "\n" + globals;
      if (seen.size() < most_pairs) reach(a, b->second, history + "\n" + globals);
      else gave_up = true;
    }
  }
  return {};
}

std::string shown_globals(const std::map<std::string, std::vector<cell_value>>& globals) {
  std::string out;
  for (const auto& [name, cells] : globals) {
    out += name + "=";
    for (const auto& cell : cells) {
      for (const auto v : cell) out += std::to_string(v) + ".";
      out += ",";
    }
    out += " ";
  }
  return out;
}

}  // namespace quiesce::test
