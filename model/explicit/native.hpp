// SPDX-License-Identifier: MIT
#pragma once
// Successor code compiled for the system at hand: generated as C++, compiled by the system's compiler while the interpreter
// already works, kept in a cache. The same steps in the same order as the interpreter's.

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "model/explicit/native_cache.hpp"
#include "model/system/system.hpp"

namespace quiesce {

enum class native_mode : std::uint8_t { off, automatic, wait };

class native_code {
 public:
  // Begins to load it from the cache or to compile it, in a thread of its own. The system must outlive it.
  explicit native_code(const transition_system&);
  ~native_code();  // a compiler that still runs is ended
  native_code(const native_code&) = delete;
  native_code& operator=(const native_code&) = delete;

  enum class state : std::uint8_t { busy, ready, unavailable };
  state now() const { return state_.load(std::memory_order_acquire); }
  void wait();
  const std::string& why() const { return why_; }  // of `unavailable`

  // Only when ready. The stepper must not outlive this.
  std::unique_ptr<stepper> make_stepper() const;

 private:
  struct functions;
  void load();
  const transition_system& system_;
  std::unique_ptr<functions> functions_;
  std::atomic<state> state_{state::busy};
  child_process compiler_;
  std::string why_;
  std::thread worker_;
};

}  // namespace quiesce
