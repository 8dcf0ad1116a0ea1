// SPDX-License-Identifier: MIT
// Entries: creation, look-up, states and timers.
#include "refimpl/net/neigh.hpp"

#include "refimpl/net/lists.hpp"
#include "refimpl/net/neigh_internal.hpp"

namespace quiesce::refimpl {

neigh_table::neigh_table(stack& s, neigh_family f)
    : owner(s), family(f), buckets(64, nullptr), proxy_timer("proxy_timer", [this] { neigh_proxy_process(*this); }) {}
neigh_table::~neigh_table() = default;

std::size_t neigh_bucket(const neigh_table& tbl, const ip_key& key, const net_device& dev) {
  std::uint64_t h =
      key.lo * 0x9e3779b97f4a7c15ull ^ key.hi * 0xc2b2ae3d27d4eb4full ^ static_cast<std::uint64_t>(dev.id) * 0x165667b1u;
  return (h ^ (h >> 29)) & (tbl.buckets.size() - 1);
}

namespace {

bool has_protocol(const neigh_table& tbl, const net_device& dev) {
  return tbl.family == neigh_family::ipv4 ? dev.ip_ptr.load() != nullptr : dev.ip6_ptr.load() != nullptr;
}

neighbour* find(neigh_table& tbl, const ip_key& key, const net_device& dev) {
  for (neighbour* n = tbl.buckets[neigh_bucket(tbl, key, dev)]; n != nullptr; n = n->next)
    if (n->dev == &dev && n->primary_key == key) return n;
  return nullptr;
}

void grow(neigh_table& tbl) {
  std::vector<neighbour*> old(tbl.buckets.size() * 2, nullptr);
  old.swap(tbl.buckets);
  for (neighbour* n : old)
    while (n != nullptr) {
      neighbour* next = n->next;
      neighbour*& head = tbl.buckets[neigh_bucket(tbl, n->primary_key, *n->dev)];
      n->next = head;
      head = n;
      n = next;
    }
}

void insert(neigh_table& tbl, neighbour& n) {
  if (tbl.entries >= tbl.buckets.size()) grow(tbl);
  neighbour*& head = tbl.buckets[neigh_bucket(tbl, n.primary_key, *n.dev)];
  n.next = head;
  head = &n;
  list_add_tail(&n.dev_list, &n.dev->neighbours[static_cast<int>(tbl.family)]);
  ++tbl.entries;
}

// Under tbl->lock. A pending timer owns a reference.
void arm(neighbour& n) {
  stack& s = n.tbl.owner;
  if (!n.timer) n.timer = std::make_unique<timer_list>("neighbour", [&n] { neigh_timer_handler(n); });
  if (!s.timers.mod_timer(*n.timer, s.timers.jiffies() + s.options.hz)) n.refcnt.fetch_add(1);
}

}  // namespace

// Returns whether the timer held a reference that the caller must now release, after dropping tbl->lock.
bool neigh_del_timer(neighbour& n) { return n.timer != nullptr && n.tbl.owner.timers.del_timer(*n.timer); }

void neigh_timer_handler(neighbour& n) {
  stack& s = n.tbl.owner;
  {
    lock_guard held(s.sched, n.tbl.lock);
    s.emit(event_kind::timer_fire, n.dev, 0, "neighbour");
    if (!n.dead && n.nud_state == NUD_INCOMPLETE) {
      if (++n.probes >= n.tbl.max_probes) {
        n.nud_state = NUD_FAILED;
        n.arp_queue = 0;
      } else {
        arm(n);
      }
    }
  }
  neigh_release(&n);
}

namespace {
// arp_constructor: all IPv4 neighbours behind loopback are one, INADDR_ANY.
ip_key constructed_key(const neigh_table& tbl, const ip_key& key, const net_device& dev) {
  const bool loopback = (dev.flags.load(std::memory_order_relaxed) & IFF_LOOPBACK) != 0;
  return loopback && tbl.family == neigh_family::ipv4 ? ip_key{} : key;
}
}  // namespace

result<neighbour*> neigh_create(neigh_table& tbl, const ip_key& key, net_device& dev) {
  stack& s = tbl.owner;
  return s.enter([&]() -> result<neighbour*> {
    if (!s.known(&dev)) return error::enodev;
    lock_guard held(s.sched, tbl.lock);
    if (!has_protocol(tbl, dev)) return error::einval;
    if (neighbour* old = find(tbl, key, dev)) {
      old->refcnt.fetch_add(1);
      return old;
    }
    if (tbl.entries >= s.options.neigh_gc_thresh3) return error::enobufs;
    if (s.alloc_fails("neigh_alloc")) return error::enomem;
    const ip_key made = constructed_key(tbl, key, dev);
    if (neighbour* old = made != key ? find(tbl, made, dev) : nullptr) {
      old->refcnt.fetch_add(1);
      return old;
    }
    auto* n = new neighbour(tbl, made, dev, ++tbl.created);  // born with the table's reference
    dev_hold(dev, holder::neighbour);
    insert(tbl, *n);
    n->refcnt.fetch_add(1);
    return n;
  });
}

neighbour* neigh_lookup(neigh_table& tbl, const ip_key& key, net_device& dev) {
  lock_guard held(tbl.owner.sched, tbl.lock);
  neighbour* n = find(tbl, key, dev);
  if (n != nullptr) n->refcnt.fetch_add(1);
  return n;
}

void neigh_release(neighbour* n) {
  if (n->refcnt.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  net_device& dev = *n->dev;
  stack& s = n->tbl.owner;
  if (!n->dead) s.warn("Destroying alive neighbour", &dev);
  s.emit(event_kind::neigh_destroy, &dev);
  call_ndo_neigh_destroy(dev);
  delete n;
  unless(s.policy, mutation::neighbour_not_put, [&] { static_cast<void>(dev_put(dev, holder::neighbour)); });
}

status neigh_event_send(neighbour& n) {
  stack& s = n.tbl.owner;
  return s.enter([&]() -> status {
    lock_guard held(s.sched, n.tbl.lock);
    if (n.dead) return error::ehostunreach;
    if ((n.nud_state & NUD_VALID) != 0) return {};
    if (n.nud_state != NUD_INCOMPLETE) {
      n.nud_state = NUD_INCOMPLETE;
      n.probes = 0;
      arm(n);
    }
    if (n.arp_queue < 3) ++n.arp_queue;
    return {};
  });
}

status neigh_update(neighbour& n, std::uint8_t nud_state) {
  stack& s = n.tbl.owner;
  return s.enter([&]() -> status {
    bool release_timer = false;
    {
      lock_guard held(s.sched, n.tbl.lock);
      if (n.dead) return error::einval;
      n.nud_state = nud_state;
      if ((nud_state & NUD_VALID) != 0) {
        n.arp_queue = 0;
        release_timer = neigh_del_timer(n);
      }
    }
    if (release_timer) neigh_release(&n);
    return {};
  });
}

status neigh_add(neigh_table& tbl, net& n, net_device* dev, const ip_key& key, bool proxy) {
  stack& s = tbl.owner;
  return s.enter([&]() -> status {
    if (dev != nullptr && !s.known(dev)) return error::enodev;
    if (proxy) return pneigh_create(tbl, n, dev, key);
    if (dev == nullptr) return error::einval;
    result<neighbour*> made = neigh_create(tbl, key, *dev);
    if (!made) return made.code();
    status r = neigh_update(*made.value(), NUD_PERMANENT);
    neigh_release(made.value());
    return r;
  });
}

status neigh_delete(neigh_table& tbl, net& n, net_device* dev, const ip_key& key, bool proxy) {
  stack& s = tbl.owner;
  return s.enter([&]() -> status {
    if (dev != nullptr && !s.known(dev)) return error::enodev;
    if (proxy) return pneigh_remove(tbl, n, dev, key);
    if (dev == nullptr) return error::einval;
    neigh_victims victims;
    {
      lock_guard held(s.sched, tbl.lock);
      neighbour* found = find(tbl, key, *dev);
      if (found == nullptr) return error::enoent;
      neigh_unlink(tbl, *found, victims);
    }
    neigh_cleanup_and_release(victims);
    return {};
  });
}

}  // namespace quiesce::refimpl
