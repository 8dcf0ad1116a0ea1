// SPDX-License-Identifier: MIT
#pragma once
// include/linux/timer.h, kernel/time/timer.c (v6.1): mod_timer, del_timer, del_timer_sync, jiffies, msleep.
// Real threads: one service thread fires expired timers. Controlled: each armed timer is a choice of the schedule.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "refimpl/core/schedule.hpp"

namespace quiesce::refimpl {

class timer_base;

struct timer_list {
  timer_list(std::string label, std::function<void()> f) : name(std::move(label)), function(std::move(f)) {}
  timer_list(const timer_list&) = delete;
  std::string name;
  std::function<void()> function;  // softirq context: must not block; may destroy the timer
  bool pending = false;            // under timer_base's lock
  std::uint64_t expires = 0;       // jiffies; under timer_base's lock
};

class timer_base : public choice_source {
 public:
  timer_base(schedule& s, unsigned hz);
  ~timer_base() override;

  unsigned hz() const { return hz_; }
  std::uint64_t jiffies() { return static_cast<std::uint64_t>(schedule_.now().count()) / tick_ns_; }
  // msecs_to_jiffies: rounds up.
  std::uint64_t msecs_to_jiffies(std::uint64_t ms) const { return (ms * hz_ + 999) / 1000; }
  // msleep: msecs_to_jiffies(ms) + 1 ticks, woken on a tick. Not under a spinlock or RTNL-less assumption; emits nothing.
  void msleep(std::uint64_t ms);

  // Arms or re-arms; returns whether it was pending. O(log n).
  bool mod_timer(timer_list& t, std::uint64_t expires);
  // Returns whether it was pending. The handler may still be running.
  bool del_timer(timer_list& t);
  // As del_timer, and the handler is not running afterwards. The caller holds no lock that the handler takes (rule N11).
  bool del_timer_sync(timer_list& t);
  bool timer_pending(const timer_list& t) const;

  std::size_t choices() override;
  nanoseconds due(std::size_t index) override;
  std::string describe(std::size_t index) override;
  void fire(std::size_t index) override;
  std::optional<std::size_t> earliest() override;

 private:
  using armed_set = std::set<std::pair<std::uint64_t, timer_list*>>;
  armed_set::iterator at(std::size_t index);
  bool detach(timer_list& t);
  void serve();

  schedule& schedule_;
  unsigned hz_;
  std::uint64_t tick_ns_;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  armed_set armed_;
  timer_list* running_ = nullptr;
  std::thread::id running_in_;
  std::thread service_;  // real threads only, started by the first mod_timer
  bool stopping_ = false;
};

}  // namespace quiesce::refimpl
