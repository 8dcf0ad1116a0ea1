// SPDX-License-Identifier: MIT
#pragma once
// Threads that stay between the levels of a search: a new thread for each level costs more than a small level does.

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace quiesce {

class crew {
 public:
  crew() = default;
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  // f(0) here and f(1) to f(n - 1) each in a thread of its own, the same one at every call. Returns when all have ended;
  // what they wrote is seen then. f throws nothing.
  void run(unsigned n, const std::function<void(unsigned)>& f);

 private:
  enum : int { idle, busy, leaves };
  struct alignas(64) member {
    std::atomic<int> is{idle};
    const std::function<void(unsigned)>* work = nullptr;
    std::jthread thread;
  };
  static void serve(member&, unsigned number);

  std::vector<std::unique_ptr<member>> members_;
};

}  // namespace quiesce
