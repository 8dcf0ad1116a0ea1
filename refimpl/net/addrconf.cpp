// SPDX-License-Identifier: MIT
#include "refimpl/net/addrconf.hpp"

#include <algorithm>

#include "refimpl/net/builtin.hpp"
#include "refimpl/net/fib6_gc.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

error ipv6_add_dev(net_device& dev) {
  stack& s = dev.owner;
  if (s.alloc_fails("ipv6_add_dev")) return error::enomem;
  auto* idev = new inet6_dev;
  idev->dev = &dev;
  dev_hold(dev, holder::inet6_dev);
  dev_hold(dev, holder::neigh_parms);
  dev.ip6_ptr.store(idev, std::memory_order_release);
  return error::none;
}

// in6_dev_finish_destroy: the device is put at once, the structure after a grace period.
void in6_dev_put(inet6_dev& idev) {
  if (idev.refcnt.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  net_device& dev = *idev.dev;
  idev.rcu.object = &idev;
  dev.owner.call_rcu(
      idev.rcu, [](rcu_head* h) { delete static_cast<inet6_dev*>(h->object); }, "in6_dev_finish_destroy_rcu");
  static_cast<void>(dev_put(dev, holder::inet6_dev));
}

ip_key prefix_of(const ip_key& a, std::uint8_t plen) {
  if (plen == 0) return {};
  if (plen <= 64) return {a.hi & ~std::uint64_t{0} << (64 - plen), 0};
  return {a.hi, plen == 128 ? a.lo : a.lo & ~std::uint64_t{0} << (128 - plen)};
}

void aca_free_rcu(rcu_head* head) {
  auto* aca = static_cast<ifacaddr6*>(head->object);
  fib6_info* rt = aca->aca_rt;
  rt->ns.owner.emit(event_kind::rcu_callback, &rt->nh_dev, 0, "aca_free_rcu");
  delete aca;
  fib6_info_release(rt);
}

// __ipv6_dev_ac_inc on the subnet-router anycast address. Without memory the address stays without it.
ifacaddr6* join_anycast(net_device& dev, const ip_key& addr, std::uint8_t plen) {
  stack& s = dev.owner;
  if (s.alloc_fails("aca_alloc")) return nullptr;
  fib6_config cfg;
  cfg.dst = prefix_of(addr, plen);
  cfg.dev = &dev;
  cfg.metric = static_cast<std::uint32_t>(dev.ifindex);  // one anycast route per device and prefix
  result<fib6_info*> rt = addrconf_f6i_add(dev_net(dev), cfg);
  if (!rt) return nullptr;
  auto* aca = new ifacaddr6;
  aca->aca_addr = cfg.dst;
  aca->aca_rt = rt.value();
  aca->rcu.object = aca;
  return aca;
}

void leave_anycast(net_device& dev, inet6_ifaddr& ifa) {
  if (ifa.aca == nullptr) return;
  fib6_info* rt = ifa.aca->aca_rt;
  if (rt->in_table) static_cast<void>(ip6_route_del(dev_net(dev), rt->dst, rt->plen, rt->metric));
  dev.owner.call_rcu(ifa.aca->rcu, aca_free_rcu, "aca_free_rcu");
  ifa.aca = nullptr;
}

std::uint32_t metric_of(const net_device& dev) { return 256 + (static_cast<std::uint32_t>(dev.ifindex) << 10); }

// The host route needs no device that is up (addrconf_f6i_alloc sets fc_ignore_dev_down); the prefix route does.
void add_routes(net_device& dev, const inet6_ifaddr& ifa) {
  net& n = dev_net(dev);
  if (result<fib6_info*> host = addrconf_f6i_add(n, {ifa.addr, 128, metric_of(dev), &dev, 0}); host)
    fib6_info_release(host.value());
  if (ifa.prefixlen < 128)
    static_cast<void>(ip6_route_add(n, {prefix_of(ifa.addr, ifa.prefixlen), ifa.prefixlen, metric_of(dev), &dev, 0}));
}

void del_routes(net_device& dev, const inet6_dev& idev, const inet6_ifaddr& ifa) {
  net& n = dev_net(dev);
  static_cast<void>(ip6_route_del(n, ifa.addr, 128, metric_of(dev)));
  const ip_key prefix = prefix_of(ifa.addr, ifa.prefixlen);
  const bool shared = std::any_of(idev.addr_list.begin(), idev.addr_list.end(), [&](const inet6_ifaddr& o) {
    return o.addr != ifa.addr && o.prefixlen == ifa.prefixlen && prefix_of(o.addr, o.prefixlen) == prefix;
  });
  if (!shared) static_cast<void>(ip6_route_del(n, prefix, ifa.prefixlen, metric_of(dev)));
}

void addrconf_ifdown(net_device& dev, bool unregister) {
  stack& s = dev.owner;
  inet6_dev* idev = dev.ip6_ptr.load();
  if (idev == nullptr) return;
  s.emit(event_kind::addrconf_ifdown, &dev, unregister ? 1 : 0);
  rt6_disable_ip(dev);
  neigh_ifdown(*s.nd_tbl, dev);
  if (unregister) {
    idev->dead = true;
    dev.ip6_ptr.store(nullptr, std::memory_order_release);
  }
  for (inet6_ifaddr& ifa : idev->addr_list) leave_anycast(dev, ifa);
  idev->addr_list.clear();  // also on NETDEV_DOWN: keep_addr_on_down is 0
  if (!unregister) return;
  rt6_disable_ip(dev);  // what was added before ip6_ptr was cleared
  static_cast<void>(dev_put(dev, holder::neigh_parms));
  neigh_ifdown(*s.nd_tbl, dev);
  in6_dev_put(*idev);
}

void up(net_device& dev) {
  inet6_dev* idev = dev.ip6_ptr.load();
  if (idev == nullptr) return;
  const bool loopback = (dev.flags.load() & IFF_LOOPBACK) != 0;
  const ip_key local = loopback ? ip_key{0, 1} : ip_key{0xfe80000000000000ull, static_cast<std::uint64_t>(dev.id) + 1};
  if (std::none_of(idev->addr_list.begin(), idev->addr_list.end(), [&](const inet6_ifaddr& o) { return o.addr == local; }))
    idev->addr_list.push_back({local, static_cast<std::uint8_t>(loopback ? 128 : 64), nullptr});
  for (const inet6_ifaddr& ifa : idev->addr_list) add_routes(dev, ifa);
}

}  // namespace

