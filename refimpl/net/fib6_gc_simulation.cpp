// SPDX-License-Identifier: MIT
#include "refimpl/net/fib6_gc_simulation.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "refimpl/net/fib6_gc_rules.hpp"

namespace quiesce::refimpl {

namespace {

using ns = std::int64_t;
constexpr ns second = 1'000'000'000;
ns to_ns(double s) { return static_cast<ns>(s * 1e9); }
double to_s(ns t) { return static_cast<double>(t) / 1e9; }

enum class what { arrival, work_done, run_done, timer };

struct occurrence {
  ns at;
  std::uint64_t order;  // ties in order of scheduling
  what kind;
  unsigned cpu;
  bool operator>(const occurrence& o) const { return std::tie(at, order) > std::tie(o.at, o.order); }
};

struct cpu_state {
  bool busy = false;
  std::size_t backlog = 0;
  ns spin_since = 0;
  ns expires = 0;          // timeout of the run it does or waits for
  bool timer_run = false;  // the timer's run, not an allocation's
  ns longest_run_seen = 0;
};

class simulation {
 public:
  explicit simulation(const gc_simulation_input& in);
  gc_simulation_result run();

 private:
  void schedule(ns at, what kind, unsigned cpu) { queue_.push({at, order_++, kind, cpu}); }
  void arrival(unsigned c);
  void next_packet(unsigned c);
  void allocate(unsigned c);
  void request_run(unsigned c, ns expires, bool force);
  void grant(unsigned c);
  void start_run(unsigned c);
  void run_done(unsigned c);
  void release_lock();
  void after_gc(unsigned c);
  void insert_or_refuse(unsigned c);
  void finish_packet(unsigned c, ns cost);
  void timer();
  void age(ns expires);
  void sample();
  ns jiffy(ns t) const { return t - t % tick_; }  // the kernel compares jiffies

