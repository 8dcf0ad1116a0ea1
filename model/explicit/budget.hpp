// SPDX-License-Identifier: MIT
#pragma once
// What may end an exploration before its end: states, memory, wall time, the user. Such a run has the verdict `limit`.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace quiesce {

enum class budget : std::uint8_t { none, states, memory, time, interrupt };
const char* name(budget);

struct budget_limits {
  std::uint64_t states = 0;        // 0: none
  std::uint64_t memory_bytes = 0;  // 0: none
  double timeout_s = 0;            // 0: none
};

// Thread-safe. The first budget that ended the run is kept.
class budget_watch {
 public:
  explicit budget_watch(budget_limits limits) : limits_(limits), start_(std::chrono::steady_clock::now()) {}
  // True where the run must end.
  bool check(std::uint64_t states, std::uint64_t memory_bytes);
  bool end(budget);
  bool ended() const { return ended_.load(std::memory_order_relaxed) != budget::none; }
  budget reason() const { return ended_.load(); }
  double elapsed_s() const;

 private:
  budget_limits limits_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<budget> ended_{budget::none};
};

// The flag that every search looks at. catch_interrupt() makes SIGINT set it; a second SIGINT kills as usual.
std::atomic<bool>& interrupt_flag();
void catch_interrupt();

}  // namespace quiesce
