// SPDX-License-Identifier: MIT
#pragma once
// The IPv6 garbage collector on the stack. Mirrors fib6_run_gc of net/ipv6/ip6_fib.c and ip6_dst_gc of net/ipv6/route.c; the
// variants' differences are in fib6_gc_rules.hpp. Its times on many CPUs: fib6_gc_simulation.hpp.

#include "refimpl/net/ip6_fib.hpp"

namespace quiesce::refimpl {

// Removes what has expired, exceptions unused for `expires` jiffies (0: gc_interval) included. force: waits for the lock;
// else, if a run is under way, arms the timer for a second later and returns. locks: takes fib6_gc_lock (one for all
// namespaces in G44), then tb6_lock. after a run: last_gc is now; the timer is armed if something can still expire. emits:
// fib6_gc_begin, fib6_gc_end, or fib6_gc_skip, fib6_gc_not_due; mod_timer, del_timer. O(routes + exceptions), or O(those
// that can expire) with a gc list.
void fib6_run_gc(std::int64_t expires, net& n, bool force);

// Arms the timer unless it is armed: something that can expire was added. emits: mod_timer. O(log timers).
void fib6_force_start_gc(net& n);

// dst_alloc's call into the collector when more than gc_thresh entries exist. True: the allocation is refused. emits:
// dst_alloc_refused.
bool ip6_dst_gc(net& n);

}  // namespace quiesce::refimpl