  const gc_simulation_input& in_;
  gc_parameters g_;
  ns now_ = 0, end_, tick_, last_gc_ = 0, next_sample_ = 0;
  ns expire_;
  std::uint64_t order_ = 0;
  std::priority_queue<occurrence, std::vector<occurrence>, std::greater<>> queue_;
  std::vector<cpu_state> cpus_;
  std::deque<ns> entries_;  // times of creation, oldest first
  bool locked_ = false;
  std::deque<unsigned> waiters_;
  ns timer_at_ = -1;
  ns spin_ = 0, busy_ = 0, run_started_ = 0;
  gc_simulation_result out_;
};

simulation::simulation(const gc_simulation_input& in) : in_(in), end_(to_ns(in.seconds)), tick_(second / in.hz) {
  if (in.cpus == 0 || in.entries_per_second <= 0 || in.seconds <= 0 || in.hz == 0 || in.sample_every_s <= 0)
    throw std::invalid_argument("simulate_fib6_gc: cpus, rate, times and hz must be positive");
  g_.min_interval = to_ns(in.min_interval_s);
  g_.interval = to_ns(in.interval_s);
  g_.timeout = to_ns(in.timeout_s);
  g_.elasticity = in.elasticity;
  g_.gc_thresh = in.gc_thresh;
  g_.max_size = in.max_size;
  expire_ = 30 * second / tick_;
  last_gc_ = -g_.min_interval;
  cpus_.resize(in.cpus);
}

void simulation::sample() {
  for (; next_sample_ <= now_; next_sample_ += to_ns(in_.sample_every_s))
    out_.table.push_back({to_s(next_sample_), entries_.size(), to_s(expire_ * tick_)});
}

gc_simulation_result simulation::run() {
  const double gap = 1e9 * in_.cpus / in_.entries_per_second;
  for (unsigned c = 0; c < in_.cpus; ++c) schedule(static_cast<ns>(gap * (c + 1) / in_.cpus), what::arrival, c);
  while (!queue_.empty() && queue_.top().at <= end_) {
    const occurrence o = queue_.top();
    queue_.pop();
    now_ = o.at;
    sample();
    switch (o.kind) {
      case what::arrival:
        schedule(now_ + static_cast<ns>(gap), what::arrival, o.cpu);
        arrival(o.cpu);
        break;
      case what::work_done:
        cpus_[o.cpu].busy = false;
        next_packet(o.cpu);
        break;
      case what::run_done:
        run_done(o.cpu);
        break;
      case what::timer:
        if (timer_at_ == o.at) timer();
        break;
    }
  }
  now_ = end_;
  for (unsigned c : waiters_) {  // still spinning at the end
    spin_ += end_ - cpus_[c].spin_since;
    out_.longest_spin_s = std::max(out_.longest_spin_s, to_s(end_ - cpus_[c].spin_since));
  }
  if (locked_) busy_ += end_ - run_started_;
  sample();
  out_.simulated_s = in_.seconds;
  out_.spin_share = to_s(spin_) / (in_.seconds * in_.cpus);
  out_.busy_share = to_s(busy_) / (in_.seconds * in_.cpus);
  return out_;
}

void simulation::arrival(unsigned c) {
  cpu_state& cpu = cpus_[c];
  if (cpu.busy) {
    if (cpu.backlog < in_.backlog_limit) {
      ++cpu.backlog;
    } else {
      ++out_.dropped;
    }
    return;
  }
  allocate(c);
}

void simulation::next_packet(unsigned c) {
  if (cpus_[c].backlog == 0) return;
  --cpus_[c].backlog;
  allocate(c);
}

void simulation::finish_packet(unsigned c, ns cost) {
  cpus_[c].busy = true;
  schedule(now_ + cost, what::work_done, c);
}

// dst_alloc and ip6_dst_gc up to the run.
void simulation::allocate(unsigned c) {
  cpus_[c].busy = true;
  cpus_[c].timer_run = false;
  const std::size_t entries = entries_.size();
  if (entries <= g_.gc_thresh) {
    insert_or_refuse(c);
  } else if (gc_skips(in_.policy, g_, jiffy(now_), last_gc_, entries)) {
    ++out_.runs_skipped;
    expire_ = gc_expire_after(g_, expire_);
    insert_or_refuse(c);
  } else {
    request_run(c, ++expire_ * tick_, gc_forces(in_.policy, g_, entries));
  }
}

void simulation::request_run(unsigned c, ns expires, bool force) {
  cpus_[c].expires = expires;
  if (!locked_) {
    locked_ = true;
    start_run(c);
  } else if (force) {
    cpus_[c].spin_since = now_;
    cpus_[c].longest_run_seen = 0;
    waiters_.push_back(c);
  } else {
    ++out_.lost_trylocks;
    timer_at_ = now_ + second;
    schedule(timer_at_, what::timer, 0);
    after_gc(c);
  }
}

void simulation::start_run(unsigned c) {
  const std::size_t walked = entries_.size() + (in_.policy.gc_list ? 0 : in_.permanent_entries);
  run_started_ = now_;
  schedule(now_ + in_.ns_per_run + static_cast<ns>(walked) * in_.ns_per_entry_walked, what::run_done, c);
}

// The entries are in order of creation, and all live equally long: the expired ones are in front.
void simulation::age(ns expires) {
  const ns lifetime = in_.entry_lifetime_s > 0 ? to_ns(in_.entry_lifetime_s) : expires;
  const std::size_t before = entries_.size();
  while (!entries_.empty() && entries_.front() + lifetime < now_) entries_.pop_front();
  out_.freed += before - entries_.size();
}

void simulation::run_done(unsigned c) {
  const ns duration = now_ - run_started_;
  busy_ += duration;
  ++out_.runs;
  out_.longest_run_s = std::max(out_.longest_run_s, to_s(duration));
  for (unsigned w : waiters_) cpus_[w].longest_run_seen = std::max(cpus_[w].longest_run_seen, duration);
  age(cpus_[c].expires);
  last_gc_ = jiffy(now_);
  timer_at_ = entries_.empty() ? -1 : now_ + g_.interval;
  if (timer_at_ >= 0) schedule(timer_at_, what::timer, 0);
  release_lock();
  if (cpus_[c].timer_run) {
    cpus_[c].busy = false;
    next_packet(c);
  } else {
    if (entries_.size() < g_.gc_thresh) expire_ = (g_.timeout >> 1) / tick_;
    after_gc(c);
  }
}

// The next waiter gets the lock; with the re-check it may leave at once and pass it on.
void simulation::release_lock() {
  while (!waiters_.empty()) {
    const unsigned c = waiters_.front();
    waiters_.pop_front();
    const ns spun = now_ - cpus_[c].spin_since;
    spin_ += spun;
    if (to_s(spun) > out_.longest_spin_s) {
      out_.longest_spin_s = to_s(spun);
      if (cpus_[c].longest_run_seen > 0)
        out_.longest_spin_in_runs = static_cast<double>(spun) / static_cast<double>(cpus_[c].longest_run_seen);
    }
    if (!cpus_[c].timer_run && gc_run_is_needless(in_.policy, g_, jiffy(now_), last_gc_)) {
      ++out_.rechecked;
      after_gc(c);
      continue;
    }
    start_run(c);
    return;
  }
  locked_ = false;
}

// ip6_dst_gc after the run, or after it was given up.
void simulation::after_gc(unsigned c) {
  expire_ = gc_expire_after(g_, expire_);
  insert_or_refuse(c);
}

void simulation::insert_or_refuse(unsigned c) {
  if (entries_.size() > g_.gc_thresh && gc_refuses(in_.policy, g_, entries_.size())) {
    ++out_.refused;
  } else {
    entries_.push_back(now_);
    ++out_.created;
    out_.largest_table = std::max(out_.largest_table, entries_.size());
  }
  finish_packet(c, in_.ns_per_allocation);
}

// fib6_gc_timer_cb on CPU 0, forced; if that CPU is busy, a tick later.
void simulation::timer() {
  if (cpus_[0].busy) {
    timer_at_ = now_ + tick_;
    schedule(timer_at_, what::timer, 0);
    return;
  }
  timer_at_ = -1;
  cpus_[0].busy = true;
  cpus_[0].timer_run = true;
  request_run(0, g_.interval, true);
}

}  // namespace

gc_simulation_result simulate_fib6_gc(const gc_simulation_input& input) { return simulation(input).run(); }

}  // namespace quiesce::refimpl
