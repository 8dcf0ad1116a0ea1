// SPDX-License-Identifier: MIT
#pragma once
// The decisions of the IPv6 garbage collector in which the variants differ, shared by the stack (fib6_gc.cpp) and the
// simulation of many CPUs (fib6_gc_simulation.cpp). Mirrors ip6_dst_gc of net/ipv6/route.c and fib6_run_gc of
// net/ipv6/ip6_fib.c, v4.4 to v6.18. Times in any one unit.

#include <cstdint>

#include "refimpl/core/variant.hpp"

namespace quiesce::refimpl {

struct gc_parameters {
  std::int64_t min_interval, interval, timeout;  // ip6_rt_gc_min_interval, _gc_interval, _gc_timeout
  int elasticity = 9;                            // ip6_rt_gc_elasticity
  std::size_t gc_thresh = 1024;
  std::size_t max_size = 4096;  // ip6_rt_max_size
};

// Whether ip6_dst_gc leaves without a run.
inline bool gc_skips(const gc_policy& p, const gc_parameters& g, std::int64_t now, std::int64_t last_gc,
                     std::size_t entries) {
  const bool recent = last_gc + g.min_interval > now;
  return recent && (!p.skip_needs_room || entries <= g.max_size);
}
// fib6_run_gc's force: wait for the lock, or give up when another run has it.
inline bool gc_forces(const gc_policy& p, const gc_parameters& g, std::size_t entries) {
  switch (p.force) {
    case gc_policy::force_rule::always:
      return true;
    case gc_policy::force_rule::never:
      return false;
    case gc_policy::force_rule::over_max:
      return entries > g.max_size;
  }
  return true;
}
// Whether the allocation fails afterwards: "Route cache is full".
inline bool gc_refuses(const gc_policy& p, const gc_parameters& g, std::size_t entries) {
  return p.refuse_over_max && entries > g.max_size;
}
// With the lock taken: a run that ended while waiting has done the work.
inline bool gc_run_is_needless(const gc_policy& p, const gc_parameters& g, std::int64_t now, std::int64_t last_gc) {
  return p.recheck && last_gc + g.min_interval > now;
}
// ip6_rt_gc_expire, the age threshold, after ip6_dst_gc.
inline std::int64_t gc_expire_after(const gc_parameters& g, std::int64_t expire) {
  return expire - (expire >> g.elasticity);
}

}  // namespace quiesce::refimpl
