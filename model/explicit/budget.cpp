// SPDX-License-Identifier: MIT
#include "model/explicit/budget.hpp"

#include <csignal>

namespace quiesce {

const char* name(budget b) {
  switch (b) {
    case budget::none:
      return "none";
    case budget::states:
      return "states";
    case budget::memory:
      return "memory";
    case budget::time:
      return "time";
    case budget::interrupt:
      return "interrupt";
  }
  return "?";
}

double budget_watch::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool budget_watch::end(budget b) {
  budget expected = budget::none;
  ended_.compare_exchange_strong(expected, b);
  return true;
}

bool budget_watch::check(std::uint64_t states, std::uint64_t memory_bytes) {
  if (ended()) return true;
  if (interrupt_flag().load(std::memory_order_relaxed)) return end(budget::interrupt);
  if (limits_.states && states > limits_.states) return end(budget::states);
  if (limits_.memory_bytes && memory_bytes > limits_.memory_bytes) return end(budget::memory);
  if (limits_.timeout_s > 0 && elapsed_s() > limits_.timeout_s) return end(budget::time);
  return false;
}

std::atomic<bool>& interrupt_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

void catch_interrupt() {
  interrupt_flag();  // constructed before a signal can come
  struct sigaction action {};
  action.sa_handler = [](int) { interrupt_flag().store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace quiesce
