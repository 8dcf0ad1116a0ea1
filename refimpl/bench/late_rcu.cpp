// SPDX-License-Identifier: MIT
#include "refimpl/bench/late_rcu.hpp"

namespace quiesce::bench {

using namespace refimpl;

late_rcu::late_rcu(schedule& s, nanoseconds grace_period, nanoseconds latency, nanoseconds expedited)
    : schedule_(s), grace_period_(grace_period), latency_(latency), expedited_(expedited) {
  schedule_.add_source(*this);
}
late_rcu::~late_rcu() { schedule_.remove_source(*this); }

void late_rcu::call_rcu(rcu_head* head, void (*func)(rcu_head*)) {
  head->func = func;
  callbacks_.push_back({head, schedule_.now() + grace_period_ + latency_});
  ++queued_;
}

void late_rcu::synchronize_rcu() {
  auto done = std::make_shared<bool>(false);
  waiters_.push_back({schedule_.now() + expedited_, done});
  schedule_.wait(woken_, [&] { return *done; });
}

void late_rcu::rcu_barrier() {
  const std::uint64_t until = queued_;
  schedule_.wait(woken_, [&] { return ran_ >= until; });
}

bool late_rcu::waiter_is_next() const {
  return !waiters_.empty() && (callbacks_.empty() || waiters_.front().due <= callbacks_.front().due);
}

std::size_t late_rcu::choices() { return open_readers_ == 0 && (!callbacks_.empty() || !waiters_.empty()) ? 1 : 0; }
nanoseconds late_rcu::due(std::size_t) { return waiter_is_next() ? waiters_.front().due : callbacks_.front().due; }
std::string late_rcu::describe(std::size_t) { return waiter_is_next() ? "grace period ends" : "rcu callback"; }

void late_rcu::fire(std::size_t) {
  if (waiter_is_next()) {
    *waiters_.front().done = true;
    waiters_.pop_front();
  } else {
    rcu_head* head = callbacks_.front().head;
    callbacks_.pop_front();
    head->func(head);
    ++ran_;
  }
  schedule_.wake(woken_);
}

}  // namespace quiesce::bench
