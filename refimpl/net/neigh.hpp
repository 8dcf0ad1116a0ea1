// SPDX-License-Identifier: MIT
#pragma once
// Neighbour tables (ARP, ND) with proxy entries, proxy queue and timers. Mirrors net/core/neighbour.c v4.4, v6.1 and, for
// the per-device lists, v6.13 (f7f52738637f); neigh_ifdown_all as posted in the 2016 series. Each table has one lock,
// tbl->lock, which also covers the entries' states (n->lock in the kernel). No driver is called under it: entries are
// released after it is dropped (rule N7).

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "refimpl/core/timer.hpp"
#include "refimpl/net/ip_key.hpp"
#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

enum class neigh_family : std::uint8_t { ipv4 = 0, ipv6 = 1 };

inline constexpr std::uint8_t NUD_NONE = 0x00, NUD_INCOMPLETE = 0x01, NUD_REACHABLE = 0x02, NUD_STALE = 0x04,
                              NUD_FAILED = 0x20, NUD_NOARP = 0x40, NUD_PERMANENT = 0x80;
inline constexpr std::uint8_t NUD_VALID = NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_STALE;

struct neigh_table;

struct neighbour {
  neighbour(neigh_table& t, const ip_key& key, net_device& d, std::uint64_t number)
      : tbl(t), serial(number), primary_key(key), dev(&d) {
    INIT_LIST_HEAD(&dev_list);
  }
  neigh_table& tbl;
  const std::uint64_t serial;  // never reused: tells an entry from a later one of the same key
  const ip_key primary_key;
  net_device* const dev;      // holder::neighbour until neigh_destroy
  neighbour* next = nullptr;  // bucket; the rest under tbl->lock
  list_node<neighbour> dev_list{this};
  std::atomic<int> refcnt{1};
  std::uint8_t nud_state = NUD_NONE;
  bool dead = false;
  bool blackhole = false;  // output == neigh_blackhole
  unsigned arp_queue = 0;  // packets waiting for resolution
  unsigned probes = 0;
  std::unique_ptr<timer_list> timer;  // a pending timer holds a reference
};

struct pneigh_entry {
  ip_key key;
  net* ns = nullptr;
  net_device* dev = nullptr;  // NULL: for every device of ns
};

struct proxy_packet {
  net_device* dev;  // holder::proxy_queue
  ip_key key;
  std::uint64_t sched_next;
};

struct neigh_table {
  neigh_table(stack& s, neigh_family f);
  ~neigh_table();
  stack& owner;
  const neigh_family family;
  lock_state lock{"tbl->lock"};
  std::vector<neighbour*> buckets;  // under lock
  std::size_t entries = 0;
  std::uint64_t created = 0;        // serial of the latest; under lock
  std::vector<pneigh_entry> phash;  // under lock; few entries, searched linearly as one bucket chain
  lock_state proxy_lock{"proxy_queue.lock"};
  std::deque<proxy_packet> proxy_queue;
  timer_list proxy_timer;
  unsigned max_probes = 3;
};

// Finds or creates. locks: takes tbl->lock. after: one reference for the caller (neigh_release). errors: -EINVAL (the device
// has no in_device or inet6_dev: after inetdev_destroy none can be made, rule N8), -ENOBUFS (table full), -ENOMEM, -ENODEV.
// O(1) amortised.
result<neighbour*> neigh_create(neigh_table& tbl, const ip_key& key, net_device& dev);
neighbour* neigh_lookup(neigh_table& tbl, const ip_key& key, net_device& dev);  // NULL if absent; a reference
void neigh_release(neighbour* n);  // the last one destroys: ndo_neigh_destroy, dev_put. emits: neigh_destroy
// Begins resolution: INCOMPLETE, a packet queued, a probe each second up to max_probes, then FAILED. -EHOSTUNREACH when
// dead.
status neigh_event_send(neighbour& n);
// Confirms or sets a state (an answer, or netlink's NUD_PERMANENT). -EINVAL when dead.
status neigh_update(neighbour& n, std::uint8_t nud_state);

// neigh_add, neigh_delete of rtnetlink. `dev` NULL with `proxy` is a proxy entry for all devices. The device need not be up.
// errors: as neigh_create; -EINVAL without device; -ENOENT. locks: RTNL in the kernel; here tbl->lock only.
status neigh_add(neigh_table& tbl, net& n, net_device* dev, const ip_key& key, bool proxy);
status neigh_delete(neigh_table& tbl, net& n, net_device* dev, const ip_key& key, bool proxy);
bool pneigh_lookup(neigh_table& tbl, net& n, net_device* dev, const ip_key& key);
// A packet to be answered on behalf of a proxy entry after `delay_ms`. -ENETDOWN when the device is down.
status pneigh_enqueue(neigh_table& tbl, net_device& dev, const ip_key& key, std::uint64_t delay_ms);

// Entries of a device, its proxy entries, and queued packets as the variant purges them. locks: takes tbl->lock; may sleep
// (del_timer_sync): not with tbl->lock or proxy_lock held. emits: neigh_flush_dev, pneigh_flush, pneigh_queue_purge.
// O(table) or O(entries of dev), as variant_policy::neighbours.
void neigh_ifdown(neigh_table& tbl, net_device& dev);
void neigh_changeaddr(neigh_table& tbl, net_device& dev);
// The posted one: every entry whose device is not up, in every namespace, and by a slip of its third disjunct every proxy
// entry without a device.
void neigh_ifdown_all(neigh_table& tbl);
// The reference's: entries of the devices on n.ifdown_head that are down; nothing else. O(their entries).
void neigh_ifdown_net(neigh_table& tbl, net& n);

// By ownership, for ~stack.
void release_neigh_table(neigh_table& tbl);

}  // namespace quiesce::refimpl
