// SPDX-License-Identifier: MIT
// Statements and steps.
#include "tests/property/naive_model_internal.hpp"

namespace quiesce::test::naive {

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
  return t.what == tk::while_ || t.what == tk::repeat || t.what == tk::sort_loop || t.what == tk::set_loop ||
         t.what == tk::sequence_loop;
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
    case task::kind::atomic:
      p.todo.pop_back();
      return true;
    case task::kind::branch:
      done = true;
      p.todo.pop_back();
      return true;
    case task::kind::while_: {
      bool again = false;
      if (!test(s, done, st->value[0], again)) return false;
      if (again)
        push_block(p, st->body);
      else
        p.todo.pop_back();
      return true;
    }
    case task::kind::repeat:
      if (t.left-- == 0)
        p.todo.pop_back();
      else
        push_block(p, st->body);
      return true;
    case task::kind::sort_loop:
    case task::kind::set_loop: {
      const bool live = st->iterate == ast::iteration::live;
      std::int64_t among = live ? 0 : t.left;
      const bool filtered = st->value.size() > 1 && st->iterate != ast::iteration::snapshot;
      const bool looks =
          (live && t.what == task::kind::set_loop && shared(st->value[0])) || (filtered && shared(st->value[1]));
      if (looks && !visible(s, done)) return false;
      if (live)
        among = (t.what == task::kind::sort_loop ? (std::int64_t{1} << sorts_.at(st->value[0].text)) - 1
                                                 : number(st->value[0], see(s))) &
                ~t.left;
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
    case task::kind::arguments:
      return arguments(s, done);
    case task::kind::call: {  // fell off the end
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
    if (live)
      p.todo.back().left |= std::int64_t{1} << m;
    else
      p.todo.back().left &= ~(std::int64_t{1} << m);
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
  const std::int64_t capacity =
      d.type.bounds.empty() ? static_cast<std::int64_t>(values(d.type.args[0]).size()) : d.type.bounds[0].value;
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
    case sk::skip:
      return visible(s, done) && after();
    case sk::assert_:
      if (!visible(s, done)) return false;
      if (!number(st.value[0], see(s))) throw failure{"assertion"};
      return after();
    case sk::wait_until:
      return visible(s, done) && number(st.value[0], see(s)) && after();
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
    case sk::while_:
      begin(task::kind::while_);
      return true;
    case sk::repeat:
      begin(task::kind::repeat)->left = st.value[0].value;
      return true;
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
      if (sequence)
        t->members = copies ? d : cell_value{};
      else
        t->left = copies ? d[0] : 0;
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
      leave(
          s, done, [](const task& t) { return t.what == task::kind::call; }, false);
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
    case sk::assign_call:
      begin(task::kind::arguments);
      return true;
    default:
      throw std::logic_error("a statement that random models do not have");
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

}  // namespace quiesce::test::naive

namespace quiesce::test {

using naive::naive_model;

naive_outcomes explore_model(const ast::model& m, bool commit_early, std::size_t most_states) {
  try {
    return naive_model(m, commit_early).explore(most_states);
  } catch (const std::length_error&) {
    naive_outcomes endless;
    endless.complete = false;
    return endless;
  }
}

}  // namespace quiesce::test
