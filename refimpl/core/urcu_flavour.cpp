// SPDX-License-Identifier: MIT
#include "refimpl/core/urcu_flavour.hpp"

#include <urcu/urcu-memb.h>

namespace quiesce::refimpl::urcu_flavour {

static_assert(sizeof(struct rcu_head) == 2 * sizeof(void*), "rcu_head::native holds liburcu's rcu_head");

namespace {
struct registration {
  registration() { urcu_memb_register_thread(); }
  ~registration() { urcu_memb_unregister_thread(); }
};
thread_local bool registered_by_liburcu = false;  // its own worker thread
}  // namespace

void register_this_thread() {
  if (registered_by_liburcu) return;
  thread_local registration here;
}
void note_worker_thread() { registered_by_liburcu = true; }
void enter() { urcu_memb_read_lock(); }
void leave() { urcu_memb_read_unlock(); }
void wait_grace_period() { urcu_memb_synchronize_rcu(); }
void wait_callbacks() { urcu_memb_barrier(); }
void enqueue(void* head, void (*run)(void* head)) {
  urcu_memb_call_rcu(static_cast<struct rcu_head*>(head), reinterpret_cast<void (*)(struct rcu_head*)>(run));
}

}  // namespace quiesce::refimpl::urcu_flavour
