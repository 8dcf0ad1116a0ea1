// SPDX-License-Identifier: MIT
#pragma once
// One actor of a controlled execution on a fiber of its own.

#include <exception>
#include <functional>
#include <string>

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include "refimpl/core/schedule.hpp"

namespace quiesce::conformance {

enum class strand_at : std::uint8_t { ready, lock, wait, sleep, done };

struct strand {
  strand(std::string label, std::uint32_t number, std::uint32_t task_id, bool is_softirq)
      : name(std::move(label)), actor(number), task(task_id, name), softirq(is_softirq) {}
  strand(const strand&) = delete;

  // Starts a fiber that will run `body` when it is resumed for the first time.
  void start(boost::context::pooled_fixedsize_stack& stacks, std::function<void()> body) {
    fiber =
        boost::context::fiber(std::allocator_arg, stacks, [this, body = std::move(body)](boost::context::fiber&& caller) {
          back = std::move(caller);
          try {
            body();
          } catch (const boost::context::detail::forced_unwind&) {
            throw;
          } catch (...) {
            failure = std::current_exception();
          }
          at = strand_at::done;
          return std::move(back);
        });
  }
  void resume() { fiber = std::move(fiber).resume(); }
  void yield() { back = std::move(back).resume(); }

  std::string name;
  std::uint32_t actor;
  refimpl::task task;
  bool softirq;
  strand_at at = strand_at::ready;
  refimpl::lock_state* lock = nullptr;               // at == lock
  const std::function<bool()>* condition = nullptr;  // at == wait
  bool condition_held = false;
  long joins = -1;  // the move that made its next one possible
  unsigned sleeps = 0;
  std::size_t slept_at = 0;   // number of moves when it went to sleep
  bool held_back = false;     // this sleep was counted as bounded
  unsigned readers = 0;       // depth of read-side sections
  std::uint64_t section = 0;  // how many it has left
  refimpl::nanoseconds clock{0};
  std::string where;  // of the present scheduling point, for reports
  std::exception_ptr failure;
  boost::context::fiber fiber, back;
};

}  // namespace quiesce::conformance
