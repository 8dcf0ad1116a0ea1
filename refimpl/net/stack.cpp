// SPDX-License-Identifier: MIT
#include "refimpl/net/stack.hpp"

#include <algorithm>

#include "refimpl/device/driver.hpp"
#include "refimpl/net/builtin.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/fib6_gc.hpp"
#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/route.hpp"
#include "refimpl/net/todo.hpp"

namespace quiesce::refimpl {

stack::stack(const variant_policy& variant, schedule& s, rcu& r, stack_options o)
    : policy(variant), options(o), sched(s), rcu_policy(r), timers(s, o.hz) {
  INIT_LIST_HEAD(&net_namespace_list);
  INIT_LIST_HEAD(&net_todo_list);
  fib = std::make_unique<fib_state>();
  routes = std::make_unique<route_state>();
  linkwatch = std::make_unique<linkwatch_state>();
  gc_global = std::make_unique<fib6_gc_global>();
  arp_tbl = std::make_unique<neigh_table>(*this, neigh_family::ipv4);
  nd_tbl = std::make_unique<neigh_table>(*this, neigh_family::ipv6);
  register_builtin_handlers(*this);
  const result<net*> first = setup_net(*this);
  if (!first) throw std::runtime_error("init_net: " + std::string(refimpl::name(first.code())));
  init_net_ = first.value();
}

// Teardown by ownership: no protocol is run, so that a stopped stack can be destroyed too.
stack::~stack() {
  rcu_policy.rcu_barrier();
  for (const auto& n : nets_) stop_net_timers(*n);
  release_neigh_table(*arp_tbl);
  release_neigh_table(*nd_tbl);
  rcu_policy.rcu_barrier();
  for (const auto& n : nets_) release_net_tables(*n);
  for (net_device* dev : devices_) release_device_addresses(*dev);
  rcu_policy.rcu_barrier();  // callbacks of the above
  for (net_device* dev : devices_) delete dev;
  for (net_device* dev : buried_) delete dev;
}

std::vector<net*> stack::nets() const {
  std::lock_guard held(registry_lock_);
  std::vector<net*> out;
  for (const auto& n : nets_)
    if (!n->dead.load(std::memory_order_acquire)) out.push_back(n.get());
  return out;
}

std::vector<net_device*> stack::devices() const {
  std::lock_guard held(registry_lock_);
  std::vector<net_device*> out(devices_.begin(), devices_.end());
  std::sort(out.begin(), out.end(), [](const net_device* a, const net_device* b) { return a->id < b->id; });
  return out;
}

bool stack::known(const net_device* dev) const {
  std::lock_guard held(registry_lock_);
  return devices_.count(const_cast<net_device*>(dev)) != 0;
}

bool stack::known(const net* n) const {
  std::lock_guard held(registry_lock_);
  for (const auto& own : nets_)
    if (own.get() == n) return !n->dead.load(std::memory_order_acquire);
  return false;
}

void stack::adopt(net_device* dev) {
  std::lock_guard held(registry_lock_);
  devices_.insert(dev);
  live_devices_.store(devices_.size(), std::memory_order_relaxed);
}

void stack::forget(net_device* dev) {
  {
    std::lock_guard held(registry_lock_);
    devices_.erase(dev);
    live_devices_.store(devices_.size(), std::memory_order_relaxed);
    if (policy.mutant == mutation::no_barrier_in_todo) return buried_.push_back(dev);
  }
  delete dev;
}

void stack::adopt(std::unique_ptr<net> n) {
  std::lock_guard held(registry_lock_);
  nets_.push_back(std::move(n));
  live_nets_.store(nets_.size(), std::memory_order_relaxed);
}

void stack::discard(net* n) {
  std::lock_guard held(registry_lock_);
  nets_.erase(std::remove_if(nets_.begin(), nets_.end(), [&](const auto& own) { return own.get() == n; }), nets_.end());
}

// --- RTNL ---

namespace {
std::uint64_t real_ns() { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }
void store_max(std::atomic<std::uint64_t>& slot, std::uint64_t value) {
  std::uint64_t seen = slot.load(std::memory_order_relaxed);
  while (seen < value && !slot.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {}
}
}  // namespace

status stack::rtnl_lock() {
  if (stopped_flag_.load(std::memory_order_acquire)) return error::eio;
  if (rtnl_is_held_by_me()) return error::edeadlk;
  sched.visible({point_kind::lock, &rtnl_mutex_, rtnl_mutex_.name});
  sched.lock(rtnl_mutex_);
  counters.rtnl_locks.fetch_add(1, std::memory_order_relaxed);
  rtnl_since_real_ = real_ns();
  rtnl_since_simulated_ = static_cast<std::uint64_t>(sched.now().count());
  emit(event_kind::rtnl_lock, nullptr);
  return {};
}

void stack::release_rtnl() {
  emit(event_kind::rtnl_unlock, nullptr);
  const std::uint64_t held = real_ns() - rtnl_since_real_;
  counters.rtnl_hold_ns.fetch_add(held, std::memory_order_relaxed);
  store_max(counters.rtnl_hold_max_ns, held);
  counters.rtnl_hold_simulated_ns.fetch_add(static_cast<std::uint64_t>(sched.now().count()) - rtnl_since_simulated_,
                                            std::memory_order_relaxed);
  sched.unlock(rtnl_mutex_);
  sched.visible({point_kind::unlock, &rtnl_mutex_, rtnl_mutex_.name});
}

void stack::__rtnl_unlock() { release_rtnl(); }

status stack::rtnl_unlock() {
  if (!rtnl_is_held_by_me()) return error::eperm;
  return enter([&]() -> status {
    netdev_run_todo(*this);
    return {};
  });
}

rtnl_guard::~rtnl_guard() {
  if (!outcome_ || released_ || !stack_.rtnl_is_held_by_me()) return;
  if (stack_.stopped()) {
    stack_.__rtnl_unlock();
    return;
  }
  try {
    static_cast<void>(release());
  } catch (const machine_check& m) {
    stack_.stop(m);
  }
}

status rtnl_guard::release() {
  released_ = true;
  return stack_.rtnl_unlock();
}

// --- grace periods ---

void stack::synchronize_net() {
  counters.synchronize_net.fetch_add(1, std::memory_order_relaxed);
  emit(event_kind::synchronize_net_begin, nullptr);
  rcu_policy.synchronize_rcu();
  emit(event_kind::synchronize_net_end, nullptr);
}

void stack::rcu_barrier() {
  counters.rcu_barrier.fetch_add(1, std::memory_order_relaxed);
  emit(event_kind::rcu_barrier_begin, nullptr);
  rcu_policy.rcu_barrier();
  emit(event_kind::rcu_barrier_end, nullptr);
}

void stack::call_rcu(rcu_head& head, void (*func)(rcu_head*), const char* what) {
  emit(event_kind::call_rcu, nullptr, 0, what);
  rcu_policy.call_rcu(&head, func);
}

// --- reports ---

void stack::emit(event_kind k, const net_device* dev, std::int64_t value, const char* tag) {
  const net* n = dev != nullptr ? dev->nd_net.load(std::memory_order_acquire) : nullptr;
  events.emit(k, sched.current(), dev != nullptr ? dev->id : no_id, n != nullptr ? n->id : no_id, value, tag);
}

void stack::emit_net(event_kind k, const net& n, const net_device* dev, std::int64_t value, const char* tag) {
  events.emit(k, sched.current(), dev != nullptr ? dev->id : no_id, n.id, value, tag);
}

void stack::warn(const char* what, const net_device* dev) {
  counters.warnings.fetch_add(1, std::memory_order_relaxed);
  emit(event_kind::kernel_warning, dev, 0, what);
}

void stack::bug(const std::string& what) const { throw machine_check(machine_check::kind::bug, what); }

turn_bound stack::turns(const char* where) const {
  return {live_devices_.load(std::memory_order_relaxed) + live_nets_.load(std::memory_order_relaxed) + 8, where};
}

void stack::stop(const machine_check& m) {
  {
    std::lock_guard held(registry_lock_);
    if (!stop_report_) stop_report_ = stop_report{m.what_kind(), m.what()};
    stopped_flag_.store(true, std::memory_order_release);
  }
  if (rtnl_is_held_by_me()) release_rtnl();
  sched.wake(netdev_unregistering_wq);
}

std::optional<stop_report> stack::stopped() const {
  std::lock_guard held(registry_lock_);
  return stop_report_;
}

void stack::note_callback_threw(const std::string& who) {
  sched.current().callback_threw = true;
  std::lock_guard held(registry_lock_);
  callback_errors_.push_back(who);
}

std::vector<std::string> stack::callback_errors() const {
  std::lock_guard held(registry_lock_);
  return callback_errors_;
}

stack::operation::operation(stack& s) : owner(s), by(s.sched.current()), outermost(by.operation_depth == 0) {
  if (outermost) by.callback_threw = false;
  ++by.operation_depth;
}
stack::operation::~operation() { --by.operation_depth; }
status stack::operation::finish(status r) { return r && by.callback_threw ? status(error::efault) : r; }

}  // namespace quiesce::refimpl
