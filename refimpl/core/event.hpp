// SPDX-License-Identifier: MIT
#pragma once
// Events of the vocabulary (properties/events.prop) and their recorder.
// Recording: a sequence number from one atomic counter gives the total order, the event goes into a buffer of its own
// thread; no lock on the hot path. Events emitted under a lock are ordered as the lock orders them. Whether recording is on
// is read once per event and decides nothing else, so that it changes neither order nor counts.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "refimpl/core/task.hpp"

namespace quiesce::refimpl {

// Every event of properties/events.prop under its name, and what the stack reports besides (marked +, in no vocabulary).
// Parameters as emitted: dev and net where the vocabulary has them, also when it has only one of them; `tag` a static string
// (holder, handler, lock, queue); `value` a number (ifindex, event number, count).
// clang-format off
#define QUIESCE_REFIMPL_EVENTS(X)                                                                                       \
  X(NETDEV_REGISTER) X(NETDEV_UP) X(NETDEV_GOING_DOWN) X(NETDEV_DOWN) X(NETDEV_UNREGISTER) X(NETDEV_PRE_UNINIT)         \
  X(NETDEV_UNREGISTER_FINAL) X(NETDEV_DOWN_BATCH) X(NETDEV_UNREGISTER_BATCH)                                            \
  /* + */ X(NETDEV_POST_INIT) X(NETDEV_CHANGE) X(NETDEV_CHANGEMTU) X(NETDEV_CHANGEADDR) X(NETDEV_CHANGENAME)            \
  X(NETDEV_CHANGEUPPER) X(NETDEV_REBOOT)                                                                                \
  /* + one handler's run: tag = handler, value = event_kind */ X(callback)                                              \
  /* spans: value = number of devices; span_member (+) follows for each */                                              \
  X(close_begin) X(close_end) X(rollback_begin) X(rollback_end) X(replay_begin) X(replay_end)                           \
  X(rebroadcast_begin) X(rebroadcast_end) X(span_member)                                                                \
  X(unlist_netdevice) X(ndo_stop) X(ndo_uninit) X(dev_uc_flush) X(dev_mc_flush) X(netdev_unregister_kobject)            \
  X(net_set_todo) X(run_todo_begin) X(run_todo_end) X(netdev_wait_allrefs) X(msleep) X(free_netdev)                               \
  /* + */ X(list_netdevice) X(dev_shutdown) X(ndo_init) X(undo_ndo_init) X(ndo_open) X(netdev_refcnt_poll) X(dev_net_set)                \
  X(unregister_netdevice_warning)                                                                                       \
  X(dev_hold) X(dev_put) X(dev_put_registration) X(rcu_read_lock) X(rcu_read_unlock) X(dev_use)                         \
  X(synchronize_net_begin) X(synchronize_net_end) X(rcu_barrier_begin) X(rcu_barrier_end) X(call_rcu) X(rcu_callback)   \
  X(fib_sync_down_dev) X(fib_sync_up) X(fib_flush) X(rt_cache_flush) X(rt_flush_dev) X(arp_ifdown) X(arp_ifdown_all)    \
  X(neigh_flush) X(pneigh_flush) X(mod_timer) X(rtnl_lock) X(rtnl_unlock)                                               \
  X(fib6_gc_begin) X(fib6_gc_end) X(fib6_gc_skip) X(dst_alloc) X(dst_alloc_refused)                                                  \
  /* + */ X(needs_fib_flush_set) X(needs_fib_flush_clear) X(arp_ifdown_net) X(pneigh_queue_purge) X(neigh_destroy)      \
  X(del_timer) X(timer_fire) X(inetdev_init) X(inetdev_destroy) X(inet_insert_ifa) X(inet_del_ifa) X(addrconf_ifdown)   \
  X(fib6_gc_not_due) X(linkwatch_add_event) X(linkwatch_do_dev) X(setup_net) X(cleanup_net) X(net_free)                                    \
  /* + waits for fib6_gc_lock; event_list: value = whether the node was linked in */ X(fib6_gc_spin)                   \
  X(net_add_event_list) X(net_del_event_list)                                                                           \
  /* value = ifindex */ X(RTM_NEWLINK) X(RTM_DELLINK) /* + */ X(RTM_NEWADDR) X(RTM_DELADDR)                             \
  /* + WARN_ON, pr_emerg: tag = what */ X(kernel_warning)
// clang-format on

enum class event_kind : std::uint16_t {
#define X(name) name,
  QUIESCE_REFIMPL_EVENTS(X)
#undef X
};

inline constexpr std::size_t event_kinds = 0
#define X(name) +1
    QUIESCE_REFIMPL_EVENTS(X)
#undef X
    ;

std::string_view name(event_kind k);

inline constexpr std::int32_t no_id = -1;  // no device (a NULL pointer was passed) or no namespace

struct event {
  std::uint64_t seq = 0;
  event_kind kind{};
  std::uint32_t task = 0;
  std::uint32_t span = 0;  // innermost open span of the task; 0: none
  std::int32_t dev = no_id;
  std::int32_t net = no_id;
  std::int64_t value = 0;
  const char* tag = "";
};

// "NETDEV_DOWN(dev=3, net=1)" and so on, for reports.
std::string format(const event& e);

class recorder {
 public:
  recorder();
  ~recorder();
  recorder(const recorder&) = delete;

  void enable(bool on) { enabled_.store(on, std::memory_order_relaxed); }
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
  // A monitor that sees each event as it happens, in the emitting task. Set before the stack runs; it must not call the
  // stack, nor throw.
  void set_sink(std::function<void(const event&)> sink) { sink_ = std::move(sink); }

  // Cost: one relaxed load when off; one atomic add and one store of 48 bytes when on.
  void emit(event_kind kind, const task& by, std::int32_t dev, std::int32_t net, std::int64_t value = 0,
            const char* tag = "") {
    if (counting_) count_[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    if (enabled() || sink_) record({0, kind, by.id, by.innermost(), dev, net, value, tag});
  }
  std::uint32_t new_span() { return next_span_.fetch_add(1, std::memory_order_relaxed); }

  // Counts per kind, kept whether or not recording is on, when asked for before the stack runs.
  void count_kinds(bool on) { counting_ = on; }
  std::uint64_t count(event_kind k) const { return count_[static_cast<std::size_t>(k)].load(std::memory_order_relaxed); }

  // All recorded events in order of seq. Call when no thread emits. O(n log n).
  std::vector<event> collect() const;
  // Devices of the span that begins at events[index] (a *_begin): the span_member events that follow it in the same task.
  static std::vector<std::int32_t> members(const std::vector<event>& events, std::size_t index);
  void clear();

 private:
  struct buffer;
  struct buffers;
  void record(event e);
  buffer& own_buffer();

  std::atomic<bool> enabled_{false};
  bool counting_ = false;
  std::atomic<std::uint64_t> next_seq_{1};
  std::atomic<std::uint32_t> next_span_{1};
  std::array<std::atomic<std::uint64_t>, event_kinds> count_{};
  std::function<void(const event&)> sink_;
  std::unique_ptr<buffers> buffers_;
  std::uint64_t identity_;
};

}  // namespace quiesce::refimpl