int addrconf_notify(const netdev_notifier_info& info) {
  net_device& dev = netdev_notifier_info_to_dev(info, "addrconf_notify");
  switch (info.event) {
    case event_kind::NETDEV_REGISTER:
      if (dev.ip6_ptr.load() == nullptr && dev.mtu >= 1280)
        if (error e = ipv6_add_dev(dev); e != error::none) return notifier_from_errno(e);
      break;
    case event_kind::NETDEV_UP:
      up(dev);
      break;
    case event_kind::NETDEV_CHANGEMTU:
      if (dev.mtu < 1280) addrconf_ifdown(dev, true);
      break;
    case event_kind::NETDEV_DOWN:
      addrconf_ifdown(dev, false);
      break;
    case event_kind::NETDEV_UNREGISTER:
      addrconf_ifdown(dev, true);
      break;
    default:
      break;
  }
  return NOTIFY_DONE;
}

int ndisc_netdev_event(const netdev_notifier_info& info) {
  net_device& dev = netdev_notifier_info_to_dev(info, "ndisc_netdev_event");
  if (info.event == event_kind::NETDEV_DOWN) {
    neigh_ifdown(*dev.owner.nd_tbl, dev);
    fib6_run_gc(0, dev_net(dev), false);
  } else if (info.event == event_kind::NETDEV_CHANGEADDR) {
    neigh_changeaddr(*dev.owner.nd_tbl, dev);
    fib6_run_gc(0, dev_net(dev), false);
  }
  return NOTIFY_DONE;
}

// The null, prohibit and blackhole routes of a namespace hold loopback's inet6_dev. Runs after addrconf on REGISTER
// (priority -10 since 2017) and must act once on UNREGISTER, which may be repeated.
int ip6_route_dev_notify(const netdev_notifier_info& info) {
  net_device& dev = netdev_notifier_info_to_dev(info, "ip6_route_dev_notify");
  if ((dev.flags.load() & IFF_LOOPBACK) == 0) return NOTIFY_DONE;
  netns_ipv6& v6 = *dev_net(dev).ipv6;
  if (info.event == event_kind::NETDEV_REGISTER) {
    inet6_dev* idev = dev.ip6_ptr.load();
    if (idev != nullptr && v6.null_entry_idev == nullptr) {
      idev->refcnt.fetch_add(1);
      v6.null_entry_idev = idev;
    }
  } else if (info.event == event_kind::NETDEV_UNREGISTER && v6.null_entry_idev != nullptr) {
    in6_dev_put(*v6.null_entry_idev);
    v6.null_entry_idev = nullptr;
  }
  return NOTIFY_DONE;
}

status inet6_addr_add(net_device& dev, const ip_key& addr, std::uint8_t prefixlen) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    inet6_dev* idev = dev.ip6_ptr.load();
    if (idev == nullptr) return error::enobufs;
    if (prefixlen > 128 || addr == ip_key{}) return error::einval;
    for (const inet6_ifaddr& o : idev->addr_list)
      if (o.addr == addr) return error::eexist;
    if (s.alloc_fails("ipv6_add_addr")) return error::enomem;
    inet6_ifaddr ifa{addr, prefixlen, nullptr};
    if (dev_net(dev).ipv6->forwarding.load() && prefixlen < 127) ifa.aca = join_anycast(dev, addr, prefixlen);
    idev->addr_list.push_back(ifa);
    add_routes(dev, ifa);
    s.emit(event_kind::RTM_NEWADDR, &dev, dev.ifindex);
    return {};
  });
}

status inet6_addr_del(net_device& dev, const ip_key& addr, std::uint8_t prefixlen) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    inet6_dev* idev = dev.ip6_ptr.load();
    if (idev == nullptr) return error::enoent;
    const auto at = std::find_if(idev->addr_list.begin(), idev->addr_list.end(),
                                 [&](const inet6_ifaddr& o) { return o.addr == addr && o.prefixlen == prefixlen; });
    if (at == idev->addr_list.end()) return error::enoent;
    leave_anycast(dev, *at);
    del_routes(dev, *idev, *at);
    idev->addr_list.erase(at);
    s.emit(event_kind::RTM_DELADDR, &dev, dev.ifindex);
    return {};
  });
}

void release_inet6_dev(net_device& dev) {
  inet6_dev* idev = dev.ip6_ptr.exchange(nullptr);
  if (idev == nullptr) return;
  for (inet6_ifaddr& ifa : idev->addr_list)
    if (ifa.aca != nullptr) {
      if (!ifa.aca->aca_rt->in_table) delete ifa.aca->aca_rt;
      delete ifa.aca;
    }
  delete idev;
}

}  // namespace quiesce::refimpl
