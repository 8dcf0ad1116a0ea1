// SPDX-License-Identifier: MIT
#include "refimpl/net/inetdev.hpp"

#include <algorithm>

#include "refimpl/device/driver.hpp"
#include "refimpl/net/builtin.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/neigh.hpp"

namespace quiesce::refimpl {

namespace {

bool inetdev_valid_mtu(unsigned mtu) { return mtu >= 68; }

error inetdev_init(net_device& dev) {
  stack& s = dev.owner;
  if (s.alloc_fails("inetdev_init")) return error::enomem;
  if (s.alloc_fails("neigh_parms_alloc")) return error::enomem;
  auto* in_dev = new in_device;
  in_dev->dev = &dev;
  dev_hold(dev, holder::neigh_parms);
  dev_hold(dev, holder::in_device);
  dev.ip_ptr.store(in_dev, std::memory_order_release);
  s.emit(event_kind::inetdev_init, &dev);
  return error::none;
}

void in_dev_rcu_put(rcu_head* head) {
  auto* in_dev = static_cast<in_device*>(head->object);
  net_device& dev = *in_dev->dev;
  dev.owner.emit(event_kind::rcu_callback, &dev, 0, "in_dev_rcu_put");
  delete in_dev;
  unless(dev.owner.policy, mutation::in_device_not_put, [&] { static_cast<void>(dev_put(dev, holder::in_device)); });
}

void count_local(net& n, std::uint32_t local, int by) {
  int& count = n.ipv4->local_addresses[local];
  count += by;
  if (count == 0) n.ipv4->local_addresses.erase(local);
}

void announce(in_ifaddr& ifa, bool add) {
  net_device& dev = *ifa.ifa_dev.dev;
  stack& s = dev.owner;
  s.emit(add ? event_kind::inet_insert_ifa : event_kind::inet_del_ifa, &dev, ifa.ifa_local);
  s.emit(add ? event_kind::RTM_NEWADDR : event_kind::RTM_DELADDR, &dev, dev.ifindex);
  if (s.driver) s.driver->address(dev, ifa.ifa_local, ifa.prefixlen, add);
  fib_inetaddr_event(ifa, add ? event_kind::NETDEV_UP : event_kind::NETDEV_DOWN);
}

bool same_subnet(const in_ifaddr& a, const in_ifaddr& b) {
  return a.prefixlen == b.prefixlen && ((a.ifa_local ^ b.ifa_local) & a.mask()) == 0;
}

// __inet_insert_ifa: primaries stay in front of secondaries.
status insert(in_device& in_dev, std::unique_ptr<in_ifaddr> ifa) {
  for (const auto& other : in_dev.ifa_list) {
    if (!same_subnet(*other, *ifa)) continue;
    if (other->ifa_local == ifa->ifa_local) return error::eexist;
    ifa->secondary = true;
  }
  in_ifaddr& added = *ifa;
  auto at = added.secondary
                ? in_dev.ifa_list.end()
                : std::find_if(in_dev.ifa_list.begin(), in_dev.ifa_list.end(), [](const auto& o) { return o->secondary; });
  in_dev.ifa_list.insert(at, std::move(ifa));
  count_local(dev_net(*in_dev.dev), added.ifa_local, 1);
  announce(added, true);
  return {};
}

void unlink_and_announce(in_device& in_dev, std::size_t index) {
  auto ifa = std::move(in_dev.ifa_list[index]);
  in_dev.ifa_list.erase(in_dev.ifa_list.begin() + static_cast<long>(index));
  count_local(dev_net(*in_dev.dev), ifa->ifa_local, -1);
  announce(*ifa, false);
}

// __inet_del_ifa without promotion: a primary takes its secondaries with it, first.
void inet_del_ifa(in_device& in_dev, std::size_t index) {
  const in_ifaddr doomed = *in_dev.ifa_list[index];
  if (!doomed.secondary && !in_dev.dead)
    for (std::size_t i = in_dev.ifa_list.size(); i-- > 0;)
      if (in_dev.ifa_list[i]->secondary && same_subnet(*in_dev.ifa_list[i], doomed)) unlink_and_announce(in_dev, i);
  unlink_and_announce(in_dev, index);  // secondaries are behind it: the index holds
}

void inetdev_destroy(in_device& in_dev) {
  net_device& dev = *in_dev.dev;
  stack& s = dev.owner;
  s.emit(event_kind::inetdev_destroy, &dev);
  in_dev.dead = true;
  while (!in_dev.ifa_list.empty()) inet_del_ifa(in_dev, 0);
  dev.ip_ptr.store(nullptr, std::memory_order_release);
  static_cast<void>(dev_put(dev, holder::neigh_parms));  // neigh_parms_release
  neigh_ifdown(*s.arp_tbl, dev);
  in_dev.rcu.object = &in_dev;
  s.call_rcu(in_dev.rcu, in_dev_rcu_put, "in_dev_rcu_put");
}

int inetdev_event_without(net_device& dev, event_kind event) {
  if (event == event_kind::NETDEV_REGISTER && inetdev_valid_mtu(dev.mtu)) return notifier_from_errno(inetdev_init(dev));
  if (event == event_kind::NETDEV_CHANGEMTU && inetdev_valid_mtu(dev.mtu)) static_cast<void>(inetdev_init(dev));
  return NOTIFY_DONE;
}

}  // namespace

int inetdev_event(const netdev_notifier_info& info) {
  if (info.event == event_kind::NETDEV_DOWN_BATCH || info.event == event_kind::NETDEV_UNREGISTER_BATCH) {
    netdev_notifier_info_to_dev(info, "inetdev_event");  // __in_dev_get_rtnl(dev)
    return NOTIFY_DONE;
  }
  net_device& dev = *info.dev;
  in_device* in_dev = dev.ip_ptr.load();
  if (in_dev == nullptr) {
    const int ret = inetdev_event_without(dev, info.event);
    return ret == NOTIFY_OK ? NOTIFY_DONE : ret;
  }
  switch (info.event) {
    case event_kind::NETDEV_UP:
      if ((dev.flags.load() & IFF_LOOPBACK) != 0 && in_dev->ifa_list.empty() && !dev.owner.alloc_fails("inet_alloc_ifa"))
        static_cast<void>(insert(*in_dev, std::make_unique<in_ifaddr>(*in_dev, 0x7f000001u, 8)));
      break;
    case event_kind::NETDEV_CHANGEMTU:
      if (!inetdev_valid_mtu(dev.mtu)) inetdev_destroy(*in_dev);
      break;
    case event_kind::NETDEV_UNREGISTER:
      inetdev_destroy(*in_dev);
      break;
    default:
      break;
  }
  return NOTIFY_DONE;
}

status inet_addr_add(net_device& dev, std::uint32_t local, std::uint8_t prefixlen) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    if (prefixlen > 32 || local == 0) return error::einval;
    in_device* in_dev = dev.ip_ptr.load();
    if (in_dev == nullptr) return error::enobufs;
    if (s.alloc_fails("inet_alloc_ifa")) return error::enomem;
    return insert(*in_dev, std::make_unique<in_ifaddr>(*in_dev, local, prefixlen));
  });
}

status inet_addr_del(net_device& dev, std::uint32_t local, std::uint8_t prefixlen) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    in_device* in_dev = dev.ip_ptr.load();
    if (in_dev == nullptr) return error::enoent;
    for (std::size_t i = 0; i < in_dev->ifa_list.size(); ++i) {
      const in_ifaddr& ifa = *in_dev->ifa_list[i];
      if (ifa.ifa_local != local || ifa.prefixlen != prefixlen) continue;
      inet_del_ifa(*in_dev, i);
      return {};
    }
    return error::enoent;
  });
}

bool inet_addr_is_local(net& n, std::uint32_t local) { return n.ipv4->local_addresses.count(local) != 0; }

void release_in_device(net_device& dev) { delete dev.ip_ptr.exchange(nullptr); }

}  // namespace quiesce::refimpl
