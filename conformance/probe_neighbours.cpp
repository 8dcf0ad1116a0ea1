// SPDX-License-Identifier: MIT
// Neighbours, proxy entries and the proxy queue: what a built-in handler's run removed, and what is left at rest.
#include <algorithm>
#include <string_view>

#include "conformance/probe_internal.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

bool flushing_handler(std::string_view name) {
  return name == "inetdev_event" || name == "fib_netdev_event" || name == "addrconf_notify" || name == "ndisc_netdev_event";
}

bool flushing_event(std::int64_t kind) {
  switch (static_cast<event_kind>(kind)) {
    case event_kind::NETDEV_DOWN:
    case event_kind::NETDEV_UNREGISTER:
    case event_kind::NETDEV_DOWN_BATCH:
    case event_kind::NETDEV_UNREGISTER_BATCH:
    case event_kind::NETDEV_CHANGE:
      return true;
    default:
      return false;
  }
}

// Events that a built-in handler's run does not contain: it calls no notifier and no driver but ndo_neigh_destroy.
bool ends_handler(event_kind k) {
  switch (k) {
    case event_kind::callback:
    case event_kind::close_end:
    case event_kind::rollback_end:
    case event_kind::rebroadcast_end:
    case event_kind::replay_end:
    case event_kind::ndo_uninit:
    case event_kind::dev_uc_flush:
    case event_kind::synchronize_net_begin:
    case event_kind::rcu_barrier_begin:
    case event_kind::rtnl_unlock:
    case event_kind::RTM_NEWLINK:
    case event_kind::RTM_DELLINK:
      return true;
    default:
      return k <= event_kind::NETDEV_REBOOT;  // the notifications are the first of the enumeration
  }
}

table_view view_of(refimpl::stack& s) {
  table_view v;
  each_neighbour(s, [&](const refimpl::neighbour& n) {
    v.neighbours.push_back({n.serial, n.dev->id, refimpl::dev_net(*n.dev).id, refimpl::dev_up(*n.dev),
                            n.tbl.family == refimpl::neigh_family::ipv6});
  });
  for (refimpl::neigh_table* tbl : {s.arp_tbl.get(), s.nd_tbl.get()}) {
    const bool ipv6 = tbl->family == refimpl::neigh_family::ipv6;
    for (const refimpl::pneigh_entry& p : tbl->phash)
      v.proxies.push_back({p.key, p.dev != nullptr ? p.dev->id : refimpl::no_id, p.ns->id, ipv6});
    for (const refimpl::proxy_packet& p : tbl->proxy_queue) ++v.packets[refimpl::dev_net(*p.dev).id];
  }
  return v;
}

// Every device but the one that the event is about is a bystander; a batch event is about the devices of its namespace that
// went down in the batch, whose neighbours no rule keeps.
void compare_neighbours(const look& l, const handler_run& run, const table_view& after) {
  for (const neighbour_view& n : run.before.neighbours) {
    const bool kept = std::any_of(after.neighbours.begin(), after.neighbours.end(),
                                  [&](const neighbour_view& a) { return a.serial == n.serial; });
    if (kept) continue;
    const bool batch = run.event == event_kind::NETDEV_DOWN_BATCH || run.event == event_kind::NETDEV_UNREGISTER_BATCH;
    l.require(run.event != event_kind::NETDEV_CHANGE || n.dev != run.dev, "permanent_neighbour_survives_carrier",
              "a neighbour of a device that lost the carrier was removed");
    if (batch) l.require(!n.up, "neighbour_of_up_device_kept", "a neighbour of a device that is up was removed");
    l.require(n.net == run.net, "no_foreign_neighbour_removed", "a neighbour of another namespace was removed");
    const auto went_down = l.m.devices.find(n.dev);
    const bool concerned = went_down != l.m.devices.end() &&
                           std::count(went_down->second.at_down.begin(), went_down->second.at_down.end(), n.serial) != 0;
    const bool leaving = went_down != l.m.devices.end() && went_down->second.told_unregister;
    if (n.net == run.net && n.dev != run.dev)
      l.require(batch && (concerned || leaving), "configured_neighbour_kept", "a neighbour of another device was removed");
  }
}

void compare_proxies(const look& l, const handler_run& run, const table_view& after) {
  for (const proxy_view& p : run.before.proxies) {
    if (std::find(after.proxies.begin(), after.proxies.end(), p) != after.proxies.end()) continue;
    if (p.dev == refimpl::no_id) {
      l.fail("deviceless_proxy_kept", "a proxy entry without device was removed");
      continue;
    }
    l.require(p.net == run.net, "no_foreign_neighbour_removed", "a proxy entry of another namespace was removed");
    const bool batch = run.event == event_kind::NETDEV_DOWN_BATCH || run.event == event_kind::NETDEV_UNREGISTER_BATCH;
    const auto known = l.m.devices.find(p.dev);
    const bool concerned = known != l.m.devices.end() && (known->second.told_unregister || known->second.went_down);
    if (p.net == run.net && p.dev != run.dev)
      l.require(batch && concerned, "configured_neighbour_kept", "a proxy entry of another device was removed");
  }
}

