// SPDX-License-Identifier: MIT
// Event lists of namespaces, and IPv4 routes.
#include "conformance/probe_internal.hpp"
#include "refimpl/core/list.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

void probe_lists(const look& l) {
  using refimpl::batch_collect;
  if (l.e.kind == event_kind::ndo_uninit)
    if (const refimpl::net_device* dev = l.device())
      l.require(dev->adj_upper.empty(), "no_upper_device_left", "a device that is uninitialised has a device above it");
  if (l.e.kind != event_kind::rtnl_unlock) return;
  for (const refimpl::net_device* dev : l.devices())
    l.require(refimpl::list_empty(&dev->close_list), "close_list_empty_at_rest", "a device is on a close_list at rest");
  const refimpl::variant_policy& p = l.s.policy;
  const bool used = p.batch_at != refimpl::batch_place::none &&
                    (p.collect == batch_collect::event_list || p.collect == batch_collect::devices_of_batch);
  if (!used) return;
  for (refimpl::net* n : l.nets()) {
    const bool initialised = !refimpl::bad_link(n->event_list.next);
    l.require(initialised, "node_initialised", "event_list of a namespace was never initialised");
    if (initialised)
      l.require(refimpl::list_empty(&n->event_list), "event_list_empty_at_rest", "a namespace is on an event list at rest");
  }
}

namespace {

bool dead(const refimpl::fib_info& f) { return (f.fib_flags.load() & refimpl::RTNH_F_DEAD) != 0; }

template <class F>
void each_route(const refimpl::net& n, F f) {
  if (n.ipv4 == nullptr || n.ipv4->routes == 0) return;
  for (const refimpl::route_view& r : fib_dump(n)) f(*r.fi);
}

bool has_dead_route(const refimpl::net& n) {
  bool found = false;
  each_route(n, [&](const refimpl::fib_info& f) { found = found || dead(f); });
  return found;
}

void route_at_rest(const look& l, const refimpl::net& n, const refimpl::fib_info& f) {
  if (dead(f)) {
    l.fail("no_dead_route_at_rest", "a dead route is in a table while nobody holds RTNL");
    l.fail("no_route_left_behind", "a dead route is in a table while nobody holds RTNL");
  }
  for (const auto& nh : f.nhs) {
    if (nh->nh_dev == nullptr) continue;
    const refimpl::net_device& dev = *nh->nh_dev;
    if (dev.reg_state.load() != refimpl::reg_state::registered) {
      l.fail("no_route_of_unregistered_device", "a route goes through " + dev.name + ", which is unregistered");
      l.fail("no_route_left_behind", "a route goes through " + dev.name + ", which is unregistered");
    }
    if (&refimpl::dev_net(dev) != &n)
      l.fail("old_namespace_forgotten", "a route goes through " + dev.name + ", which is in another namespace");
    const auto known = l.m.devices.find(dev.id);
    if (known != l.m.devices.end() && known->second.asked_again)
      l.fail("rebroadcast_leaves_no_route", "a route goes through " + dev.name + " after a rebroadcast");
  }
}

void at_rest(const look& l) {
  for (refimpl::net* n : l.nets()) {
    if (n->ipv4 == nullptr) continue;
    l.require(!n->ipv4->needs_fib_flush, "flush_flag_clear_at_unlock", "a namespace waits for a FIB flush at rest");
    each_route(*n, [&](const refimpl::fib_info& f) { route_at_rest(l, *n, f); });
    const auto known = l.m.nets.find(n->id);
    if (known == l.m.nets.end()) continue;
    l.require(!known->second.cache_behind, "cache_flushed_behind_mark",
              "nexthops were marked and the cache was not flushed");
    known->second.cache_behind = false;
  }
  for (refimpl::net_device* dev : l.devices())
    if (dev->reg_state.load() == refimpl::reg_state::unregistering && !refimpl::list_empty(&dev->uncached_dst) &&
        l.m.devices[dev->id].told_unregister && (dev->flags.load() & refimpl::IFF_LOOPBACK) == 0)
      l.fail("uncached_route_leaves_device", "an uncached route is on " + dev->name + ", which is unregistered");
}

// Whether fib_sync_down_dev is about to mark a nexthop: its event precedes the marks. A device that goes down by itself
// spares the nexthops of local addresses.
bool will_mark(const refimpl::net_device& dev, const refimpl::net& n, bool forced) {
  bool found = false;
  each_route(n, [&](const refimpl::fib_info& f) {
    for (const auto& nh : f.nhs)
      found = found || (nh->nh_dev == &dev && (nh->nh_flags.load() & refimpl::RTNH_F_DEAD) == 0 &&
                        (forced || nh->nh_scope != refimpl::RT_SCOPE_NOWHERE));
  });
  return found;
}

void through_device(const look& l) {
  refimpl::net_device* dev = l.device();
  refimpl::net* n = l.net();
  if (dev == nullptr || n == nullptr) return;
  if (l.e.kind == event_kind::fib_sync_down_dev) {
    const auto why = static_cast<event_kind>(l.e.value);
    const bool forced = why == event_kind::NETDEV_UNREGISTER;
    if ((forced || why == event_kind::NETDEV_DOWN) && will_mark(*dev, *n, forced)) l.m.nets[n->id].cache_behind = true;
    return;
  }
  each_route(*n, [&](const refimpl::fib_info& f) {
    bool through = false;
    for (const auto& nh : f.nhs) through = through || nh->nh_dev == dev;
    if (!through) return;
    if (l.e.kind == event_kind::ndo_uninit)
      l.fail("nexthop_released_before_uninit", "a route goes through " + dev->name + " at its ndo_uninit");
    if (l.e.kind == event_kind::fib_sync_up && dead(f) && dev->ip_ptr.load() != nullptr)
      l.fail("no_route_resurrected", "a dead route through " + dev->name + " comes back");
  });
}

void flag(const look& l) {
  if (!l.m.flush_due) return;
  for (refimpl::net* n : l.nets()) {
    if (n->ipv4 == nullptr || !n->ipv4->needs_fib_flush || has_dead_route(*n)) continue;
    l.fail("flag_means_dead_route", "a namespace waits for a FIB flush and has no dead route");
    l.require(l.m.nets[n->id].flushed_directly, "flag_means_dead_route_or_flush",
              "a namespace waits for a FIB flush, has no dead route, and none was flushed meanwhile");
  }
}

}  // namespace

void probe_fib(const look& l) {
  switch (l.e.kind) {
    case event_kind::rtnl_unlock:
      return at_rest(l);
    case event_kind::rt_cache_flush:
      l.m.nets[l.e.net].cache_behind = false;
      return;
    case event_kind::fib_flush:
    case event_kind::inet_del_ifa:  // the routes of an address go one by one
      l.m.nets[l.e.net].flushed_directly = true;
      return;
    case event_kind::needs_fib_flush_set:
      l.m.flush_due = true;
      l.m.nets[l.e.net].flushed_directly = false;
      return;
    case event_kind::fib_sync_down_dev:
    case event_kind::fib_sync_up:
    case event_kind::ndo_uninit:
      return through_device(l);
    case event_kind::callback:
      return flag(l);
    default:
      return;
  }
}

}  // namespace quiesce::conformance
