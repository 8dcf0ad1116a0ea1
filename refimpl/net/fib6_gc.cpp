// SPDX-License-Identifier: MIT
#include "refimpl/net/fib6_gc.hpp"

#include "refimpl/net/ip6_fib_internal.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

namespace {

struct gc_args {
  std::int64_t timeout;
  std::uint64_t now;
  std::size_t more = 0;
  std::uint64_t visited = 0;
};

// rt6_age_exceptions
void age_exceptions(net& n, fib6_info& f, gc_args& args) {
  for (auto at = f.exceptions.begin(); at != f.exceptions.end();) {
    ++args.visited;
    const bool expired =
        at->expires != 0 ? args.now > at->expires : args.now >= at->lastuse + static_cast<std::uint64_t>(args.timeout);
    if (expired) {
      at = rt6_remove_exception(n, f, at);
    } else {
      ++args.more;
      ++at;
    }
  }
}

// fib6_age: whether the route goes.
bool fib6_age(net& n, fib6_info& f, gc_args& args) {
  ++args.visited;
  if (f.expires != 0) {
    if (args.now > f.expires) return true;
    ++args.more;
  }
  age_exceptions(n, f, args);
  return false;
}

void clean(net& n, gc_args& args) {
  stack& s = n.owner;
  netns_ipv6& v6 = *n.ipv6;
  std::vector<fib6_info*> expired;
  lock_guard held(s.sched, v6.tb6_lock);
  if (s.policy.gc.gc_list) {
    list_for_each_entry<fib6_info>(&v6.tb6_gc_hlist, {~std::size_t{0}, "tb6_gc_hlist"}, [&](fib6_info& f) {
      if (fib6_age(n, f, args)) expired.push_back(&f);
    });
  } else {
    for (auto& [key, f] : v6.table)
      if (fib6_age(n, *f, args)) expired.push_back(f);
  }
  for (fib6_info* f : expired) fib6_del(n, *f);
  update_gc_list(n);
}

lock_state& lock_of(net& n) {
  stack& s = n.owner;
  return s.policy.gc.global_lock ? s.gc_global->fib6_gc_lock : n.ipv6->fib6_gc_lock;
}

void arm_timer(net& n, std::uint64_t delay) {
  stack& s = n.owner;
  if (s.policy.gc.no_timer_after_exit && n.ipv6->exited.load()) return;  // rule G10
  unless(s.policy, mutation::gc_timer_not_armed,
         [&] { s.timers.mod_timer(n.ipv6->ip6_fib_timer, s.timers.jiffies() + delay); });
  s.emit_net(event_kind::mod_timer, n, nullptr, static_cast<std::int64_t>(delay), "ip6_fib_timer");
}

// With the lock taken.
void run_locked(std::int64_t expires, net& n) {
  stack& s = n.owner;
  netns_ipv6& v6 = *n.ipv6;
  s.emit_net(event_kind::fib6_gc_begin, n);
  gc_args args{expires != 0 ? expires : v6.gc.interval, s.timers.jiffies()};
  clean(n, args);
  s.counters.fib6_gc_runs.fetch_add(1, std::memory_order_relaxed);
  s.counters.fib6_gc_visited.fetch_add(args.visited, std::memory_order_relaxed);
  v6.ip6_rt_last_gc.store(static_cast<std::int64_t>(s.timers.jiffies()));
  s.emit_net(event_kind::fib6_gc_end, n, nullptr, static_cast<std::int64_t>(args.visited));
  s.sched.visible({point_kind::timer, &v6.ip6_fib_timer, "ip6_fib_timer"});  // who adds a route now arms it in vain
  if (args.more != 0) {
    arm_timer(n, static_cast<std::uint64_t>(v6.gc.interval));
  } else {
    s.timers.del_timer(v6.ip6_fib_timer);
    s.emit_net(event_kind::del_timer, n, nullptr, 0, "ip6_fib_timer");
  }
}

void skip(net& n, event_kind how, const char* why) {
  stack& s = n.owner;
  s.counters.fib6_gc_skipped.fetch_add(1, std::memory_order_relaxed);
  s.emit_net(how, n, nullptr, 0, why);
}

void run(std::int64_t expires, net& n, bool force, bool may_recheck) {
  stack& s = n.owner;
  lock_state& lock = lock_of(n);
  if (force) {
    s.emit_net(event_kind::fib6_gc_spin, n);
    s.sched.visible({point_kind::lock, &lock, lock.name});
    s.sched.lock(lock);
  } else if (!s.sched.trylock(lock)) {
    skip(n, event_kind::fib6_gc_skip, "lock is taken");
    arm_timer(n, s.options.hz);
    return;
  }
  const auto now = static_cast<std::int64_t>(s.timers.jiffies());
  if (may_recheck && gc_run_is_needless(s.policy.gc, n.ipv6->gc, now, n.ipv6->ip6_rt_last_gc.load())) {
    skip(n, event_kind::fib6_gc_not_due, "another run has ended meanwhile");
  } else {
    run_locked(expires, n);
  }
  s.sched.unlock(lock);
}

}  // namespace

void fib6_force_start_gc(net& n) {
  stack& s = n.owner;
  if (!s.timers.timer_pending(n.ipv6->ip6_fib_timer)) arm_timer(n, static_cast<std::uint64_t>(n.ipv6->gc.interval));
}

void fib6_run_gc(std::int64_t expires, net& n, bool force) { run(expires, n, force, false); }

bool ip6_dst_gc(net& n) {
  stack& s = n.owner;
  netns_ipv6& v6 = *n.ipv6;
  std::size_t entries = v6.dst_entries.load();
  const auto now = static_cast<std::int64_t>(s.timers.jiffies());
  const bool force = gc_forces(s.policy.gc, v6.gc, entries);
  if (gc_skips(s.policy.gc, v6.gc, now, v6.ip6_rt_last_gc.load(), entries)) {
    skip(n, event_kind::fib6_gc_not_due, "min_interval");
  } else {
    run(v6.ip6_rt_gc_expire.fetch_add(1) + 1, n, force, true);
    entries = v6.dst_entries.load();
    if (entries < v6.gc.gc_thresh) v6.ip6_rt_gc_expire.store(v6.gc.timeout >> 1);
  }
  v6.ip6_rt_gc_expire.store(gc_expire_after(v6.gc, v6.ip6_rt_gc_expire.load()));
  const bool refuses = gc_refuses(s.policy.gc, v6.gc, entries);
  if (!chosen(s.policy, mutation::refused_over_max, refuses, entries > v6.gc.max_size)) return false;
  s.counters.dst_alloc_refused.fetch_add(1, std::memory_order_relaxed);
  s.emit_net(event_kind::dst_alloc_refused, n);
  return true;
}

}  // namespace quiesce::refimpl
