// SPDX-License-Identifier: MIT
#pragma once
// A stack owns everything: namespaces, devices, tables, RTNL, timers, events. There are no globals, so that many run at
// once. The schedule and RCU policies are given and outlive it.

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "refimpl/core/error.hpp"
#include "refimpl/core/event.hpp"
#include "refimpl/core/fault.hpp"
#include "refimpl/core/rcu.hpp"
#include "refimpl/core/schedule.hpp"
#include "refimpl/core/timer.hpp"
#include "refimpl/core/variant.hpp"
#include "refimpl/net/net_namespace.hpp"
#include "refimpl/net/notifier.hpp"

namespace quiesce::refimpl {

struct neigh_table;
struct fib_state;
struct linkwatch_state;
struct route_state;
struct fib6_gc_global;
class stack_driver;

struct stack_options {
  unsigned hz = 1000;
  bool debug_list = false;  // CONFIG_DEBUG_LIST: a double add is reported when it happens
  bool ipv6 = true;         // inet6_dev, IPv6 neighbours and routes exist
  unsigned netdev_unregister_timeout_secs = 10;
  // Stop the run when references are still held after this long. 0: never on real threads (as the kernel), 1 h simulated.
  std::uint64_t wait_limit_ms = 0;
  std::size_t max_devices = 1u << 20;       // per namespace: -ENFILE beyond
  std::size_t max_nets = 1u << 16;          // -ENOSPC beyond
  std::size_t max_routes = 1u << 24;        // per namespace: -ENOBUFS beyond
  std::size_t neigh_gc_thresh3 = 1u << 20;  // per neighbour table: -ENOBUFS beyond ("neighbour table overflow")
};

// What ran how often. All relaxed; read when quiet.
struct stack_counters {
  std::atomic<std::uint64_t> fib_flush{0}, fib_tables_walked{0}, fib_aliases_visited{0}, fib_routes_flushed{0};
  std::atomic<std::uint64_t> fib_flush_from_address{0};  // of fib_flush: caused by the removal of an address
  std::atomic<std::uint64_t> fib_sync_down{0}, fib_nexthops_visited{0}, rt_cache_flush{0};
  std::atomic<std::uint64_t> neigh_walks{0}, neighbours_visited{0}, neighbours_flushed{0}, proxy_packets_purged{0};
  std::atomic<std::uint64_t> synchronize_net{0}, rcu_barrier{0}, refs_polls{0}, rebroadcasts{0}, warnings{0};
  std::atomic<std::uint64_t> rtnl_locks{0}, rtnl_hold_ns{0}, rtnl_hold_max_ns{0}, rtnl_hold_simulated_ns{0};
  std::atomic<std::uint64_t> notifier_events{0}, batch_events{0}, rtm_newlink{0}, rtm_dellink{0};
  std::atomic<std::uint64_t> fib6_gc_runs{0}, fib6_gc_skipped{0}, fib6_gc_visited{0}, dst_alloc_refused{0};
  std::atomic<std::uint64_t> devices_allocated{0}, devices_freed{0};
};

struct stop_report {
  machine_check::kind kind;
  std::string what;  // where and why, in kernel terms
};

class stack {
 public:
  stack(const variant_policy& variant, schedule& s, rcu& r, stack_options options = {});
  // before: no other task is inside. Frees everything, also after a stop; does not run the teardown protocol.
  ~stack();
  stack(const stack&) = delete;

  const variant_policy policy;
  const stack_options options;
  schedule& sched;
  rcu& rcu_policy;
  recorder events;
  fault_injection faults;
  timer_base timers;
  stack_counters counters;

  net& init_net() { return *init_net_; }
  // Namespaces on net_namespace_list, and devices alive (any state). For tests and reports; takes the registry's lock.
  std::vector<net*> nets() const;
  std::vector<net_device*> devices() const;
  bool known(const net_device* dev) const;
  bool known(const net* n) const;

  // Set once a machine_check ended an operation: what a kernel would have crashed or hung with. Every later operation is
  // -EIO.
  std::optional<stop_report> stopped() const;

  // --- RTNL (core/rtnetlink.c) with the todo list ---
  // -EDEADLK if the caller holds it. emits: rtnl_lock.
  status rtnl_lock();
  // rtnl_unlock: netdev_run_todo, which waits for the references of the devices unregistered under this hold. -EPERM if not
  // held.
  status rtnl_unlock();
  void __rtnl_unlock();  // without the todo list
  bool rtnl_is_held_by_me() { return rtnl_mutex_.owner.load(std::memory_order_relaxed) == &sched.current(); }

  // --- grace periods. emits: *_begin, *_end ---
  void synchronize_net();
  void rcu_barrier();
  void call_rcu(rcu_head& head, void (*func)(rcu_head*), const char* what);

  // Every invariant of the tables that can be read at this moment; each violated one is a sentence. Empty: consistent.
  // Call when no other task is inside; takes no locks. `at_rest`: also those that hold only while RTNL is free.
  // O(everything).
  std::vector<std::string> check_consistency(bool at_rest = true);

