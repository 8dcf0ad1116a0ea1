// SPDX-License-Identifier: MIT
#pragma once
// RCU as a policy. urcu_rcu: liburcu (memb flavour) on real threads. modelled_rcu: grace-period ends and callbacks are
// choices of the schedule. Names as in include/linux/rcupdate.h.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "refimpl/core/schedule.hpp"

namespace quiesce::refimpl {

struct rcu_head {
  void* native[2] = {nullptr, nullptr};  // liburcu's own rcu_head; must stay first
  void (*func)(rcu_head*) = nullptr;
  void* object = nullptr;  // what func works on
};

class rcu {
 public:
  virtual ~rcu() = default;
  virtual void read_lock() = 0;
  virtual void read_unlock() = 0;
  // func(head) runs after a grace period, in softirq context; it must not block, it may call call_rcu.
  virtual void call_rcu(rcu_head* head, void (*func)(rcu_head*)) = 0;
  // Returns after every read-side section that was open at the call has ended. Not from a read-side section or a callback.
  virtual void synchronize_rcu() = 0;
  // Returns after every callback queued before the call has run.
  virtual void rcu_barrier() = 0;
};

class urcu_rcu : public rcu {
 public:
  void read_lock() override;
  void read_unlock() override;
  void call_rcu(rcu_head* head, void (*func)(rcu_head*)) override;
  void synchronize_rcu() override;
  void rcu_barrier() override;
};

// A grace period lasts `grace_period` under a simulated clock; under a free-time schedule its end is a choice. Requests end
// in the order made, and only while no read-side section is open (later than RCU must, never earlier).
class modelled_rcu : public rcu, public choice_source {
 public:
  modelled_rcu(schedule& s, nanoseconds grace_period);
  ~modelled_rcu() override;
  void read_lock() override;
  void read_unlock() override;
  void call_rcu(rcu_head* head, void (*func)(rcu_head*)) override;
  void synchronize_rcu() override;
  void rcu_barrier() override;

  std::size_t choices() override;
  nanoseconds due(std::size_t index) override;
  std::string describe(std::size_t index) override;
  void fire(std::size_t index) override;
  std::size_t pending() const { return queue_.size(); }

 private:
  struct request {
    rcu_head* head;  // NULL: a waiter in synchronize_rcu or rcu_barrier
    nanoseconds due;
    std::shared_ptr<bool> done;
  };
  void wait_for(nanoseconds due, const char* what);

  schedule& schedule_;
  nanoseconds grace_period_;
  std::deque<request> queue_;
  std::uint64_t open_readers_ = 0;
  wait_queue waiters_{"grace period"};
};

// rcu_read_lock for a scope.
class rcu_read_guard {
 public:
  explicit rcu_read_guard(rcu& r) : rcu_(r) { rcu_.read_lock(); }
  ~rcu_read_guard() { rcu_.read_unlock(); }
  rcu_read_guard(const rcu_read_guard&) = delete;

 private:
  rcu& rcu_;
};

}  // namespace quiesce::refimpl
