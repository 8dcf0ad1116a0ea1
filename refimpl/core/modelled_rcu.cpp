// SPDX-License-Identifier: MIT
#include "refimpl/core/error.hpp"
#include "refimpl/core/rcu.hpp"

namespace quiesce::refimpl {

modelled_rcu::modelled_rcu(schedule& s, nanoseconds grace_period) : schedule_(s), grace_period_(grace_period) {
  schedule_.add_source(*this);
}
modelled_rcu::~modelled_rcu() { schedule_.remove_source(*this); }

void modelled_rcu::read_lock() { ++open_readers_; }
void modelled_rcu::read_unlock() { --open_readers_; }

void modelled_rcu::call_rcu(rcu_head* head, void (*func)(rcu_head*)) {
  head->func = func;
  queue_.push_back({head, schedule_.now() + grace_period_, nullptr});
  schedule_.visible({point_kind::grace_period, this, "call_rcu"});
}

void modelled_rcu::wait_for(nanoseconds due, const char* what) {
  auto done = std::make_shared<bool>(false);
  queue_.push_back({nullptr, due, done});
  schedule_.visible({point_kind::grace_period, this, what});
  schedule_.wait(waiters_, [&] { return *done; });
}

void modelled_rcu::synchronize_rcu() { wait_for(schedule_.now() + grace_period_, "synchronize_rcu"); }

// Callbacks run in order, so waiting for the place behind the last one queued waits for all of them.
void modelled_rcu::rcu_barrier() {
  const bool callback_pending = [&] {
    for (const request& r : queue_)
      if (r.head != nullptr) return true;
    return false;
  }();
  if (callback_pending) wait_for(schedule_.now(), "rcu_barrier");
}

std::size_t modelled_rcu::choices() { return !queue_.empty() && open_readers_ == 0 ? 1 : 0; }
nanoseconds modelled_rcu::due(std::size_t) { return queue_.front().due; }
std::string modelled_rcu::describe(std::size_t) {
  return queue_.front().head != nullptr ? "rcu callback" : "grace period ends";
}

void modelled_rcu::fire(std::size_t) {
  const request r = queue_.front();
  queue_.pop_front();
  if (r.head != nullptr) {
    r.head->func(r.head);
  } else {
    *r.done = true;
  }
  schedule_.wake(waiters_);
}

}  // namespace quiesce::refimpl
