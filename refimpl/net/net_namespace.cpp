// SPDX-License-Identifier: MIT
// Set-up and exit of namespaces. Order of pernet operations: subsystems, loopback, default_device; exit in reverse.
#include "refimpl/net/net_namespace.hpp"

#include <algorithm>

#include "refimpl/net/builtin.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/fib6_gc.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

net::net(stack& s, std::int32_t number) : owner(s), id(number) {
  INIT_LIST_HEAD(&list);
  INIT_LIST_HEAD(&exit_list);
  INIT_LIST_HEAD(&dev_base_head);
  INIT_LIST_HEAD(&ifdown_head);
  if (chosen(s.policy, mutation::event_list_not_initialised, s.policy.node_init, false)) INIT_LIST_HEAD(&event_list);
}
net::~net() = default;

namespace {

void take_rtnl(stack& s) {
  if (!s.rtnl_lock()) throw machine_check(machine_check::kind::deadlock, "net_namespace: RTNL");
}
void drop_rtnl(stack& s) {
  if (status r = s.rtnl_unlock(); !r) throw machine_check(machine_check::kind::bug, "net_namespace: rtnl_unlock");
}

// loopback_net_init: the namespace's loopback_dev is set only after registration, so that handlers see NULL meanwhile.
status loopback_net_init(net& n) {
  netdev_params params;
  params.name = "lo";
  params.netns_local = true;
  const result<net_device*> allocated = alloc_netdev(n, params);
  if (!allocated) return allocated.code();
  net_device& lo = *allocated.value();
  lo.flags.store(IFF_LOOPBACK);
  lo.mtu = 65536;
  lo.priv_destructor = [](net_device& dev) { dev_net(dev).loopback_dev.store(nullptr); };
  if (status r = register_netdev(lo); !r) {
    static_cast<void>(free_netdev(&lo));
    return r;
  }
  n.loopback_dev.store(&lo);
  return {};
}

status init_all(net& n) {
  if (status r = subsystems_net_init(n); !r) return r;
  if (status r = loopback_net_init(n); !r) {
    subsystems_net_exit(n);
    return r;
  }
  return {};
}

// --- exit ---

using net_list = std::vector<net*>;

std::vector<net_device*> devices_reverse(net& n) {
  std::vector<net_device*> out;
  list_for_each_entry_reverse_safe<net_device>(&n.dev_base_head, n.owner.turns("for_each_netdev_reverse"),
                                               [&](net_device& d) { out.push_back(&d); });
  return out;
}

// Physical devices go back to init_net; failing to is a BUG.
void push_home(stack& s, const std::vector<net_device*>& devices) {
  for (net_device* dev : devices) {
    if (dev->netns_local || dev->rtnl_link_ops != nullptr) continue;
    std::string fallback = "dev" + std::to_string(dev->ifindex);
    if (__dev_get_by_name(s.init_net(), fallback) != nullptr) fallback = "dev%d";
    if (status r = dev_change_net_namespace(*dev, s.init_net(), fallback); !r)
      s.bug("default_device_exit: failed to move " + dev->name + " to init_net");
  }
}

// default_device_exit_net
void default_device_exit_net(net& n) {
  stack& s = n.owner;
  std::vector<net_device*> devices = devices_reverse(n);
  std::reverse(devices.begin(), devices.end());
  unless(s.policy, mutation::physical_not_pushed, [&] { push_home(s, devices); });
}

// v4.4, and `reference`: no device of these namespaces may still be on its way out when they end (50624c934db1).
void rtnl_lock_unregistering(stack& s, const net_list& nets) {
  const auto none_left = [&] {
    return std::all_of(nets.begin(), nets.end(), [](net* n) { return n->dev_unreg_count.load() == 0; });
  };
  while (true) {
    take_rtnl(s);
    if (none_left()) return;
    s.__rtnl_unlock();
    s.sched.wait(s.netdev_unregistering_wq, [&] { return none_left() || s.stopped().has_value(); });
    if (s.stopped()) throw machine_check(machine_check::kind::deadlock, "rtnl_lock_unregistering: the stack has stopped");
  }
}

// Each namespace's devices in reverse order of registration, so that loopback is last; one unregister for all.
void queue_devices(net& n, list_head* kill_list) {
  std::vector<net_device*> devices = devices_reverse(n);
  also(n.owner.policy, mutation::loopback_first, [&] { std::reverse(devices.begin(), devices.end()); });
  for (net_device* dev : devices) {
    if (dev->dismantle.load() || &dev_net(*dev) != &n) continue;
    if (dev->rtnl_link_ops != nullptr && dev->rtnl_link_ops->dellink != nullptr) {
      dev->rtnl_link_ops->dellink(*dev, kill_list);
    } else {
      static_cast<void>(unregister_netdevice_queue(*dev, kill_list));
    }
  }
}

void default_device_exit_batch(stack& s, const net_list& nets) {
  stack_list_head kill_list(&s.dangling_head);
  const bool wait_first = s.policy.exit == exit_rule::wait_unregistering;
  if (wait_first) {
    for (net* n : nets) {
      take_rtnl(s);
      default_device_exit_net(*n);
      drop_rtnl(s);
    }
    rtnl_lock_unregistering(s, nets);
  } else {
    take_rtnl(s);
    for (net* n : nets) default_device_exit_net(*n);
  }
  for (net* n : nets) queue_devices(*n, &kill_list);
  static_cast<void>(unregister_netdevice_many(s, &kill_list));
  drop_rtnl(s);
}

void free_nets(stack& s, const net_list& nets) {
  s.rcu_barrier();
  for (net* n : nets) {
    // struct net itself stays with the stack: a kernel of exit_rule::plain could still have a device pointing to it (rule
    // R5).
    if (n->dev_unreg_count.load() != 0) s.warn("net freed while its devices unregister");
    n->dead.store(true, std::memory_order_release);
    s.emit_net(event_kind::net_free, *n);
  }
}

status check_cleanup(stack& s, const net_list& nets) {
  if (s.rtnl_is_held_by_me()) return error::edeadlk;
  net_list seen;
  for (net* n : nets) {
    if (n == nullptr || !s.known(n)) return error::enodev;
    if (n == &s.init_net() || std::find(seen.begin(), seen.end(), n) != seen.end()) return error::einval;
    seen.push_back(n);
  }
  return {};
}

}  // namespace

