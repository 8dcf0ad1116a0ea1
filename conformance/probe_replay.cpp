// SPDX-License-Identifier: MIT
// What the scenario's callbacks were told, and the collection of IPv6 routes.
#include <algorithm>

#include "conformance/probe_internal.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

bool on_chain(const look& l, const std::string& name) {
  return std::any_of(l.s.netdev_chain.begin(), l.s.netdev_chain.end(),
                     [&](const refimpl::notifier_block* nb) { return nb->name == name; });
}

bool has(const std::vector<int>& devices, int dev) {
  return std::find(devices.begin(), devices.end(), dev) != devices.end();
}

// A callback's name begins with c and a digit; built-in handlers are not replayed.
bool of_scenario(const std::string& name) { return name.size() > 1 && name[0] == 'c' && name[1] >= '1' && name[1] <= '9'; }

void tell_register(const look& l, notifier_memory& m) {
  l.require(!has(m.told, l.e.dev), "notifier_told_once", "a notifier is told REGISTER of a device that it knows");
  std::erase(m.told, l.e.dev);
  m.told.push_back(l.e.dev);
}

void told(const look& l, notifier_memory& m) {
  const auto what = static_cast<event_kind>(l.e.value);
  const bool replay = l.m.replays[l.e.task] > 0;
  if (what == event_kind::NETDEV_REGISTER) {
    if (replay) tell_register(l, m);
    m.undone.clear();
  } else if (what == event_kind::NETDEV_UNREGISTER) {
    if (replay) {
      l.require(has(m.told, l.e.dev), "notifier_told_of_known_only",
                "a notifier is told UNREGISTER of a device that it does not know");
      m.undone.push_back(l.e.dev);
    }
    std::erase(m.told, l.e.dev);
  }
}

// Devices that the stack lists, by id.
std::vector<int> listed(refimpl::stack& s) {
  std::vector<int> ids;
  for (refimpl::net* n : s.nets())
    if (!refimpl::list_empty(&n->list))
      refimpl::list_for_each_entry<refimpl::net_device>(&n->dev_base_head, s.turns("probe"),
                                                        [&](refimpl::net_device& d) { ids.push_back(d.id); });
  return ids;
}

void replay_ended(const look& l, const std::string& name, notifier_memory& m) {
  const bool registering = m.registering;
  const bool there = on_chain(l, name);
  if (!there) {
    // The last one that it was told REGISTER of is the one that it refused; nothing is to be undone of that.
    std::vector<int> kept = m.told;
    if (registering && !kept.empty()) kept.pop_back();
    l.require(kept.empty(), "notifier_forgets_all", "a notifier that left was not told UNREGISTER of every device");
    m.told.clear();
  } else {
    for (int dev : listed(l.s))
      l.require(has(m.told, dev), "refused_notifier_off_chain", "a notifier on the chain does not know every device");
  }
  if (registering && m.undone.size() > 1) {
    const std::vector<int> reversed(m.undone.rbegin(), m.undone.rend());
    const bool reverse = std::includes(m.order.begin(), m.order.end(), reversed.begin(), reversed.end(), [&](int a, int b) {
      return std::find(m.order.begin(), m.order.end(), a) < std::find(m.order.begin(), m.order.end(), b);
    });
    l.require(reverse, "rollback_in_reverse", "the roll-back of a replay is not in reverse");
  }
  m.undone.clear();
  m.order.clear();
  m.registering = false;
}

}  // namespace

namespace {
void known_at_rest(const look& l) {
  if (l.m.notifiers.empty()) return;
  std::vector<int> registered;
  for (const refimpl::net_device* dev : l.devices())
    if (dev->reg_state.load() == refimpl::reg_state::registered) registered.push_back(dev->id);
  for (const auto& [name, m] : l.m.notifiers) {
    if (!on_chain(l, name)) continue;
    for (int dev : m.told)
      l.require(has(registered, dev), "refused_device_forgotten", "a notifier knows a device that is not registered");
  }
}
}  // namespace

void probe_replay(const look& l) {
  if (l.e.kind == event_kind::rtnl_unlock) known_at_rest(l);
  if (l.e.kind == event_kind::NETDEV_REGISTER && l.m.replays[l.e.task] == 0) {
    // The chain tells everybody on it; who comes behind a handler that refuses is told UNREGISTER all the same.
    for (const refimpl::notifier_block* nb : l.s.netdev_chain)
      if (of_scenario(nb->name)) tell_register(l, l.m.notifiers[nb->name]);
  } else if (l.e.kind == event_kind::callback && of_scenario(l.e.tag)) {
    notifier_memory& m = l.m.notifiers[l.e.tag];
    if (l.m.replays[l.e.task] > 0) {
      l.m.replayed = l.e.tag;
      if (static_cast<event_kind>(l.e.value) == event_kind::NETDEV_REGISTER) {
        m.registering = true;
        m.order.push_back(l.e.dev);
      }
    }
    told(l, m);
  } else if (l.e.kind == event_kind::replay_end && !l.m.replayed.empty()) {
    replay_ended(l, l.m.replayed, l.m.notifiers[l.m.replayed]);
    l.m.replayed.clear();
  }
}

namespace {

void gc_at_rest(const look& l, refimpl::net& n, bool armed) {
  refimpl::netns_ipv6& v6 = *n.ipv6;
  bool expiring = false;
  for (const auto& [key, f] : v6.table) {
    if (f->expires == 0 && f->exceptions.empty()) continue;
    expiring = true;
    if (l.s.policy.gc.gc_list)
      l.require(!refimpl::list_empty(&f->gc_link), "all_routes_in_reach", "a route that expires is not on the gc list");
  }
  l.require(!expiring || armed, "routes_have_a_timer", "a route expires and the timer is not armed");
  net_memory& m = l.m.nets[n.id];
  l.require(!m.skipped_gc || armed, "skipped_gc_made_up", "a skipped collection is not made up for");
  if (l.s.policy.gc.refuse_over_max)
    l.require(v6.dst_entries.load() <= v6.gc.max_size + 1, "routes_limited", "there are more routes than max_size");
}

}  // namespace

void probe_gc(const look& l) {
  if (l.e.kind == event_kind::fib6_gc_begin) {
    bool& collecting = l.m.nets[l.e.net].collecting;
    l.require(!collecting, "one_gc_at_a_time", "two collections of a namespace run at the same time");
    collecting = true;
  } else if (l.e.kind == event_kind::fib6_gc_end) {
    l.m.nets[l.e.net].collecting = false;
    l.m.nets[l.e.net].skipped_gc = false;
  } else if (l.e.kind == event_kind::fib6_gc_skip) {
    l.m.nets[l.e.net].skipped_gc = true;
  } else if (l.e.kind == event_kind::rtnl_unlock || l.e.kind == event_kind::rcu_barrier_begin) {
    for (refimpl::net* n : l.nets()) {
      if (n->ipv6 == nullptr) continue;
      const bool armed = l.s.timers.timer_pending(n->ipv6->ip6_fib_timer);
      l.require(!armed || !n->ipv6->exited.load(), "timer_stopped_at_exit",
                "the timer of a namespace that has gone is armed");
      if (l.e.kind == event_kind::rtnl_unlock) gc_at_rest(l, *n, armed);
    }
  }
}

}  // namespace quiesce::conformance
