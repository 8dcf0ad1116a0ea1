// SPDX-License-Identifier: MIT
#include "refimpl/core/timer.hpp"

namespace quiesce::refimpl {

timer_base::timer_base(schedule& s, unsigned hz) : schedule_(s), hz_(hz), tick_ns_(1'000'000'000ull / hz) {
  if (schedule_.controlled()) schedule_.add_source(*this);
}

timer_base::~timer_base() {
  if (schedule_.controlled()) schedule_.remove_source(*this);
  {
    std::lock_guard held(lock_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (service_.joinable()) service_.join();
}

void timer_base::msleep(std::uint64_t ms) {
  const std::uint64_t wake = jiffies() + msecs_to_jiffies(ms) + 1;
  schedule_.visible({point_kind::sleep, this, "msleep"});
  schedule_.sleep_until(nanoseconds(wake * tick_ns_));
}

bool timer_base::detach(timer_list& t) {
  if (!t.pending) return false;
  armed_.erase({t.expires, &t});
  t.pending = false;
  return true;
}

bool timer_base::mod_timer(timer_list& t, std::uint64_t expires) {
  std::lock_guard held(lock_);
  const bool was = detach(t);
  t.expires = expires;
  t.pending = true;
  armed_.insert({expires, &t});
  if (!schedule_.controlled() && !service_.joinable() && !stopping_) service_ = std::thread([this] { serve(); });
  changed_.notify_all();
  return was;
}

bool timer_base::del_timer(timer_list& t) {
  std::lock_guard held(lock_);
  return detach(t);
}

bool timer_base::del_timer_sync(timer_list& t) {
  std::unique_lock held(lock_);
  const bool was = detach(t);
  changed_.wait(held, [&] { return running_ != &t || running_in_ == std::this_thread::get_id(); });
  return detach(t) || was;  // the handler may have armed it again
}

bool timer_base::timer_pending(const timer_list& t) const {
  std::lock_guard held(lock_);
  return t.pending;
}

timer_base::armed_set::iterator timer_base::at(std::size_t index) {
  return std::next(armed_.begin(), static_cast<long>(index));
}
std::size_t timer_base::choices() { return armed_.size(); }
nanoseconds timer_base::due(std::size_t index) { return nanoseconds(at(index)->first * tick_ns_); }
std::string timer_base::describe(std::size_t index) { return "timer " + at(index)->second->name + " fires"; }
std::optional<std::size_t> timer_base::earliest() {
  if (armed_.empty()) return std::nullopt;
  return 0;
}

void timer_base::fire(std::size_t index) {
  timer_list& t = *at(index)->second;
  detach(t);
  const auto function = t.function;  // which may destroy the timer
  function();
}

void timer_base::serve() {
  std::unique_lock held(lock_);
  while (!stopping_) {
    if (armed_.empty()) {
      changed_.wait(held);
      continue;
    }
    timer_list& t = *armed_.begin()->second;
    const nanoseconds due(t.expires * tick_ns_);
    if (schedule_.now() < due) {
      changed_.wait_until(held, std::chrono::steady_clock::time_point(due));
      continue;
    }
    detach(t);
    running_ = &t;
    running_in_ = std::this_thread::get_id();
    const auto function = t.function;  // which may destroy the timer
    held.unlock();
    function();
    held.lock();
    running_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace quiesce::refimpl