void compare_packets(const look& l, const handler_run& run, const table_view& after) {
  if (run.timer_fired) return;
  for (const auto& [net, count] : run.before.packets) {
    const auto left = after.packets.find(net);
    const int kept = left != after.packets.end() ? left->second : 0;
    l.require(kept >= count || net == run.net, "purge_keeps_other_namespaces", "a packet of another namespace was dropped");
  }
}

void finish(const look& l) {
  const handler_run run = std::move(*l.m.running);
  l.m.running.reset();
  const table_view& before = run.before;
  if (before.neighbours.empty() && before.proxies.empty() && before.packets.empty()) return;
  const table_view after = view_of(l.s);
  compare_neighbours(l, run, after);
  compare_proxies(l, run, after);
  compare_packets(l, run, after);
}

// neigh_ifdown of a device ends within the handler: its packets must have gone by the handler's end.
void packets_of(const look& l, int dev) {
  for (refimpl::neigh_table* tbl : {l.s.arp_tbl.get(), l.s.nd_tbl.get()})
    for (const refimpl::proxy_packet& p : tbl->proxy_queue)
      if (p.dev->id == dev && !refimpl::dev_up(*p.dev) && l.m.devices[dev].told_unregister)
        l.fail("no_packet_of_down_device", "a packet of " + p.dev->name + " is in the proxy queue after its teardown");
}

void at_rest(const look& l) {
  each_neighbour(l.s, [&](const refimpl::neighbour& n) {
    if (n.dev->reg_state.load() != refimpl::reg_state::registered)
      l.fail("no_neighbour_of_unregistered_device", "a neighbour is on " + n.dev->name + ", which is unregistered");
    const auto known = l.m.devices.find(n.dev->id);
    if (known == l.m.devices.end()) return;
    const auto& stale = known->second.at_down;
    if (std::find(stale.begin(), stale.end(), n.serial) != stale.end())
      l.fail("no_neighbour_of_down_device", "a neighbour of " + n.dev->name + " outlived its going down");
  });
  for (refimpl::neigh_table* tbl : {l.s.arp_tbl.get(), l.s.nd_tbl.get()}) {
    for (const refimpl::pneigh_entry& p : tbl->phash)
      if (p.dev != nullptr && p.dev->reg_state.load() != refimpl::reg_state::registered)
        l.fail("no_neighbour_of_unregistered_device", "a proxy entry is on " + p.dev->name + ", which is unregistered");
    const bool in_enqueue = tbl->proxy_lock.owner.load() != nullptr;
    l.require(in_enqueue || tbl->proxy_queue.empty() || l.s.timers.timer_pending(tbl->proxy_timer),
              "proxy_queue_has_a_timer", "packets wait in the proxy queue and its timer is not armed");
  }
  for (auto& [id, dev] : l.m.devices) {
    if (dev.told_unregister) packets_of(l, id);
    dev.at_down.clear();
    dev.went_down = false;
  }
}

void remember_down(const look& l) {
  device_memory& dev = l.m.devices[l.e.dev];
  dev.went_down = true;
  each_neighbour(l.s, [&](const refimpl::neighbour& n) {
    if (n.dev->id == l.e.dev) dev.at_down.push_back(n.serial);
  });
}

// neigh_ifdown_all asks the device of each entry whether it is up.
void reads_flags(const look& l) {
  if (!l.m.running || l.m.running->task != l.e.task || l.s.policy.ifdown != refimpl::ifdown_rule::all_down) return;
  each_neighbour(l.s, [&](const refimpl::neighbour& n) {
    const bool arp = n.tbl.family == refimpl::neigh_family::ipv4;
    l.require(!arp || refimpl::dev_net(*n.dev).id == l.m.running->net, "arp_flush_reads_own_namespace",
              "a flush for all devices that are down reads the flags of a device of another namespace");
  });
}

void before_uninit(const look& l) {
  each_neighbour(l.s, [&](const refimpl::neighbour& n) {
    if (n.dev->id == l.e.dev)
      l.fail("neighbour_destroyed_before_uninit", "a neighbour is on " + n.dev->name + " at its ndo_uninit");
  });
}

}  // namespace

void probe_neighbours(const look& l) {
  if (l.m.running && l.m.running->task == l.e.task && ends_handler(l.e.kind)) finish(l);
  switch (l.e.kind) {
    case event_kind::callback:
      if (flushing_handler(l.e.tag) && flushing_event(l.e.value))
        l.m.running = handler_run{l.e.task, static_cast<event_kind>(l.e.value), l.e.dev, l.e.net, view_of(l.s)};
      return;
    case event_kind::timer_fire:
      if (l.m.running) l.m.running->timer_fired = true;
      return;
    case event_kind::NETDEV_DOWN:
      if (l.m.replays[l.e.task] == 0) remember_down(l);
      return;
    case event_kind::arp_ifdown_all:
      return reads_flags(l);
    case event_kind::ndo_uninit:
      return before_uninit(l);
    case event_kind::rtnl_unlock:
      return at_rest(l);
    default:
      return;
  }
}

}  // namespace quiesce::conformance
