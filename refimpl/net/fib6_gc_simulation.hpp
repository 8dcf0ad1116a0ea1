// SPDX-License-Identifier: MIT
#pragma once
// The garbage collector under load on N simulated CPUs: a discrete-event simulation in which a run's duration is
// proportional to the entries it walks and waiters of the lock are served in order of arrival (queued spinlock). Decisions
// come from fib6_gc_rules.hpp, the same that the stack uses. Each CPU handles its packets one by one in softirq: while it
// spins or collects, its packets queue.

#include <cstdint>
#include <vector>

#include "refimpl/core/variant.hpp"

namespace quiesce::refimpl {

struct gc_simulation_input {
  gc_policy policy;
  unsigned cpus = 8;
  double entries_per_second = 17'000;  // over all CPUs, evenly spaced, one CPU after the other
  double seconds = 60;
  double entry_lifetime_s = 600;  // entries that carry an expiry; 0: aged by disuse against ip6_rt_gc_expire
  std::size_t max_size = 4096;
  std::size_t gc_thresh = 1024;
  double min_interval_s = 0.5, interval_s = 30, timeout_s = 60;
  int elasticity = 9;
  unsigned hz = 1000;
  std::int64_t ns_per_entry_walked = 100;  // inputs of the cost model, printed as such
  std::int64_t ns_per_run = 2'000;
  std::int64_t ns_per_allocation = 1'000;
  std::size_t permanent_entries = 0;  // routes without expiry: walked by the variants without a gc list
  std::size_t backlog_limit = 1'000;  // netdev_max_backlog per CPU; packets beyond are dropped
  double sample_every_s = 1;
};

struct gc_simulation_sample {
  double at_s;
  std::size_t entries;
  double gc_expire_s;
};

struct gc_simulation_result {
  double simulated_s = 0;
  double spin_share = 0;  // of all CPU time
  double busy_share = 0;  // collecting, of all CPU time
  double longest_spin_s = 0;
  double longest_spin_in_runs = 0;  // in durations of the longest run that ended during it (1: one run waited for)
  double longest_run_s = 0;
  std::uint64_t runs = 0, runs_skipped = 0, lost_trylocks = 0, rechecked = 0;
  std::uint64_t freed = 0, created = 0, refused = 0, dropped = 0;
  std::size_t largest_table = 0;
  std::vector<gc_simulation_sample> table;  // size over time
};

// Deterministic. errors: std::invalid_argument for cpus == 0, rates or times <= 0. O(events log cpus).
gc_simulation_result simulate_fib6_gc(const gc_simulation_input& input);

}  // namespace quiesce::refimpl
