// SPDX-License-Identifier: MIT
// Proxy entries and the queue of packets to be answered for them.
#include <algorithm>

#include "refimpl/net/lists.hpp"
#include "refimpl/net/neigh_internal.hpp"

namespace quiesce::refimpl {

namespace {
auto find_entry(neigh_table& tbl, const net& n, const net_device* dev, const ip_key& key) {
  return std::find_if(tbl.phash.begin(), tbl.phash.end(),
                      [&](const pneigh_entry& e) { return e.ns == &n && e.dev == dev && e.key == key; });
}
}  // namespace

status pneigh_create(neigh_table& tbl, net& n, net_device* dev, const ip_key& key) {
  stack& s = tbl.owner;
  lock_guard held(s.sched, tbl.lock);
  if (find_entry(tbl, n, dev, key) != tbl.phash.end()) return {};
  if (s.alloc_fails("pneigh_lookup")) return error::enomem;
  if (dev != nullptr) dev_hold(*dev, holder::pneigh);
  tbl.phash.push_back({key, &n, dev});
  return {};
}

status pneigh_remove(neigh_table& tbl, net& n, net_device* dev, const ip_key& key) {
  std::vector<pneigh_entry> taken;
  {
    lock_guard held(tbl.owner.sched, tbl.lock);
    const auto at = find_entry(tbl, n, dev, key);
    if (at == tbl.phash.end()) return error::enoent;
    taken.push_back(*at);
    tbl.phash.erase(at);
  }
  pneigh_put(tbl, taken);
  return {};
}

bool pneigh_lookup(neigh_table& tbl, net& n, net_device* dev, const ip_key& key) {
  lock_guard held(tbl.owner.sched, tbl.lock);
  return find_entry(tbl, n, dev, key) != tbl.phash.end() || find_entry(tbl, n, nullptr, key) != tbl.phash.end();
}

void pneigh_put(neigh_table& tbl, const std::vector<pneigh_entry>& entries) {
  for (const pneigh_entry& e : entries)
    if (e.dev != nullptr)
      unless(tbl.owner.policy, mutation::pneigh_not_put, [&] { static_cast<void>(dev_put(*e.dev, holder::pneigh)); });
}

void pneigh_queue_purge(neigh_table& tbl, purge_scope scope, const net_device* dev) {
  stack& s = tbl.owner;
  std::vector<proxy_packet> dropped;
  {
    lock_guard held(s.sched, tbl.proxy_lock);
    std::deque<proxy_packet> kept;
    for (const proxy_packet& p : tbl.proxy_queue) {
      const bool drop = scope == purge_scope::everything ||
                        (scope == purge_scope::of_net && &dev_net(*p.dev) == &dev_net(*dev)) ||
                        (scope == purge_scope::of_device && p.dev == dev);
      if (drop) {
        dropped.push_back(p);
      } else {
        kept.push_back(p);
      }
    }
    if (!dropped.empty()) tbl.proxy_queue.swap(kept);
  }
  if (dropped.empty()) return;
  s.emit(event_kind::pneigh_queue_purge, dev, static_cast<std::int64_t>(dropped.size()));
  s.counters.proxy_packets_purged.fetch_add(dropped.size(), std::memory_order_relaxed);
  for (const proxy_packet& p : dropped) static_cast<void>(dev_put(*p.dev, holder::proxy_queue));
}

status pneigh_enqueue(neigh_table& tbl, net_device& dev, const ip_key& key, std::uint64_t delay_ms) {
  stack& s = tbl.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev)) return error::enodev;
    if (!dev_up(dev)) return error::enetdown;
    if (s.alloc_fails("pneigh_enqueue")) return error::enomem;
    lock_guard held(s.sched, tbl.proxy_lock);
    std::uint64_t sched_next = s.timers.jiffies() + s.timers.msecs_to_jiffies(delay_ms);
    if (s.timers.del_timer(tbl.proxy_timer)) sched_next = std::min(sched_next, tbl.proxy_timer.expires);
    dev_hold(dev, holder::proxy_queue);
    tbl.proxy_queue.push_back({&dev, key, s.timers.jiffies() + s.timers.msecs_to_jiffies(delay_ms)});
    unless(s.policy, mutation::proxy_timer_not_armed, [&] { s.timers.mod_timer(tbl.proxy_timer, sched_next); });
    s.emit(event_kind::mod_timer, &dev, 0, "proxy_timer");
    return {};
  });
}

void neigh_proxy_process(neigh_table& tbl) {
  stack& s = tbl.owner;
  std::vector<proxy_packet> answered;
  {
    lock_guard held(s.sched, tbl.proxy_lock);
    const std::uint64_t now = s.timers.jiffies();
    std::uint64_t next = 0;
    std::deque<proxy_packet> kept;
    for (const proxy_packet& p : tbl.proxy_queue) {
      if (p.sched_next <= now) {
        answered.push_back(p);
      } else {
        kept.push_back(p);
        if (next == 0 || p.sched_next < next) next = p.sched_next;
      }
    }
    tbl.proxy_queue.swap(kept);
    s.emit(event_kind::timer_fire, nullptr, 0, "proxy_timer");
    if (next != 0) s.timers.mod_timer(tbl.proxy_timer, next);
  }
  for (const proxy_packet& p : answered) static_cast<void>(dev_put(*p.dev, holder::proxy_queue));
}

void release_neigh_table(neigh_table& tbl) {
  stack& s = tbl.owner;
  s.timers.del_timer_sync(tbl.proxy_timer);
  tbl.proxy_queue.clear();
  tbl.phash.clear();
  for (neighbour*& head : tbl.buckets)
    while (head != nullptr) {
      neighbour* n = head;
      head = n->next;
      list_del_init(&n->dev_list);
      if (n->timer) s.timers.del_timer_sync(*n->timer);
      delete n;
    }
  tbl.entries = 0;
}

}  // namespace quiesce::refimpl
