// SPDX-License-Identifier: MIT
// Locks, CPUs, timers and time.

#include <fmt/format.h>

#include "model/system/lower_code.hpp"

namespace quiesce::lowering {

expr_id process_code::cpu_of(std::uint32_t process, expr_id element) {
  const ast::process_decl& d = *s.processes[process];
  expressions other(s);
  other.next_temp = x.next_temp;
  other.names.open();
  if (!d.params.empty()) {
    binding me;
    me.alias = other.element_value(element, s.sort_named(d.params[0].type[0].text, d.where).id);
    other.names.bind(d.params[0].name, me);
  }
  const value v = other.lower(d.cpu[0]);
  if (v.sequence || b.type(v.type).kind != ir::type_kind::element || !v.fx.stable)
    throw diagnostic(d.cpu[0].where, "the CPU of a process is an element that never changes");
  return v.e;
}

// Is there a process of my CPU (softirq or not; not myself) with this?
expr_id process_code::some_on_my_cpu(bool softirq, const std::function<expr_id(std::uint32_t, expr_id)>& body) {
  expr_id any = b.truth(false);
  for (std::uint32_t p = 0; p < s.processes.size(); ++p) {
    const ast::process_decl& d = *s.processes[p];
    if (d.cpu.empty() || d.softirq != softirq) continue;
    if (d.params.empty()) {
      if (p == index) continue;
      const expr_id e = b.constant(0, b.element(s.process_sort));
      any = b.either(any, b.both(b.equal(cpu_of(p, e), cpu_), body(p, e)));
      continue;
    }
    const sort_id over = s.sort_named(d.params[0].type[0].text, d.where).id;
    const temp_id t = x.take_temp();
    const expr_id e = b.temp(t, b.element(over));
    expr_id here = b.both(b.equal(cpu_of(p, e), cpu_), body(p, e));
    if (p == index) here = b.both(b.make(op::not_equal, b.boolean(), {e, x.self_element}), here);
    any = b.either(any, b.over(op::some, b.boolean(), over, t, here));
  }
  return any;
}

// In front of every step of a process that belongs to a CPU: a running softirq has the CPU to itself; it starts only where
// no process of the CPU holds a _bh lock.
void process_code::guard_cpu() {
  if (cpu_ == ir::nothing) return;
  const auto away = [&](std::uint32_t p, expr_id e) {
    const expr_id r = b.reserve(b.boolean());
    shared.pending.push_back({r, p, e});
    return r;
  };
  if (!decl_->softirq) {
    await(b.negated(some_on_my_cpu(true, away)), decl_->where);
  } else if (out.locations.back().resting) {
    const auto holds_bh = [&](std::uint32_t p, expr_id e) {
      if (shared.bh_count[p] == ir::nothing) return b.truth(false);
      const bool many = !s.processes[p]->params.empty();
      return b.make(op::not_equal, b.boolean(),
                    {b.load(shared.bh_count[p], many ? std::vector<expr_id>{e} : std::vector<expr_id>{}), b.number(0)});
    };
    await(b.negated(some_on_my_cpu(true, away)), decl_->where);
    await(b.negated(some_on_my_cpu(false, holds_bh)), decl_->where);
  }
}

void process_code::count_bh(int by, source_range where) {
  const variable_id v = shared.bh_count[index];
  if (v == ir::nothing) return;  // a process of no CPU keeps no softirq away
  const expr_id n = b.load(v, self_index());
  set(v, self_index(), by > 0 ? b.plus(n, b.number(1)) : b.make(op::subtract, b.integer(0, 0), {n, b.number(1)}), where);
}

void process_code::take_lock(const ast::statement& st, bool bh) {
  const global* lock = nullptr;
  std::vector<expr_id> at;
  value place;
  const expr_id owner = x.lock_owner(st.args[0], &lock, &at, place);
  if (lock->spin == (st.text == "mutex_lock"))
    throw diagnostic(st.where, fmt::format("'{}' is a {}", lock->name, lock->spin ? "spinlock" : "mutex"));
  begin_step(st);
  check_value(place, st.where);
  const expr_id none = b.constant(0, b.type_of(owner));
  code_label free;
  const auto deadlock_if = [&](expr_id c, const std::string& why) {
    code_label ok;
    if (b.is_false(c)) return;
    jump_if(b.negated(c), ok);
    ir::instruction i;
    i.code = ir::operation::stuck;
    i.note = b.string(why);
    i.where = st.where;
    emit(i);
    live_ = false;
    bind(ok);
  };
  deadlock_if(b.equal(owner, x.self), fmt::format("'{}' is taken by the process that already holds it", lock->name));
  if (lock->spin && decl_->softirq && cpu_ != ir::nothing)
    deadlock_if(some_on_my_cpu(false,
                               [&](std::uint32_t p, expr_id e) {
                                 return b.equal(owner, s.process_value(p, e, b.type_of(owner)));
                               }),
                fmt::format("'{}' is spun for by the softirq that pre-empted its holder on the same CPU", lock->name));
  await(b.equal(owner, none), st.where);
  set(lock->var, at, x.self, st.where);
  if (bh) count_bh(1, st.where);
  fresh_ = false;
}

void process_code::release_lock(const ast::statement& st, bool bh) {
  const global* lock = nullptr;
  std::vector<expr_id> at;
  value place;
  const expr_id owner = x.lock_owner(st.args[0], &lock, &at, place);
  if (lock->spin == (st.text == "mutex_unlock"))
    throw diagnostic(st.where, fmt::format("'{}' is a {}", lock->name, lock->spin ? "spinlock" : "mutex"));
  begin_step(st);
  check_value(place, st.where);
  check(b.equal(owner, x.self), ir::error_kind::lock_misuse,
        fmt::format("'{}' is released by a process that does not hold it", lock->name), st.where);
  set(lock->var, at, b.constant(0, b.type_of(owner)), st.where);
  if (bh) count_bh(-1, st.where);
}

bool process_code::lock_statement(const ast::statement& st) {
  const bool take = st.text == "mutex_lock" || st.text == "spin_lock" || st.text == "spin_lock_bh";
  const bool release = st.text == "mutex_unlock" || st.text == "spin_unlock" || st.text == "spin_unlock_bh";
  if (!take && !release) return false;
  if (st.args.size() != 1) throw diagnostic(st.where, fmt::format("'{}' takes a lock", st.text));
  if (index == ir::nothing) throw diagnostic(st.where, "nobody runs in init who could hold a lock");
  const bool bh = st.text.ends_with("_bh");
  if (take)
    take_lock(st, bh);
  else
    release_lock(st, bh);
  return true;
}

// let ok := call spin_trylock(l);
bool process_code::try_lock(const ast::statement& st, const std::string& result) {
  if (st.text != "spin_trylock" && st.text != "spin_trylock_bh" && st.text != "mutex_trylock") return false;
  if (st.args.size() != 1) throw diagnostic(st.where, fmt::format("'{}' takes a lock", st.text));
  if (index == ir::nothing) throw diagnostic(st.where, "nobody runs in init who could hold a lock");
  const global* lock = nullptr;
  std::vector<expr_id> at;
  value place;
  const expr_id owner = x.lock_owner(st.args[0], &lock, &at, place);
  if (lock->spin == (st.text == "mutex_trylock"))
    throw diagnostic(st.where, fmt::format("'{}' is a {}", lock->name, lock->spin ? "spinlock" : "mutex"));
  begin_step(st);
  check_value(place, st.where);
  binding name;
  if (st.kind == ast::statement_kind::let_call) {
    name.kind = binding_kind::local;
    name.assignable = true;
    name.alias.e = local(result, b.boolean(), &name.local);
    name.alias.type = b.boolean();
    x.names.bind(result, name);
  } else {
    const binding* l = x.names.find(result);
    if (!l || l->kind != binding_kind::local || l->alias.type != b.boolean())
      throw diagnostic(st.where, fmt::format("'{}' is not a local of type bool", result));
    name = *l;
  }
  set(name.local, self_index(), b.equal(owner, b.constant(0, b.type_of(owner))), st.where);
  code_label done;
  jump_if(b.negated(name.alias.e), done);
  set(lock->var, at, x.self, st.where);
  if (st.text.ends_with("_bh")) count_bh(1, st.where);
  bind(done);
  return true;
}

bool process_code::timer_statement(const ast::statement& st) {
  const bool arms = st.text == "mod_timer";
  if (!arms && st.text != "del_timer") return false;
  if (st.args.size() != (arms ? 2u : 1u))
    throw diagnostic(st.where, arms ? "mod_timer takes a timer and a delay" : "del_timer takes a timer");
  const global* timer = nullptr;
  std::vector<expr_id> at;
  value place;
  const expr_id state = x.timer_state(st.args[0], &timer, &at, place);
  begin_step(st);
  check_value(place, st.where);
  if (!s.urgent) {
    if (arms) {
      const value delay = x.lower(st.args[1]);
      if (delay.sequence || b.type(delay.type).kind != ir::type_kind::integer)
        throw diagnostic(st.args[1].where, "a delay is an integer");
      check_value(delay, st.where);
    }
    set(timer->var, at, b.truth(arms), st.where);
    return true;
  }
  const type_id type = b.type_of(state);
  if (!arms) {
    set(timer->var, at, b.constant(0, type), st.where);
    return true;
  }
  const value delay = x.lower(st.args[1]);
  if (delay.sequence || b.type(delay.type).kind != ir::type_kind::integer)
    throw diagnostic(st.args[1].where, "a delay is an integer");
  check_value(delay, st.where);
  within_horizon(delay.e, "a delay beyond the horizon", st.where);
  set(timer->var, at, b.make(op::wrap, type, {delay.e}), st.where);
  return true;
}

// A time that is waited for: never negative; one beyond the horizon is a bound.
void process_code::within_horizon(expr_id delay, const std::string& beyond, source_range where) {
  const bool fresh = fresh_;
  if (b.type(b.type_of(delay)).low < 0)
    check(b.make(op::less_equal, b.boolean(), {b.number(0), delay}), ir::error_kind::range, "a delay is negative", where);
  code_label fits;
  if (b.type(b.type_of(delay)).high > s.horizon) {
    jump_if(b.make(op::less_equal, b.boolean(), {delay, b.number(s.horizon)}), fits);
    bound(ir::bound_kind::horizon, beyond, where);
    bind(fits);
  }
  fresh_ = fresh;
}

// msleep(e): ceiling to jiffies of 1000/HZ ms, plus one jiffy. Without HZ the clock is ideal and the sleep exact.
void process_code::sleep(const ast::statement& st) {
  if (atomic_ || index == ir::nothing) throw diagnostic(st.where, "nobody sleeps inside atomic or init");
  begin_step(st);
  const value ms = x.lower(st.value[0]);
  if (ms.sequence || b.type(ms.type).kind != ir::type_kind::integer)
    throw diagnostic(st.value[0].where, "sleep takes milliseconds");
  check_value(ms, st.where);
  if (!s.urgent) return;
  expr_id wait = ms.e;
  if (const auto hz = s.constants.find("HZ"); hz != s.constants.end() && *b.constant_of(hz->second) > 0) {
    const std::int64_t per_second = *b.constant_of(hz->second);
    if (1000 % per_second != 0) throw diagnostic(st.where, "HZ must divide 1000");
    const std::int64_t jiffy = 1000 / per_second;
    if (b.type(ms.type).low < 0)
      check(b.make(op::less_equal, b.boolean(), {b.number(0), ms.e}), ir::error_kind::range, "a delay is negative",
            st.where);
    const expr_id up = b.plus(ms.e, b.number(jiffy - 1));
    const expr_id jiffies = b.make(op::divide, b.integer(0, 0), {up, b.number(jiffy)});
    wait = b.make(op::multiply, b.integer(0, 0), {b.plus(jiffies, b.number(1)), b.number(jiffy)});
  }
  const type_id type = b.option(b.integer(0, s.horizon));
  variable_id left_var;
  open_scope();
  const expr_id left = local("sleep", type, &left_var);
  sleepers_.push_back(left_var);
  within_horizon(wait, "a sleep beyond the horizon", st.where);
  set(left_var, self_index(), b.make(op::wrap, type, {wait}), st.where);
  fresh_ = false;
  stop(false, &st);
  await(b.equal(left, b.constant(1, type)), st.where);
  set(left_var, self_index(), b.constant(0, type), st.where);
  fresh_ = false;
  close_scope();
}

// The body runs each time the timer expires; between two runs the process rests.
void process_code::expiry_process(const ast::process_decl& d) {
  const auto it = s.globals.find(d.timer);
  if (it == s.globals.end() || it->second.kind != global_kind::timer)
    throw diagnostic(d.where, fmt::format("there is no timer '{}'", d.timer));
  const global& timer = it->second;
  const std::vector<sort_id> mine = out.over == ir::nothing ? std::vector<sort_id>{} : std::vector<sort_id>{out.over};
  if (timer.index != mine)
    throw diagnostic(d.where, fmt::format("the process must have the parameter that '{}' has", d.timer));
  const auto at = self_index();
  const expr_id state = b.load(timer.var, at);
  await(s.urgent ? b.equal(state, b.constant(1, b.type_of(state))) : state, d.where);
  set(timer.var, at, b.constant(0, b.type_of(state)), d.where);
  out.locations.back().statement = fmt::format("{} expires", d.timer);
  fresh_ = false;
  code_label leave;
  calls_.push_back({&leave, 0, std::nullopt, ir::nothing});
  block(d.body);
  bind(leave);
  code_label start;
  start.at = 0;
  jump(start);
}

}  // namespace quiesce::lowering
