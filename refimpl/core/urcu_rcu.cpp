// SPDX-License-Identifier: MIT
// liburcu is not instrumented for ThreadSanitizer, so the orderings that its interface promises are stated here: leaving a
// read-side section and queueing a callback happen before the end of the grace period that waits for them.
#include "refimpl/core/rcu.hpp"
#include "refimpl/core/urcu_flavour.hpp"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define QUIESCE_RELEASE(address) __tsan_release(address)
#define QUIESCE_ACQUIRE(address) __tsan_acquire(address)
// What liburcu does with its own memory is not the stack's: its malloc and free are seen, its atomics are not.
extern "C" __attribute__((weak)) const char* __tsan_default_suppressions() { return "called_from_lib:liburcu-memb.so\n"; }
#else
#define QUIESCE_RELEASE(address) static_cast<void>(address)
#define QUIESCE_ACQUIRE(address) static_cast<void>(address)
#endif

namespace quiesce::refimpl {

namespace {
char order;  // address only; see above

void run_callback(void* native) {
  auto* head = static_cast<rcu_head*>(native);
  urcu_flavour::note_worker_thread();
  QUIESCE_ACQUIRE(&order);
  head->func(head);
  QUIESCE_RELEASE(&order);
}
}  // namespace

void urcu_rcu::read_lock() {
  urcu_flavour::register_this_thread();
  urcu_flavour::enter();
}

void urcu_rcu::read_unlock() {
  QUIESCE_RELEASE(&order);
  urcu_flavour::leave();
}

void urcu_rcu::call_rcu(rcu_head* head, void (*func)(rcu_head*)) {
  urcu_flavour::register_this_thread();
  head->func = func;
  QUIESCE_RELEASE(&order);
  urcu_flavour::enqueue(head, run_callback);
}

void urcu_rcu::synchronize_rcu() {
  urcu_flavour::register_this_thread();
  urcu_flavour::wait_grace_period();
  QUIESCE_ACQUIRE(&order);
}

void urcu_rcu::rcu_barrier() {
  urcu_flavour::register_this_thread();
  urcu_flavour::wait_callbacks();
  QUIESCE_ACQUIRE(&order);
}

}  // namespace quiesce::refimpl
