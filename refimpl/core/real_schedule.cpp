// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <thread>

#include "refimpl/core/schedule.hpp"

namespace quiesce::refimpl {

void schedule::add_source(choice_source& s) { sources_.push_back(&s); }
void schedule::remove_source(choice_source& s) {
  sources_.erase(std::remove(sources_.begin(), sources_.end(), &s), sources_.end());
}

struct real_schedule::tasks {
  std::mutex lock;
  std::map<std::thread::id, std::unique_ptr<task>> of_thread;
};

namespace {
std::atomic<std::uint64_t> next_identity{1};
struct cached_task {
  std::uint64_t schedule = 0;
  task* found = nullptr;
};
thread_local cached_task cache;
}  // namespace

real_schedule::real_schedule() : tasks_(std::make_unique<tasks>()), identity_(next_identity.fetch_add(1)) {}
real_schedule::~real_schedule() = default;

task& real_schedule::current() {
  if (cache.schedule == identity_) return *cache.found;
  std::lock_guard held(tasks_->lock);
  std::unique_ptr<task>& slot = tasks_->of_thread[std::this_thread::get_id()];
  if (!slot) {
    const auto id = static_cast<std::uint32_t>(tasks_->of_thread.size());
    slot = std::make_unique<task>(id, "thread" + std::to_string(id));
  }
  cache = {identity_, slot.get()};
  return *slot;
}

void real_schedule::lock(lock_state& l) {
  l.native.lock();
  l.owner.store(&current(), std::memory_order_relaxed);
}

bool real_schedule::trylock(lock_state& l) {
  if (!l.native.try_lock()) return false;
  l.owner.store(&current(), std::memory_order_relaxed);
  return true;
}

void real_schedule::unlock(lock_state& l) {
  l.owner.store(nullptr, std::memory_order_relaxed);
  l.native.unlock();
}

void real_schedule::wait(wait_queue& q, const std::function<bool()>& condition) {
  std::unique_lock held(q.native);
  q.woken.wait(held, condition);
}

void real_schedule::wake(wait_queue& q) {
  // Taking the lock orders the change of the condition before the waiter's next look at it.
  { std::lock_guard held(q.native); }
  q.woken.notify_all();
}

void real_schedule::sleep_until(nanoseconds when) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(when));
}

nanoseconds real_schedule::now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace quiesce::refimpl
