// SPDX-License-Identifier: MIT
// Waiting for references: netdev_wait_allrefs (v4.4; the posted R16; 0e4be9e57e8c) and netdev_wait_allrefs_any
// (faab39f63c1f, cd42ba1c8ac9). All five share the loop; wait_step below is where they differ.
#include <algorithm>

#include "refimpl/net/batch.hpp"
#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/todo.hpp"

namespace quiesce::refimpl {

namespace {

constexpr std::uint64_t max_msecs = 250;

struct waiting {
  stack& s;
  list_head* list;
  bool whole_list;     // RANY, RLZ: every device of the list; else its first
  std::uint64_t wait;  // next sleep in ms; 0: not yet slept (R1, RANY, RLZ)

  template <class F>
  void each(F f) {
    if (!whole_list) {
      f(*list_entry<net_device>(list->next));
      return;
    }
    list_for_each_entry<net_device>(list, s.turns("list_for_each_entry(dev, todo_list)"), f);
  }

  net_device* find_free() {
    net_device* found = nullptr;
    each([&](net_device& dev) {
      if (found != nullptr) return;
      s.counters.refs_polls.fetch_add(1, std::memory_order_relaxed);
      const std::int64_t count = netdev_refcnt_read(dev);
      s.emit(event_kind::netdev_refcnt_poll, &dev, count);
      if (count == s.policy.base_refcount) found = &dev;
    });
    return found;
  }

  void take_rtnl() {
    if (!s.rtnl_lock()) throw machine_check(machine_check::kind::deadlock, "netdev_wait_allrefs: RTNL");
  }

  // UNREGISTER again to whoever missed it; __rtnl_unlock, not rtnl_unlock: that would recurse into the todo list (rule O9).
  void rebroadcast() {
    s.counters.rebroadcasts.fetch_add(1, std::memory_order_relaxed);
    take_rtnl();
    if (whole_list) {
      each([&](net_device& dev) {
        span_scope span(s, event_kind::rebroadcast_begin, event_kind::rebroadcast_end, nullptr, &dev);
        unregister_again(dev);
      });
      finish_rebroadcast();
    } else {
      net_device& dev = *list_entry<net_device>(list->next);
      span_scope span(s, event_kind::rebroadcast_begin, event_kind::rebroadcast_end, nullptr, &dev);
      unregister_again(dev);
      finish_rebroadcast();
    }
    s.__rtnl_unlock();
  }

  void unregister_again(net_device& dev) {
    in_order(
        s.policy, mutation::rebroadcast_without_rtnl, [&] { call_netdevice_notifiers(event_kind::NETDEV_UNREGISTER, dev); },
        [&] { also(s.policy, mutation::rebroadcast_without_rtnl, [&] { s.__rtnl_unlock(); }); });
    batch_after_rebroadcast(dev);
  }

  void finish_rebroadcast() {
    unless(s.policy, mutation::rebroadcast_without_rtnl, [&] { s.__rtnl_unlock(); });
    s.rcu_barrier();
    take_rtnl();
    bool pending = false;
    each([&](net_device& dev) {
      if (s.policy.final_event()) call_netdevice_notifiers(event_kind::NETDEV_UNREGISTER_FINAL, dev);
      pending = pending || dev.linkwatch_pending.load();
    });
    if (pending) linkwatch_run_queue(s);
  }

  void sleep(std::uint64_t ms) {
    s.emit(event_kind::msleep, nullptr, static_cast<std::int64_t>(ms));
    s.timers.msleep(ms);
  }

  // What happens between two looks at the counts.
  void wait_step() {
    switch (s.policy.wait) {
      case wait_rule::k44:
        sleep(250);
        return;
      case wait_rule::r16:
        sleep(wait);
        wait = std::min(wait << 1, max_msecs);
        return;
      case wait_rule::r1:
      case wait_rule::rany:
        return barrier_then_sleep(false);
      case wait_rule::rlz:
        return barrier_then_sleep(true);
    }
  }

  void barrier_then_sleep(bool barrier_every_turn) {
    if (chosen(s.policy, mutation::no_barrier_in_wait, barrier_every_turn, false) || wait == 0) s.rcu_barrier();
    if (wait == 0) {
      wait = 1;
      return;
    }
    sleep(wait);
    wait = std::min(wait << 1, max_msecs);
  }

  void emergency() {
    each([&](net_device& dev) {
      s.emit(event_kind::unregister_netdevice_warning, &dev, netdev_refcnt_read(dev), "waiting for device to become free");
    });
  }

  [[noreturn]] void give_up() {
    std::string who;
    each([&](net_device& dev) { who += " " + dev.name + " usage " + std::to_string(netdev_refcnt_read(dev)); });
    throw machine_check(machine_check::kind::deadlock, "netdev_wait_allrefs: still referenced at the limit:" + who);
  }
};

std::uint64_t limit_ms(stack& s) {
  if (s.options.wait_limit_ms != 0) return s.options.wait_limit_ms;
  return s.sched.controlled() ? 3'600'000 : ~std::uint64_t{0} / 4'000'000;
}

}  // namespace

net_device& netdev_wait_allrefs_any(stack& s, list_head* list) {
  const bool any_order = s.policy.wait == wait_rule::rany || s.policy.wait == wait_rule::rlz;
  const bool whole = chosen(s.policy, mutation::first_device_only, any_order, false);
  waiting w{s, list, whole, s.policy.wait == wait_rule::r16 ? 16u : 0u};
  const std::uint64_t begin = s.timers.jiffies();
  std::uint64_t rebroadcast_time = begin, warning_time = begin;
  const std::uint64_t hz = s.options.hz, timeout = s.options.netdev_unregister_timeout_secs * hz;
  if (net_device* free_dev = w.find_free()) return *free_dev;
  while (true) {
    if (s.timers.jiffies() > rebroadcast_time + chosen(s.policy, mutation::eager_rebroadcast, hz, std::uint64_t{0})) {
      w.rebroadcast();
      rebroadcast_time = s.timers.jiffies();
    }
    w.wait_step();
    if (net_device* free_dev = w.find_free()) return *free_dev;
    if (s.timers.jiffies() > warning_time + chosen(s.policy, mutation::eager_warning, timeout, std::uint64_t{0})) {
      w.emergency();
      warning_time = s.timers.jiffies();
    }
    if ((s.timers.jiffies() - begin) * 1000 / hz > limit_ms(s)) w.give_up();
  }
}

}  // namespace quiesce::refimpl
