// SPDX-License-Identifier: MIT
#include "conformance/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace quiesce::conformance {

namespace {

using refimpl::event_kind;
using S = const scenario&;
using E = const event_counts&;

std::uint64_t happened(E e, event_kind k) { return e[static_cast<std::size_t>(k)]; }

template <class F>
bool any_device(S s, F f) {
  return std::any_of(s.devices.begin(), s.devices.end(), f);
}
template <class F>
bool any_operation(S s, F f) {
  for (const operation& op : s.setup)
    if (f(op)) return true;
  for (const auto& task : s.tasks)
    for (const operation& op : task)
      if (f(op)) return true;
  return false;
}
bool has(S s, op_kind k) {
  return any_operation(s, [k](const operation& op) { return op.kind == k; });
}
bool batch(const operation& op) {
  return op.kind == op_kind::close || op.kind == op_kind::unregister || op.kind == op_kind::dellink;
}
const device_plan* plan(S s, device_ref d) { return is_loopback(d) ? nullptr : &s.devices[static_cast<std::size_t>(d)]; }
std::set<net_ref> nets_of(S s, const operation& op) {
  std::set<net_ref> nets;
  for (device_ref d : op.devices)
    if (const device_plan* p = plan(s, d)) nets.insert(p->net);
  return nets;
}
bool lower_and_upper(S s, const operation& op) {
  for (device_ref d : op.devices) {
    const device_plan* p = plan(s, d);
    const bool upper = p != nullptr && (p->kind == device_kind::vlan || p->kind == device_kind::macvlan);
    if (upper && std::count(op.devices.begin(), op.devices.end(), p->lower) != 0) return true;
  }
  return false;
}
bool up_and_down(S s, const operation& op) {
  int up = 0, down = 0;
  for (device_ref d : op.devices)
    if (const device_plan* p = plan(s, d)) ++(p->up ? up : down);
  return up > 0 && down > 0;
}
template <class F>
bool reacts(S s, F f) {
  return std::any_of(s.callbacks.begin(), s.callbacks.end(), f);
}
bool does(const callback_plan& c, op_kind k) { return c.react == reaction::act && c.act.kind == k; }
template <op_kind k>
bool operation_of(S s, E) {
  return has(s, k);
}
template <event_kind k>
bool event_of(S, E e) {
  return happened(e, k) > 0;
}
template <fault_kind k>
bool fault_of(S s, E) {
  return std::any_of(s.faults.begin(), s.faults.end(), [](const fault_plan& f) { return f.kind == k; });
}
template <op_kind k, std::int64_t low, std::int64_t high>
bool number_of(S s, E) {
  return any_operation(s, [](const operation& op) { return op.kind == k && op.number >= low && op.number <= high; });
}

using k = op_kind;
using ev = event_kind;

const feature features[] = {
    {"several devices in one batch", "teardown",
     [](S s, E) { return any_operation(s, [](const operation& op) { return batch(op) && op.devices.size() > 1; }); }},
    {"several devices of one namespace in a batch", "teardown",
     [](S s, E) {
       return any_operation(s, [&](const operation& op) { return batch(op) && op.devices.size() > nets_of(s, op).size(); });
     }},
    {"several namespaces in one batch", "teardown",
     [](S s, E) { return any_operation(s, [&](const operation& op) { return batch(op) && nets_of(s, op).size() > 1; }); }},
    {"devices up and down in one batch", "teardown, fib_neigh",
     [](S s, E) { return any_operation(s, [&](const operation& op) { return batch(op) && up_and_down(s, op); }); }},
    {"a device and one above it in one batch", "teardown (nested)",
     [](S s, E) { return any_operation(s, [&](const operation& op) { return batch(op) && lower_and_upper(s, op); }); }},
    {"a VLAN device", "teardown (nested)",
     [](S s, E) { return any_device(s, [](const device_plan& d) { return d.kind == device_kind::vlan; }); }},
    {"a VLAN device that does not follow", "teardown (nested)",
     [](S s, E) { return any_device(s, [](const device_plan& d) { return d.loose; }); }},
    {"a macvlan device", "teardown (nested)",
     [](S s, E) { return any_device(s, [](const device_plan& d) { return d.kind == device_kind::macvlan; }); }},
    {"an upper device in another namespace", "teardown (nested)",
     [](S s, E) {
       return any_device(s, [&](const device_plan& d) {
         const bool upper = d.kind == device_kind::vlan || d.kind == device_kind::macvlan;
         return upper && d.net != s.devices[static_cast<std::size_t>(d.lower)].net;
       });
     }},
    {"a rollback inside another", "teardown (nested)",
     [](S s, E e) {
       return happened(e, ev::rollback_begin) > 1 && any_device(s, [](const device_plan& d) {
                return d.lower >= 0 && (d.kind == device_kind::vlan || d.kind == device_kind::macvlan);
              });
     }},
    {"a device that needs the instance lock", "teardown",
     [](S s, E) { return any_device(s, [](const device_plan& d) { return d.ops_lock; }); }},
    {"close", "teardown", operation_of<k::close>},
    {"unregister", "teardown", operation_of<k::unregister>},
    {"dellink", "teardown", operation_of<k::dellink>},
    {"a group deleted", "teardown", operation_of<k::group_dellink>},
    {"opened again", "fib_neigh", operation_of<k::open>},
    {"a callback that closes", "teardown (handlers)",
     [](S s, E) { return reacts(s, [](auto& c) { return does(c, k::close); }); }},
    {"a callback that opens", "teardown (handlers)",
     [](S s, E) { return reacts(s, [](auto& c) { return does(c, k::open); }); }},
    {"a callback that unregisters", "teardown (handlers)",
     [](S s, E) { return reacts(s, [](auto& c) { return does(c, k::unregister) || does(c, k::dellink); }); }},
    {"a callback that throws", "teardown (handlers)",
     [](S s, E) { return reacts(s, [](auto& c) { return c.react == reaction::throw_; }); }},
    {"a callback that refuses a registration", "replay",
     [](S s, E) { return reacts(s, [](auto& c) { return c.react == reaction::veto && !c.late; }); }},
    {"a callback that refuses a device in its replay", "replay",
     [](S s, E) { return reacts(s, [](auto& c) { return c.react == reaction::veto && c.late; }); }},
    {"a notifier registered late", "replay", operation_of<k::watch>},
    {"a notifier unregistered", "replay", operation_of<k::unwatch>},
    {"a namespace ends", "namespaces", operation_of<k::exit_net>},
    {"several namespaces end together", "namespaces",
     [](S s, E) {
       return any_operation(s, [](const operation& op) { return op.kind == k::exit_net && op.nets.size() > 1; });
     }},
    {"a physical device in a namespace", "namespaces",
     [](S s, E) {
       return any_device(s, [](const device_plan& d) { return d.kind == device_kind::physical && d.net > 0; });
     }},
    {"a device moved", "namespaces", operation_of<k::move>},
    {"an address", "fib_neigh", operation_of<k::address>},
    {"an address removed", "fib_neigh", operation_of<k::del_address>},
    {"a route", "fib_neigh", operation_of<k::route>},
    {"a route with several nexthops", "fib_neigh",
     [](S s, E) {
       return any_operation(s, [](const operation& op) { return op.kind == k::route && op.devices.size() > 1; });
     }},
    {"a kept destination", "fib_neigh", operation_of<k::cache>},
    {"a neighbour", "fib_neigh", operation_of<k::neighbour>},
    {"a neighbour of a device that is down", "fib_neigh",
     [](S s, E) {
       return any_operation(s, [&](const operation& op) {
         return op.kind == k::neighbour && plan(s, op.devices[0]) != nullptr && !plan(s, op.devices[0])->up;
       });
     }},
    {"a proxy entry", "fib_neigh", operation_of<k::proxy>},
    {"a proxy entry without device", "fib_neigh", operation_of<k::proxy_net>},
    {"a packet in the proxy queue", "proxy_queue", operation_of<k::packet>},
    {"the carrier changes", "fib_neigh, wait_allrefs", operation_of<k::link_event>},
    {"MTU below the least", "fib_neigh", number_of<k::mtu, 0, 67>},
    {"a reference behind one RCU callback", "wait_rcu", number_of<k::chain, 1, 1>},
    {"a reference behind several RCU callbacks", "wait_rcu", number_of<k::chain, 2, 99>},
    {"a reference kept for less than a second", "wait_allrefs, wait_backoff", number_of<k::delay, 1, 999>},
    {"a reference kept for seconds", "wait_allrefs, wait_backoff", number_of<k::delay, 1000, 9999>},
    {"a reference kept for more than ten seconds", "wait_backoff", number_of<k::delay, 10000, 99999>},
    {"the wait sleeps", "wait_allrefs", event_of<ev::msleep>},
    {"NETDEV_UNREGISTER sent again", "wait_allrefs", event_of<ev::rebroadcast_begin>},
    {"the warning of the wait", "wait_allrefs", event_of<ev::unregister_netdevice_warning>},
    {"a reader finds a device", "teardown (readers)", operation_of<k::use>},
    {"IPv6 exceptions", "fib6_gc", operation_of<k::exception>},
    {"a collection of IPv6 routes", "fib6_gc", event_of<ev::fib6_gc_end>},
    {"an allocation that collects", "fib6_gc",
     [](S s, E e) { return s.options.gc_thresh < 10 && happened(e, ev::dst_alloc) > 2; }},
    {"an allocation fails", "none: faults", fault_of<fault_kind::alloc>},
    {"a driver fails", "none: faults",
     [](S s, E e) { return fault_of<fault_kind::init>(s, e) || fault_of<fault_kind::open>(s, e); }},
    {"a driver throws", "none: faults",
     [](S s, E e) { return fault_of<fault_kind::throw_stop>(s, e) || fault_of<fault_kind::throw_uninit>(s, e); }},
    {"several tasks", "two_tasks", [](S s, E) { return s.tasks.size() > 1; }},
    {"CONFIG_DEBUG_LIST", "teardown", [](S s, E) { return s.options.debug_list; }},
    {"HZ below 1000", "wait_backoff", [](S s, E) { return s.options.hz != 1000; }},
    {"without IPv6", "none: option", [](S s, E) { return !s.options.ipv6; }},
};

}  // namespace

const std::vector<feature>& feature_table() {
  static const std::vector<feature> table(std::begin(features), std::end(features));
  return table;
}

void coverage::add(const scenario& s, const event_counts& counts) {
  const auto& table = feature_table();
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].in(s, counts)) ++hits_[i];
}

std::string format(const coverage& c, std::uint64_t runs) {
  std::string text;
  const auto& table = feature_table();
  for (std::size_t i = 0; i < table.size(); ++i)
    text += fmt::format("  {:>8} {:>5.1f}%  {:<50} {}\n", c.hits()[i],
                        runs == 0 ? 0.0 : 100.0 * static_cast<double>(c.hits()[i]) / static_cast<double>(runs),
                        table[i].name, table[i].models);
  return text;
}

}  // namespace quiesce::conformance
