// SPDX-License-Identifier: MIT
// The FIB's handlers of device and address events. Mirrors net/ipv4/fib_frontend.c, v4.4 and v6.1, and patch 4 of the 2016
// series. Where the variants differ: disable_later (mark now, flush at the batch event) and batch_event.
#include "refimpl/net/builtin.hpp"
#include "refimpl/net/fib_semantics.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/neigh.hpp"
#include "refimpl/net/route.hpp"

namespace quiesce::refimpl {

void rt_cache_flush(net& n) {
  n.ipv4->rt_genid.fetch_add(1, std::memory_order_relaxed);
  n.owner.counters.rt_cache_flush.fetch_add(1, std::memory_order_relaxed);
  n.owner.emit_net(event_kind::rt_cache_flush, n);
}

void fib_disable_ip(net_device& dev, event_kind event, bool force) {
  net& n = dev_net(dev);
  const bool flush = fib_sync_down_dev(dev, event, force) != 0;
  if (flush) fib_flush(n);
  if (!flush || dev.owner.policy.unregister_final)
    rt_cache_flush(n);                    // v4.4 does so behind fib_flush as well, v6.1 does not
  neigh_ifdown(*dev.owner.arp_tbl, dev);  // arp_ifdown
}

namespace {

void mark_for_flush(net_device& dev, event_kind event, bool force) {
  net& n = dev_net(dev);
  if (fib_sync_down_dev(dev, event, force) == 0) return;
  if (!n.ipv4->needs_fib_flush) dev.owner.emit_net(event_kind::needs_fib_flush_set, n, &dev);
  unless(dev.owner.policy, mutation::mark_without_flag, [&] { n.ipv4->needs_fib_flush = true; });
}

void disable(net_device& dev, event_kind event, bool force) {
  const variant_policy& p = dev.owner.policy;
  // The reference's rollback has sent its batch event when it drops the registration: a repeated UNREGISTER has none to wait
  // for, and what it marks must be flushed before RTNL is let go (rule F1).
  const bool behind_batch = p.fib == fib_flush_rule::affected && dev.refs.of(holder::registration) == 0;
  if (p.fib == fib_flush_rule::immediate || chosen(p, mutation::repeated_unregister_defers, behind_batch, false)) {
    fib_disable_ip(dev, event, force);
    return;
  }
  mark_for_flush(dev, event, force);
  if (p.ifdown == ifdown_rule::batch_devices && list_empty(&dev.ifdown_list))
    unless(p, mutation::ifdown_list_forgotten, [&] { list_add_tail(&dev.ifdown_list, &dev_net(dev).ifdown_head); });
}

void flush_marked(net& n) {
  if (!n.ipv4->needs_fib_flush) return;
  const variant_policy& p = n.owner.policy;
  fib_flush(*chosen(p, mutation::wrong_net_flushed, &n, &n.owner.init_net()));
  unless(p, mutation::flag_not_cleared, [&] { n.ipv4->needs_fib_flush = false; });
  n.owner.emit_net(event_kind::needs_fib_flush_clear, n);
}

void batch_event(net& n) {
  stack& s = n.owner;
  if (s.policy.fib != fib_flush_rule::immediate) flush_marked(n);
  unless(s.policy, mutation::cache_not_flushed, [&] { rt_cache_flush(n); });
  switch (s.policy.ifdown) {
    case ifdown_rule::per_device:
      return;  // H09: only the route cache waits for the batch
    case ifdown_rule::all_down:
      neigh_ifdown_all(*s.arp_tbl);
      return;
    case ifdown_rule::batch_devices:
      neigh_ifdown_net(*s.arp_tbl, n);
      while (!list_empty(&n.ifdown_head)) list_del_init(n.ifdown_head.next);
      return;
  }
}

// A handler opened the device before the batch event of its going down: what that would remove must not come back.
void finish_down(net_device& dev) {
  if (dev.owner.policy.fib != fib_flush_rule::affected) return;
  flush_marked(dev_net(dev));
  if (list_empty(&dev.ifdown_list)) return;
  list_del_init(&dev.ifdown_list);
  neigh_ifdown(*dev.owner.arp_tbl, dev);
}

void up(net_device& dev, in_device& in_dev) {
  net& n = dev_net(dev);
  unless(dev.owner.policy, mutation::up_before_flush, [&] { finish_down(dev); });
  for (auto& ifa : in_dev.ifa_list) fib_add_ifaddr(*ifa);
  fib_sync_up(dev, RTNH_F_DEAD);
  n.ipv4->dev_addr_genid.fetch_add(1);
  rt_cache_flush(n);
}

}  // namespace

int fib_netdev_event(const netdev_notifier_info& info) {
  net_device& dev = netdev_notifier_info_to_dev(info, "fib_netdev_event");
  if (info.event == event_kind::NETDEV_UNREGISTER) {
    disable(dev, info.event, true);
    unless(dev.owner.policy, mutation::uncached_kept, [&] { rt_flush_dev(dev); });
    return NOTIFY_DONE;
  }
  if (info.event == event_kind::NETDEV_UNREGISTER_BATCH || info.event == event_kind::NETDEV_DOWN_BATCH) {
    batch_event(dev_net(dev));  // before the test of in_device: loopback may have none
    return NOTIFY_DONE;
  }
  in_device* in_dev = dev.ip_ptr.load();
  if (in_dev == nullptr) return NOTIFY_DONE;
  switch (info.event) {
    case event_kind::NETDEV_UP:
      up(dev, *in_dev);
      break;
    case event_kind::NETDEV_DOWN:
      disable(dev, info.event, false);
      break;
    case event_kind::NETDEV_CHANGE:
      if ((dev.flags.load() & IFF_RUNNING) != 0) {
        fib_sync_up(dev, RTNH_F_LINKDOWN);
      } else {
        fib_sync_down_dev(dev, info.event, false);
      }
      rt_cache_flush(dev_net(dev));
      break;
    case event_kind::NETDEV_CHANGEMTU:
      rt_cache_flush(dev_net(dev));
      break;
    default:
      break;
  }
  return NOTIFY_DONE;
}

namespace {

// fib_magic: the routes that an address brings with it. Failures are the kernel's: the address stays without the route.
void fib_magic(bool add, rtn type, std::uint32_t dst, std::uint8_t plen, const in_ifaddr& prim) {
  net_device& dev = *prim.ifa_dev.dev;
  fib_config cfg;
  cfg.fc_protocol = rtprot::kernel;
  cfg.fc_type = type;
  cfg.fc_table = type == rtn::unicast ? RT_TABLE_MAIN : RT_TABLE_LOCAL;
  cfg.fc_dst = dst;
  cfg.fc_dst_len = plen;
  cfg.fc_scope = type == rtn::local ? RT_SCOPE_HOST : RT_SCOPE_LINK;
  cfg.fc_prefsrc = prim.ifa_local;
  cfg.fc_append = true;
  cfg.nexthops.push_back({&dev, 0, 1});
  net& n = dev_net(dev);
  static_cast<void>(add ? fib_table_insert(n, cfg) : fib_table_delete(n, cfg));
}

struct address_routes {
  std::uint32_t prefix, broadcast;
  bool subnet;  // has a prefix route and a broadcast address of its own
  rtn prefix_type;
  explicit address_routes(const in_ifaddr& ifa)
      : prefix(ifa.ifa_local & ifa.mask()),
        broadcast(prefix | ~ifa.mask()),
        subnet((prefix >> 24) != 0 && (prefix != ifa.ifa_local || ifa.prefixlen < 32)),
        prefix_type((ifa.ifa_dev.dev->flags.load() & IFF_LOOPBACK) != 0 ? rtn::local : rtn::unicast) {}
};

bool same_subnet(const in_ifaddr& a, const in_ifaddr& b) {
  return a.prefixlen == b.prefixlen && ((a.ifa_local ^ b.ifa_local) & a.mask()) == 0;
}

// inet_ifa_byprefix for a secondary address: its routes carry the primary one as their source. NULL: that one is gone.
const in_ifaddr* primary_of(const in_ifaddr& ifa) {
  if (!ifa.secondary) return &ifa;
  for (const auto& other : ifa.ifa_dev.ifa_list)
    if (same_subnet(*other, ifa)) return other->secondary ? nullptr : other.get();
  return nullptr;
}

struct still_wanted {
  bool local = false, broadcast = false;
};

// Routes of `ifa`, whose primary is `prim`, that an address which stays has in common with it.
still_wanted wanted_by_others(const in_ifaddr& ifa, const in_ifaddr& prim, const address_routes& r) {
  still_wanted out;
  const in_ifaddr* prim1 = nullptr;
  bool same_prefsrc = false;
  for (const auto& other : ifa.ifa_dev.ifa_list) {
    if (other.get() == &ifa) continue;
    if (other->secondary && same_subnet(*other, prim)) {
      prim1 = &prim;
    } else if (other->secondary) {
      if (!same_prefsrc) continue;
      if (prim1 == nullptr || !same_subnet(*other, *prim1)) prim1 = primary_of(*other);
      if (prim1 == nullptr || prim1->ifa_local != prim.ifa_local) continue;
    } else {
      if (prim.ifa_local != other->ifa_local) continue;
      prim1 = other.get();
      same_prefsrc = same_prefsrc || prim1 != &prim;
    }
    out.local = out.local || ifa.ifa_local == other->ifa_local;
    if (prim1 != other.get() || other->prefixlen >= 31) continue;
    const address_routes theirs(*other);
    const bool zeronet = (theirs.prefix >> 24) == 0;
    out.broadcast = out.broadcast || (!zeronet && (r.broadcast == theirs.broadcast || r.broadcast == theirs.prefix));
  }
  return out;
}

}  // namespace

void fib_add_ifaddr(in_ifaddr& ifa) {
  const address_routes r(ifa);
  const in_ifaddr* prim = primary_of(ifa);
  if (prim == nullptr) return;
  fib_magic(true, rtn::local, ifa.ifa_local, 32, *prim);
  if (!dev_up(*ifa.ifa_dev.dev)) return;
  if (!r.subnet || ifa.secondary) return;
  fib_magic(true, r.prefix_type, r.prefix, ifa.prefixlen, ifa);
  if (ifa.prefixlen < 31) fib_magic(true, rtn::broadcast, r.broadcast, 32, ifa);
}

void fib_del_ifaddr(in_ifaddr& ifa) {
  const address_routes r(ifa);
  const in_device& in_dev = ifa.ifa_dev;
  const in_ifaddr* prim = primary_of(ifa);
  if (prim == nullptr) return;
  const bool subnet = r.subnet && !ifa.secondary;
  if (subnet) fib_magic(false, r.prefix_type, r.prefix, ifa.prefixlen, ifa);
  const still_wanted others = in_dev.dead ? still_wanted{} : wanted_by_others(ifa, *prim, r);
  if (subnet && ifa.prefixlen < 31 && !others.broadcast) fib_magic(false, rtn::broadcast, r.broadcast, 32, ifa);
  if (others.local) return;
  fib_magic(false, rtn::local, ifa.ifa_local, 32, *prim);
  net& n = dev_net(*in_dev.dev);
  if (!inet_addr_is_local(n, ifa.ifa_local) && fib_sync_down_addr(n, ifa.ifa_local) != 0) fib_flush(n);
}

void fib_inetaddr_event(in_ifaddr& ifa, event_kind event) {
  net_device& dev = *ifa.ifa_dev.dev;
  net& n = dev_net(dev);
  if (event == event_kind::NETDEV_UP) {
    fib_add_ifaddr(ifa);
    fib_sync_up(dev, RTNH_F_DEAD);
    n.ipv4->dev_addr_genid.fetch_add(1);
    rt_cache_flush(n);
    return;
  }
  n.ipv4->removing_address = true;
  fib_del_ifaddr(ifa);
  n.ipv4->dev_addr_genid.fetch_add(1);
  if (ifa.ifa_dev.ifa_list.empty()) {
    fib_disable_ip(dev, event, true);  // the last address: not deferred by the 2016 series either
  } else {
    rt_cache_flush(n);
  }
  n.ipv4->removing_address = false;
}

}  // namespace quiesce::refimpl
