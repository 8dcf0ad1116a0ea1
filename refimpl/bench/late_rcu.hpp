// SPDX-License-Identifier: MIT
#pragma once
// RCU in simulated time whose callbacks run some time after their grace period has ended, as in a kernel, where softirq or a
// kthread runs them. synchronize_rcu returns at the end of the grace period and does not wait for callbacks: this is what
// leaves the thread's second callback behind the rcu_barrier of netdev_run_todo.

#include <deque>
#include <memory>

#include "refimpl/core/rcu.hpp"

namespace quiesce::bench {

class late_rcu : public refimpl::rcu, public refimpl::choice_source {
 public:
  // before: callbacks run in the order queued, so all have one latency.
  // `expedited`: the length of the grace periods that synchronize_rcu waits for; callbacks wait for ordinary ones.
  late_rcu(refimpl::schedule& s, refimpl::nanoseconds grace_period, refimpl::nanoseconds latency,
           refimpl::nanoseconds expedited);
  ~late_rcu() override;
  void read_lock() override { ++open_readers_; }
  void read_unlock() override { --open_readers_; }
  void call_rcu(refimpl::rcu_head* head, void (*func)(refimpl::rcu_head*)) override;
  void synchronize_rcu() override;
  void rcu_barrier() override;

  std::size_t choices() override;
  refimpl::nanoseconds due(std::size_t index) override;
  std::string describe(std::size_t index) override;
  void fire(std::size_t index) override;

 private:
  struct callback {
    refimpl::rcu_head* head;
    refimpl::nanoseconds due;
  };
  struct waiter {
    refimpl::nanoseconds due;
    std::shared_ptr<bool> done;
  };
  bool waiter_is_next() const;

  refimpl::schedule& schedule_;
  refimpl::nanoseconds grace_period_, latency_, expedited_;
  std::deque<callback> callbacks_;
  std::deque<waiter> waiters_;
  std::uint64_t queued_ = 0, ran_ = 0, open_readers_ = 0;
  refimpl::wait_queue woken_{"grace period"};
};

}  // namespace quiesce::bench
