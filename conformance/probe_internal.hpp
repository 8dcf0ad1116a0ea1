// SPDX-License-Identifier: MIT
#pragma once
// What probes remember of a stream, and the groups that probe.cpp calls.

#include <map>
#include <optional>
#include <set>

#include "conformance/probe.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/ip6_fib.hpp"
#include "refimpl/net/neigh.hpp"

namespace quiesce::conformance {

// Neighbours, proxies and queued packets before a handler's run; ids are those of events.
struct neighbour_view {
  std::uint64_t serial;
  int dev, net;
  bool up, ipv6;
};
struct proxy_view {
  refimpl::ip_key key;
  int dev, net;  // dev: no_id for every device of the namespace
  bool ipv6;
  auto operator<=>(const proxy_view&) const = default;
};
struct table_view {
  std::vector<neighbour_view> neighbours;
  std::vector<proxy_view> proxies;
  std::map<int, int> packets;  // namespace -> packets of its devices in the IPv4 and IPv6 queues
};

struct device_memory {
  bool told_unregister = false;                         // NETDEV_UNREGISTER in a rollback
  bool asked_again = false;                             // NETDEV_UNREGISTER in a rebroadcast
  std::int64_t wait_began = -1, last_rebroadcast = -1;  // ns
  int passed_over = 0;                                  // sleeps in a row with no reference left
  bool went_down = false;                               // since RTNL was taken
  std::vector<std::uint64_t> at_down;                   // neighbours that it had when it went down
  std::uint32_t waited_by = 0;                          // task whose run_todo has it; 0: none
};
struct net_memory {
  bool cache_behind = false;      // nexthops were marked and the cache not flushed since
  bool flushed_directly = false;  // fib_flush since the mark was set
  bool collecting = false;
  bool skipped_gc = false;
  bool freed = false;
};
struct notifier_memory {
  std::vector<int> told;        // REGISTER, in order
  std::vector<int> undone;      // UNREGISTER of the replay under way
  std::vector<int> order;       // REGISTER of the replay under way
  bool registering = false;     // the replay under way is the one of a registration
  std::set<int> heard_of;       // REGISTER, as its own runs say
  std::set<int> keeps, marked;  // what a handler of this variant would keep of devices, and drop at the next batch event
};
// A handler's run under way.
struct handler_run {
  std::uint32_t task;
  refimpl::event_kind event;
  int dev, net;
  table_view before;
  bool timer_fired = false;
};

// A close or rollback under way.
struct batch_span {
  std::uint32_t task = 0;
  bool close = false;
  std::int64_t members = 0;  // that are still to be told
  std::vector<int> nets;     // of its devices, each once, in order; of a close: of those that are up
  std::vector<int> listed;   // of a close: devices on its list
  std::set<int> linked;      // namespaces that it linked to its event list
  std::vector<int> sent;     // namespaces of its batch events
  bool due = false;          // its batch events have begun
};
// What a task does with the IPv6 collector.
struct collector_memory {
  int spins_for = refimpl::no_id;  // namespace
  int spun = 0;                    // collections of others that ended meanwhile
  int asks_for = refimpl::no_id;   // namespace of the route that it allocates
  std::int64_t expire = 0;         // ip6_rt_gc_expire when it asked
  std::uint64_t asked_at = 0;      // collector_events then
};

class probe_memory {
 public:
  std::map<std::uint32_t, batch_span> spans;  // by span
  std::map<int, std::uint32_t> linked_by;     // namespace -> span whose event list it is on
  std::map<std::uint32_t, collector_memory> collectors;
  std::uint64_t collector_events = 0;  // of any task that may move ip6_rt_gc_expire
  std::map<int, device_memory> devices;
  std::map<int, net_memory> nets;
  std::map<std::string, notifier_memory> notifiers;
  std::map<std::uint32_t, int> replays, rebroadcasts;  // open spans by task
  std::optional<handler_run> running;
  bool flush_due = false;  // some namespace has waited for a FIB flush
  std::string replayed;    // the callback that the replay under way is for
};

struct look {
  const refimpl::event& e;
  refimpl::stack& s;
  probe_memory& m;
  std::vector<probe_breach>& broken;
  void fail(const char* property, std::string text) const { broken.push_back({property, std::move(text)}); }
  void require(bool ok, const char* property, const char* text) const {
    if (!ok) broken.push_back({property, text});
  }
  refimpl::net_device* device() const;  // of the event; NULL: none, or freed
  refimpl::net* net() const;
  // As the stack has them at this event, asked for once.
  const std::vector<refimpl::net_device*>& devices() const {
    if (!devices_known) devices_known = s.devices();
    return *devices_known;
  }
  const std::vector<refimpl::net*>& nets() const {
    if (!nets_known) nets_known = s.nets();
    return *nets_known;
  }
  mutable std::optional<std::vector<refimpl::net_device*>> devices_known{};
  mutable std::optional<std::vector<refimpl::net*>> nets_known{};
};

// Groups; each looks at the events that concern it.
void probe_lists(const look&);
void probe_batches(const look&);
void probe_fib(const look&);
void probe_neighbours(const look&);
void probe_wait(const look&);
void probe_nets(const look&);
void probe_replay(const look&);
void probe_gc(const look&);

template <class F>
void each_neighbour(refimpl::stack& s, F f) {
  for (refimpl::neigh_table* tbl : {s.arp_tbl.get(), s.nd_tbl.get()}) {
    if (tbl->entries == 0) continue;
    for (refimpl::neighbour* head : tbl->buckets)
      for (refimpl::neighbour* n = head; n != nullptr; n = n->next) f(*n);
  }
}

}  // namespace quiesce::conformance