  // ---- used by the files of net/ ----
  void emit(event_kind k, const net_device* dev, std::int64_t value = 0, const char* tag = "");
  void emit_net(event_kind k, const net& n, const net_device* dev = nullptr, std::int64_t value = 0, const char* tag = "");
  void warn(const char* what, const net_device* dev = nullptr);  // WARN_ON, pr_emerg: recorded, counted
  [[noreturn]] void bug(const std::string& what) const;          // BUG_ON
  turn_bound turns(const char* where) const;
  bool alloc_fails(const char* site) { return faults.fail(site); }
  void visible(const char* what, const void* object = nullptr) { sched.visible({point_kind::step, object, what}); }

  void adopt(net_device* dev);
  void forget(net_device* dev);  // deletes it; the mutant no_barrier_in_todo at the end only
  std::int32_t next_device_id() { return next_device_id_.fetch_add(1); }
  std::int32_t next_net_id() { return next_net_id_.fetch_add(1); }
  void adopt(std::unique_ptr<net> n);
  void discard(net* n);  // deletes a namespace that never finished its set-up

  void stop(const machine_check& m);
  // Boundary of every public operation: -EIO once stopped; machine_check stops the stack and gives -EIO; a callback that
  // threw gives -EFAULT where the operation otherwise succeeded. Nested calls pass exceptions on to the outermost.
  template <class F>
  auto enter(F f) -> decltype(f()) {
    if (stopped_flag_.load(std::memory_order_acquire)) return error::eio;
    operation op(*this);
    if (!op.outermost) return f();
    try {
      auto r = f();
      return op.finish(std::move(r));
    } catch (const machine_check& m) {
      stop(m);
      return error::eio;
    } catch (const std::bad_alloc&) {
      stop(machine_check(machine_check::kind::bug, "out of memory"));
      return error::eio;
    }
  }
  void note_callback_threw(const std::string& who);
  std::vector<std::string> callback_errors() const;

  // Chain of notifiers, in order. Under RTNL.
  std::vector<notifier_block*> netdev_chain;
  std::vector<std::unique_ptr<notifier_block>> builtin;
  lock_state net_mutex{"net_mutex"};
  wait_queue netdev_unregistering_wq{"netdev_unregistering_wq"};
  list_head net_namespace_list;  // under RTNL
  list_head net_todo_list;       // under RTNL
  bool dangling_head = false;    // a stack frame returned with nodes on its list head

  std::unique_ptr<neigh_table> arp_tbl, nd_tbl;
  std::unique_ptr<fib_state> fib;
  std::unique_ptr<linkwatch_state> linkwatch;
  std::unique_ptr<route_state> routes;
  std::unique_ptr<fib6_gc_global> gc_global;
  std::unique_ptr<stack_driver> driver;  // observes addresses, routes, neighbours; may be NULL

  struct operation {
    explicit operation(stack& s);
    ~operation();
    status finish(status r);
    template <class T>
    result<T> finish(result<T> r) {
      return r;
    }
    stack& owner;
    task& by;
    bool outermost;
  };

 private:
  void release_rtnl();

  lock_state rtnl_mutex_{"rtnl_mutex"};
  std::uint64_t rtnl_since_real_ = 0, rtnl_since_simulated_ = 0;
  net* init_net_ = nullptr;
  mutable std::mutex registry_lock_;
  std::unordered_set<net_device*> devices_;
  std::vector<net_device*> buried_;  // freed too early by a mutant: what still touches them is to be seen
  std::vector<std::unique_ptr<net>> nets_;
  std::atomic<std::size_t> live_devices_{0}, live_nets_{0};
  std::atomic<std::int32_t> next_device_id_{0}, next_net_id_{0};
  std::atomic<bool> stopped_flag_{false};
  std::optional<stop_report> stop_report_;
  std::vector<std::string> callback_errors_;
};

// rcu_read_lock for a scope, as an event too.
class rcu_read_section {
 public:
  explicit rcu_read_section(stack& s) : stack_(s) {
    stack_.rcu_policy.read_lock();
    stack_.emit(event_kind::rcu_read_lock, nullptr);
  }
  ~rcu_read_section() {
    stack_.emit(event_kind::rcu_read_unlock, nullptr);
    stack_.rcu_policy.read_unlock();
  }
  rcu_read_section(const rcu_read_section&) = delete;

 private:
  stack& stack_;
};

// Holds RTNL for a scope: release() runs rtnl_unlock and gives its outcome; the destructor does so on other paths, and after
// a stop only lets go.
class rtnl_guard {
 public:
  explicit rtnl_guard(stack& s) : stack_(s), outcome_(s.rtnl_lock()) {}
  ~rtnl_guard();
  rtnl_guard(const rtnl_guard&) = delete;
  explicit operator bool() const { return static_cast<bool>(outcome_); }
  error code() const { return outcome_.code(); }
  status release();

 private:
  stack& stack_;
  status outcome_;
  bool released_ = false;
};

// Real threads with liburcu, and one task with simulated time: the usual pairs of policies.
struct real_environment {
  real_schedule sched;
  urcu_rcu rcu;
};
struct simulated_environment {
  explicit simulated_environment(nanoseconds grace_period = std::chrono::milliseconds(10)) : rcu(sched, grace_period) {}
  simulated_schedule sched;
  modelled_rcu rcu;
};

}  // namespace quiesce::refimpl