result<net*> setup_net(stack& s) {
  return s.enter([&]() -> result<net*> {
    if (s.rtnl_is_held_by_me()) return error::edeadlk;
    lock_guard pernet(s.sched, s.net_mutex);
    if (s.nets().size() >= s.options.max_nets) return error::enospc;
    if (s.alloc_fails("net_alloc")) return error::enomem;
    auto owned = std::make_unique<net>(s, s.next_net_id());
    net& n = *owned;
    s.emit_net(event_kind::setup_net, n);
    s.adopt(std::move(owned));
    if (status r = init_all(n); !r) {
      s.rcu_barrier();
      s.discard(&n);
      return r.code();
    }
    take_rtnl(s);
    list_add_tail(&n.list, &s.net_namespace_list);
    drop_rtnl(s);
    return &n;
  });
}

status cleanup_net(stack& s, const std::vector<net*>& nets) {
  return s.enter([&]() -> status {
    if (nets.empty()) return {};
    if (s.rtnl_is_held_by_me()) return error::edeadlk;
    lock_guard pernet(s.sched, s.net_mutex);
    if (status r = check_cleanup(s, nets); !r) return r;
    take_rtnl(s);
    for (net* n : nets) {
      list_del_init(&n->list);
      n->leaving = true;
      s.emit_net(event_kind::cleanup_net, *n);
    }
    drop_rtnl(s);
    s.synchronize_net();
    default_device_exit_batch(s, nets);
    for (net* n : nets) subsystems_net_exit(*n);
    free_nets(s, nets);
    return {};
  });
}

}  // namespace quiesce::refimpl
