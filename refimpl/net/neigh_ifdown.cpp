// SPDX-License-Identifier: MIT
// Flushing: neigh_flush_dev, neigh_ifdown, and the batch forms. Which entries go is decided in flush_rule::takes.
#include "refimpl/net/lists.hpp"
#include "refimpl/net/neigh_internal.hpp"

namespace quiesce::refimpl {

namespace {

// An explicit mode instead of a NULL device that means "all" (rule N13); the slip of the posted series is spelled out.
struct flush_rule {
  enum class mode { device, all_down } kind;
  const net_device* dev;
  bool takes(const neighbour& n) const { return kind == mode::device ? n.dev == dev : !dev_up(*n.dev); }
  bool takes(const pneigh_entry& e) const {
    if (kind == mode::device) return e.dev == dev;
    return (e.dev != nullptr && !dev_up(*e.dev)) || e.dev == nullptr;  // posted: `n->dev == dev` with dev NULL
  }
};

void flush_table(neigh_table& tbl, const flush_rule& rule, neigh_victims& out) {
  std::uint64_t visited = 0;
  for (neighbour* head : tbl.buckets)
    for (neighbour *n = head, *next = nullptr; n != nullptr; n = next) {
      next = n->next;
      ++visited;
      if (rule.takes(*n)) neigh_unlink(tbl, *n, out);
    }
  tbl.owner.counters.neighbours_visited.fetch_add(visited, std::memory_order_relaxed);
}

void flush_device_list(neigh_table& tbl, net_device& dev, neigh_victims& out) {
  list_head& head = dev.neighbours[static_cast<int>(tbl.family)];
  std::uint64_t visited = 0;
  while (!list_empty(&head)) {
    neigh_unlink(tbl, *list_entry<neighbour>(head.next), out);
    ++visited;
  }
  tbl.owner.counters.neighbours_visited.fetch_add(visited, std::memory_order_relaxed);
}

void neigh_flush_dev(neigh_table& tbl, net_device& dev, neigh_victims& out) {
  stack& s = tbl.owner;
  s.emit(event_kind::neigh_flush, &dev, static_cast<int>(tbl.family));
  s.counters.neigh_walks.fetch_add(1, std::memory_order_relaxed);
  if (s.policy.neighbours == neigh_walk::per_device) {
    flush_device_list(tbl, dev, out);
  } else {
    flush_table(tbl, {flush_rule::mode::device, &dev}, out);
  }
}

void purge_after(neigh_table& tbl, net_device& dev) {
  stack& s = tbl.owner;
  switch (s.policy.proxy_purge) {
    case proxy_purge_rule::whole_queue:  // v4.4: stop the timer, then drop everything
      s.timers.del_timer_sync(tbl.proxy_timer);
      pneigh_queue_purge(tbl, purge_scope::everything, &dev);
      return;
    case proxy_purge_rule::per_net:
      pneigh_queue_purge(tbl, purge_scope::of_net, &dev);
      break;
    case proxy_purge_rule::per_device:
      unless(s.policy, mutation::queue_not_purged, [&] {
        const auto wrong = purge_scope::everything;
        pneigh_queue_purge(tbl, chosen(s.policy, mutation::whole_queue_purged, purge_scope::of_device, wrong), &dev);
      });
      return;
  }
  // v6.1: a packet queued between this test and the stop is left without a timer (rule N9).
  const bool empty = [&] {
    lock_guard held(s.sched, tbl.proxy_lock);
    return tbl.proxy_queue.empty();
  }();
  if (!empty) return;
  s.visible("del_timer_sync", &tbl.proxy_timer);
  s.timers.del_timer_sync(tbl.proxy_timer);
}

}  // namespace

void neigh_unlink(neigh_table& tbl, neighbour& n, neigh_victims& out) {
  neighbour** at = &tbl.buckets[neigh_bucket(tbl, n.primary_key, *n.dev)];
  while (*at != &n) at = &(*at)->next;
  *at = n.next;
  list_del_init(&n.dev_list);
  --tbl.entries;
  int drop = 1;
  if (neigh_del_timer(n)) ++drop;
  n.dead = true;
  if (n.refcnt.load() != drop) {
    n.arp_queue = 0;
    n.blackhole = true;
    n.nud_state = (n.nud_state & NUD_VALID) != 0 ? NUD_NOARP : NUD_NONE;
  }
  tbl.owner.counters.neighbours_flushed.fetch_add(1, std::memory_order_relaxed);
  out.emplace_back(&n, drop);
}

void neigh_cleanup_and_release(const neigh_victims& victims) {
  for (const auto& [n, drop] : victims)
    for (int i = 0; i < drop; ++i) neigh_release(n);
}

void neigh_changeaddr(neigh_table& tbl, net_device& dev) {
  neigh_victims victims;
  {
    lock_guard held(tbl.owner.sched, tbl.lock);
    neigh_flush_dev(tbl, dev, victims);
  }
  neigh_cleanup_and_release(victims);
}

namespace {
// __neigh_ifdown
void flush_device(neigh_table& tbl, net_device& dev) {
  neigh_victims victims;
  std::vector<pneigh_entry> proxies;
  {
    lock_guard held(tbl.owner.sched, tbl.lock);
    neigh_flush_dev(tbl, dev, victims);
    const flush_rule rule{flush_rule::mode::device, &dev};
    const bool slip = chosen(tbl.owner.policy, mutation::deviceless_proxies_flushed, false, true);
    proxies = pneigh_take(tbl, [&](const pneigh_entry& e) { return rule.takes(e) || (slip && e.dev == nullptr); });
  }
  neigh_cleanup_and_release(victims);
  if (!proxies.empty()) tbl.owner.emit(event_kind::pneigh_flush, &dev, static_cast<std::int64_t>(proxies.size()));
  pneigh_put(tbl, proxies);
  purge_after(tbl, dev);
}
}  // namespace

void neigh_ifdown(neigh_table& tbl, net_device& dev) {
  if (tbl.family == neigh_family::ipv4) tbl.owner.emit(event_kind::arp_ifdown, &dev);
  flush_device(tbl, dev);
}

void neigh_ifdown_all(neigh_table& tbl) {
  stack& s = tbl.owner;
  const flush_rule rule{flush_rule::mode::all_down, nullptr};
  neigh_victims victims;
  std::vector<pneigh_entry> proxies;
  {
    lock_guard held(s.sched, tbl.lock);
    s.emit(event_kind::arp_ifdown_all, nullptr);
    s.counters.neigh_walks.fetch_add(1, std::memory_order_relaxed);
    flush_table(tbl, rule, victims);
    proxies = pneigh_take(tbl, [&](const pneigh_entry& e) { return rule.takes(e); });
  }
  neigh_cleanup_and_release(victims);
  if (!proxies.empty()) s.emit(event_kind::pneigh_flush, nullptr, static_cast<std::int64_t>(proxies.size()));
  pneigh_put(tbl, proxies);
  s.timers.del_timer_sync(tbl.proxy_timer);
  pneigh_queue_purge(tbl, purge_scope::everything, nullptr);
}

void neigh_ifdown_net(neigh_table& tbl, net& n) {
  stack& s = tbl.owner;
  s.emit_net(event_kind::arp_ifdown_net, n);
  also(s.policy, mutation::all_down_flushed, [&] { neigh_ifdown_all(tbl); });
  list_for_each_entry<net_device>(&n.ifdown_head, s.turns("list_for_each_entry(dev, ifdown_list)"), [&](net_device& dev) {
    if (!dev_up(dev)) flush_device(tbl, dev);
  });
}

}  // namespace quiesce::refimpl
