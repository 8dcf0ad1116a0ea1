// SPDX-License-Identifier: MIT
#include "refimpl/net/builtin.hpp"

#include <set>

#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/fib_trie.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/route.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

namespace {

struct builtin_handler {
  const char* name;
  int (*call)(const netdev_notifier_info&);
  int priority;
  bool ipv6;
  bool final_only = false;  // only where NETDEV_UNREGISTER_FINAL exists
};

// Boot order. Priorities as in v6.1: ndisc after addrconf, ip6_route after both; v4.4's dst_dev_event after everything.
constexpr builtin_handler handlers[] = {
    {"rtnetlink_event", rtnetlink_event, 0, false},         {"inetdev_event", inetdev_event, 0, false},
    {"fib_netdev_event", fib_netdev_event, 0, false},       {"addrconf_notify", addrconf_notify, 0, true},
    {"ndisc_netdev_event", ndisc_netdev_event, -5, true},   {"ip6_route_dev_notify", ip6_route_dev_notify, -10, true},
    {"vlan_device_event", vlan_device_event, 0, false},     {"macvlan_device_event", macvlan_device_event, 0, false},
    {"holder_netdev_event", holder_netdev_event, 0, false}, {"dst_dev_event", dst_dev_event, -10, false, true},
};

}  // namespace

void register_builtin_handlers(stack& s) {
  for (const builtin_handler& h : handlers) {
    if (h.ipv6 && !s.options.ipv6) continue;
    if (h.final_only && !s.policy.unregister_final) continue;
    auto nb = std::make_unique<notifier_block>();
    nb->name = h.name;
    nb->notifier_call = h.call;
    nb->priority = h.priority;
    auto at = s.netdev_chain.begin();
    while (at != s.netdev_chain.end() && (*at)->priority >= nb->priority) ++at;
    s.netdev_chain.insert(at, nb.get());
    s.builtin.push_back(std::move(nb));
  }
}

status subsystems_net_init(net& n) {
  if (status r = fib_net_init(n); !r) return r;
  if (!n.owner.options.ipv6) return {};
  if (status r = fib6_net_init(n); !r) {
    fib_net_exit(n);
    n.ipv4.reset();
    return r;
  }
  return {};
}

void subsystems_net_exit(net& n) {
  fib6_net_exit(n);
  fib_net_exit(n);
}

void stop_net_timers(net& n) {
  if (n.ipv6) n.owner.timers.del_timer_sync(n.ipv6->ip6_fib_timer);
}

void release_net_tables(net& n) {
  fib6_release(n);
  std::set<fib_info*> infos;
  if (n.ipv4)
    for (auto& table : n.ipv4->tables) table->trie->walk([&](fib_alias& fa) { infos.insert(&fa.fa_info); });
  for (fib_info* fi : infos) {
    rt_fibinfo_free(n.owner, *fi);
    delete fi;
  }
}

void release_device_addresses(net_device& dev) {
  release_in_device(dev);
  release_inet6_dev(dev);
}

}  // namespace quiesce::refimpl
