// SPDX-License-Identifier: MIT
#include "refimpl/core/error.hpp"
#include "refimpl/core/schedule.hpp"

namespace quiesce::refimpl {

std::optional<std::size_t> choice_source::earliest() {
  std::optional<std::size_t> best;
  for (std::size_t i = 0, n = choices(); i < n; ++i)
    if (!best || due(i) < due(*best)) best = i;
  return best;
}

void simulated_schedule::lock(lock_state& l) {
  if (!trylock(l)) throw machine_check(machine_check::kind::deadlock, std::string(l.name) + " is held by the only task");
}

bool simulated_schedule::trylock(lock_state& l) {
  if (l.owner.load(std::memory_order_relaxed) != nullptr) return false;
  l.owner.store(&current(), std::memory_order_relaxed);
  return true;
}

void simulated_schedule::unlock(lock_state& l) { l.owner.store(nullptr, std::memory_order_relaxed); }

std::optional<simulated_schedule::next_choice> simulated_schedule::earliest() {
  std::optional<next_choice> best;
  for (choice_source* s : sources_)
    if (const auto i = s->earliest())
      if (nanoseconds due = s->due(*i); !best || due < best->due) best = next_choice{s, *i, due};
  return best;
}

void simulated_schedule::fire(const next_choice& c) {
  if (c.due > now_) now_ = c.due;
  struct softirq_context {
    bool& flag;
    bool outer;
    explicit softirq_context(bool& f) : flag(f), outer(f) { flag = true; }
    ~softirq_context() { flag = outer; }
  } context(in_softirq_);
  c.source->fire(c.index);
}

void simulated_schedule::wait(wait_queue& q, const std::function<bool()>& condition) {
  while (!condition()) {
    const auto next = earliest();
    if (!next) throw machine_check(machine_check::kind::deadlock, std::string(q.name) + ": nothing can end this wait");
    fire(*next);
  }
}

void simulated_schedule::sleep_until(nanoseconds when) {
  for (auto next = earliest(); next && next->due <= when; next = earliest()) fire(*next);
  if (when > now_) now_ = when;
}

}  // namespace quiesce::refimpl
