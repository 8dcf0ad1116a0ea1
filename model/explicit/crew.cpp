// SPDX-License-Identifier: MIT
#include "model/explicit/crew.hpp"

namespace quiesce {

namespace {

constexpr unsigned looks = 2000;  // before a thread sleeps, some 100 us: about what it takes to wake one up

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Until it is something else than `old`; then what it is.
int changed(const std::atomic<int>& x, int old) {
  for (unsigned k = 0; k < looks; ++k) {
    if (const int now = x.load(std::memory_order_acquire); now != old) return now;
    pause();
  }
  x.wait(old, std::memory_order_acquire);
  return x.load(std::memory_order_acquire);
}

void set(std::atomic<int>& x, int to) {
  x.store(to, std::memory_order_release);
  x.notify_one();
}

}  // namespace

void crew::serve(member& m, unsigned number) {
  while (changed(m.is, idle) == busy) {
    (*m.work)(number);
    set(m.is, idle);
  }
}

void crew::run(unsigned n, const std::function<void(unsigned)>& f) {
  while (members_.size() + 1 < n) {
    member& m = *members_.emplace_back(std::make_unique<member>());
    m.thread = std::jthread([&m, number = static_cast<unsigned>(members_.size())] { serve(m, number); });
  }
  for (unsigned t = 1; t < n; ++t) {
    members_[t - 1]->work = &f;
    set(members_[t - 1]->is, busy);
  }
  f(0);
  for (unsigned t = 1; t < n; ++t) changed(members_[t - 1]->is, busy);
}

crew::~crew() {
  for (const auto& m : members_) set(m->is, leaves);
}

}  // namespace quiesce
