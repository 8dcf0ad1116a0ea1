// SPDX-License-Identifier: MIT
#pragma once
// liburcu behind names that do not clash: its headers define macros called call_rcu and rcu_barrier.

namespace quiesce::refimpl::urcu_flavour {

void register_this_thread();  // idempotent; the thread unregisters when it exits
void note_worker_thread();    // called from a callback: liburcu has registered this thread
void enter();
void leave();
void wait_grace_period();
void wait_callbacks();
// `head` is storage for liburcu's rcu_head (two pointers); run(head) is called after a grace period.
void enqueue(void* head, void (*run)(void* head));

}  // namespace quiesce::refimpl::urcu_flavour
