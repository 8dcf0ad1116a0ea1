// SPDX-License-Identifier: MIT
// The collection of IPv6 routes.
#include <algorithm>

#include "conformance/probe_internal.hpp"
#include "conformance/schedule_control.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

void gc_at_rest(const look& l, refimpl::net& n, bool armed) {
  refimpl::netns_ipv6& v6 = *n.ipv6;
  bool expiring = false;
  for (const auto& [key, f] : v6.table) {
    if (f->expires == 0 && f->exceptions.empty()) continue;
    expiring = true;
    if (l.s.policy.gc.gc_list)
      l.require(!refimpl::list_empty(&f->gc_link), "all_routes_in_reach", "a route that expires is not on the gc list");
  }
  l.require(!expiring || armed, "routes_have_a_timer", "a route expires and the timer is not armed");
  net_memory& m = l.m.nets[n.id];
  l.require(!m.skipped_gc || armed, "skipped_gc_made_up", "a skipped collection is not made up for");
  const auto cpus =
      std::count_if(l.m.collectors.begin(), l.m.collectors.end(), [](const auto& c) { return c.second.asked_at != 0; });
  l.require(v6.dst_entries.load() <= v6.gc.max_size + static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, cpus)),
            "routes_limited", "there are more routes than max_size and one for each CPU");
}

}  // namespace

namespace {

bool one_lock(const look& l, int a, int b) { return a == b || l.s.policy.gc.global_lock; }

// As ip6_dst_gc decides it, and with the lock held once more.
bool too_early(const look& l, const refimpl::netns_ipv6& v6) {
  const auto now = static_cast<std::int64_t>(l.s.timers.jiffies());
  const bool needed = l.s.policy.gc.refuse_over_max && v6.dst_entries.load() > v6.gc.max_size;
  const std::int64_t last = v6.ip6_rt_last_gc.load();
  return last != 0 && last + v6.gc.min_interval > now && !needed;
}

void begins(const look& l, collector_memory& c) {
  net_memory& n = l.m.nets[l.e.net];
  l.require(!n.collecting, "one_gc_at_a_time", "two collections of a namespace run at the same time");
  n.collecting = true;
  c.spins_for = refimpl::no_id;
  const refimpl::net* at = l.net();
  if (c.asks_for == l.e.net && at != nullptr && at->ipv6 != nullptr)
    l.require(!too_early(l, *at->ipv6), "min_interval_between_gcs",
              "a collection begins within the minimal interval after another");
}

void ends(const look& l, collector_memory& c) {
  l.m.nets[l.e.net].collecting = false;
  l.m.nets[l.e.net].skipped_gc = false;
  c.asks_for = refimpl::no_id;
  ++l.m.collector_events;
  for (auto& [task, other] : l.m.collectors) {
    if (task == l.e.task || other.spins_for == refimpl::no_id || !one_lock(l, other.spins_for, l.e.net)) continue;
    l.require(other.spins_for == l.e.net, "no_delay_by_other_net", "a CPU waits for a collection of another namespace");
    l.require(++other.spun < 2, "spins_for_one_gc", "a CPU waits until the second collection of others has ended");
  }
}

void skips(const look& l, collector_memory& c) {
  net_memory& n = l.m.nets[l.e.net];
  n.skipped_gc = true;
  for (const auto& [number, other] : l.m.nets)
    l.require(n.collecting || number == l.e.net || !other.collecting, "no_delay_by_other_net",
              "a collection is skipped because of one of another namespace");
  const refimpl::net* at = l.net();
  if (c.asks_for == l.e.net && c.asked_at == l.m.collector_events && at != nullptr)
    l.require(at->ipv6->ip6_rt_gc_expire.load() == c.expire, "expire_moves_with_gc",
              "ip6_rt_gc_expire has moved and no collection took place");
  c.asks_for = refimpl::no_id;
}

// Also of a namespace that is not listed any more.
void armed(const look& l) {
  if (std::string_view(l.e.tag) != "ip6_fib_timer") return;
  const refimpl::net* at = l.net();
  l.require(!l.m.nets[l.e.net].freed && (at == nullptr || !at->ipv6->exited.load()), "timer_stopped_at_exit",
            "the timer of a namespace that has gone is armed");
}

void asks(const look& l, collector_memory& c) {
  const refimpl::net* at = l.net();
  c.asks_for = l.e.net;
  c.asked_at = ++l.m.collector_events;
  c.expire = at != nullptr && at->ipv6 != nullptr ? at->ipv6->ip6_rt_gc_expire.load() : 0;
}

// Tasks of a controlled schedule interleave: some may be in the collector while another releases RTNL.
bool nobody_at_work(const look& l) { return l.e.seq == 0 || l.e.task < first_task_id; }

void timers(const look& l) {
  for (refimpl::net* n : l.nets()) {
    if (n->ipv6 == nullptr) continue;
    const bool armed = l.s.timers.timer_pending(n->ipv6->ip6_fib_timer);
    l.require(!armed || !n->ipv6->exited.load(), "timer_stopped_at_exit", "the timer of a namespace that has gone is armed");
    if (l.e.kind == event_kind::rtnl_unlock && nobody_at_work(l)) gc_at_rest(l, *n, armed);
  }
}

}  // namespace

void probe_gc(const look& l) {
  collector_memory& c = l.m.collectors[l.e.task];
  switch (l.e.kind) {
    case event_kind::dst_alloc:
      return asks(l, c);
    case event_kind::fib6_gc_spin:
      c.spins_for = l.e.net;
      c.spun = 0;
      return;
    case event_kind::fib6_gc_begin:
      return begins(l, c);
    case event_kind::fib6_gc_end:
      return ends(l, c);
    case event_kind::fib6_gc_skip:
      return skips(l, c);
    case event_kind::mod_timer:
      return armed(l);
    case event_kind::net_free:
      l.m.nets[l.e.net].freed = true;
      return;
    case event_kind::fib6_gc_not_due:
      c.spins_for = refimpl::no_id;
      c.asks_for = refimpl::no_id;
      return;
    case event_kind::rtnl_unlock:
    case event_kind::rcu_barrier_begin:
      return timers(l);
    default:
      return;
  }
}

}  // namespace quiesce::conformance
