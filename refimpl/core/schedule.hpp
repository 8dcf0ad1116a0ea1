// SPDX-License-Identifier: MIT
#pragma once
// The scheduler policy: every blocking or visible point of the stack goes through this interface, so that real threads, a
// simulated clock or a controlled scheduler can run the same code. Grace-period ends and timer firings are choices offered
// by choice_source; lock grants and wake-ups belong to the schedule itself.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "refimpl/core/task.hpp"

namespace quiesce::refimpl {

using nanoseconds = std::chrono::nanoseconds;

// A mutex or spinlock of the stack. Not recursive. `native` is used by real threads only; a controlled schedule grants by
// owner.
struct lock_state {
  explicit lock_state(const char* label) : name(label) {}
  const char* name;
  std::mutex native;
  std::atomic<task*> owner{nullptr};
};

struct wait_queue {
  explicit wait_queue(const char* label) : name(label) {}
  const char* name;
  std::mutex native;
  std::condition_variable woken;
};

// A point where another task may run before the current one continues.
enum class point_kind : std::uint8_t { lock, unlock, wait, wake, sleep, grace_period, timer, step };
struct point {
  point_kind kind;
  const void* object;  // lock, queue, device, ... : accesses to different objects are independent
  const char* name;
};

// Something that can happen by itself: an armed timer fires, a grace period ends, a callback runs. Index 0 .. choices()-1.
class choice_source {
 public:
  virtual ~choice_source() = default;
  virtual std::size_t choices() = 0;
  virtual nanoseconds due(std::size_t index) = 0;  // earliest time under `time urgent`; a free-time schedule ignores it
  virtual std::string describe(std::size_t index) = 0;
  virtual void fire(std::size_t index) = 0;  // runs in softirq context: does not block
  // The index with the least due time; override where it is known without a scan.
  virtual std::optional<std::size_t> earliest();
};

class schedule {
 public:
  virtual ~schedule() = default;
  virtual task& current() = 0;
  virtual void lock(lock_state& l) = 0;
  virtual bool trylock(lock_state& l) = 0;
  virtual void unlock(lock_state& l) = 0;
  // Returns when condition() is true. It is re-evaluated after wake(q) and whenever a choice fired.
  virtual void wait(wait_queue& q, const std::function<bool()>& condition) = 0;
  virtual void wake(wait_queue& q) = 0;
  virtual void sleep_until(nanoseconds when) = 0;
  virtual nanoseconds now() = 0;  // CLOCK_MONOTONIC or simulated
  virtual void visible(const point&) {}
  // True: time and choices are driven by this object in one flow of control at a time. False: real threads.
  virtual bool controlled() const = 0;

  void add_source(choice_source& s);
  void remove_source(choice_source& s);

 protected:
  std::vector<choice_source*> sources_;
};

// Real threads. current() is a task per thread. O(1) each.
class real_schedule : public schedule {
 public:
  real_schedule();
  ~real_schedule() override;
  task& current() override;
  void lock(lock_state& l) override;
  bool trylock(lock_state& l) override;
  void unlock(lock_state& l) override;
  void wait(wait_queue& q, const std::function<bool()>& condition) override;
  void wake(wait_queue& q) override;
  void sleep_until(nanoseconds when) override;
  nanoseconds now() override;
  bool controlled() const override { return false; }

 private:
  struct tasks;
  std::unique_ptr<tasks> tasks_;
  std::uint64_t identity_;
};

// One task and a simulated clock (`time urgent`): when the task blocks, time jumps to the next due choice. A wait that
// nothing can end, and a lock that the same task holds, throw machine_check (deadlock).
class simulated_schedule : public schedule {
 public:
  task& current() override { return in_softirq_ ? softirq_ : task_; }
  void lock(lock_state& l) override;
  bool trylock(lock_state& l) override;
  void unlock(lock_state& l) override;
  void wait(wait_queue& q, const std::function<bool()>& condition) override;
  void wake(wait_queue&) override {}
  void sleep_until(nanoseconds when) override;
  nanoseconds now() override { return now_; }
  bool controlled() const override { return true; }
  // Lets simulated time pass: everything due until then fires in order of due time, ties by source and index.
  void advance(nanoseconds by) { sleep_until(now_ + by); }

 private:
  struct next_choice {
    choice_source* source;
    std::size_t index;
    nanoseconds due;
  };
  std::optional<next_choice> earliest();
  void fire(const next_choice& c);

  task task_{1, "main"};
  task softirq_{2, "softirq"};
  bool in_softirq_ = false;
  nanoseconds now_{0};
};

// Holds a lock_state for a scope.
class lock_guard {
 public:
  lock_guard(schedule& s, lock_state& l) : schedule_(s), lock_(l) { schedule_.lock(lock_); }
  ~lock_guard() { schedule_.unlock(lock_); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

 private:
  schedule& schedule_;
  lock_state& lock_;
};

}  // namespace quiesce::refimpl
