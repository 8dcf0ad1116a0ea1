// SPDX-License-Identifier: MIT
#include "refimpl/net/route.hpp"

#include "refimpl/net/fib.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

namespace {

net_device& blackhole(stack& s) {
  route_state& r = *s.routes;
  if (!r.blackhole_netdev) {
    r.blackhole_netdev = std::make_unique<net_device>(s, s.next_device_id());
    r.blackhole_netdev->name = "blackhole_dev";
    r.blackhole_netdev->nd_net.store(&s.init_net());
  }
  return *r.blackhole_netdev;
}

net_device& home_of(net_device& dev) {
  stack& s = dev.owner;
  if (s.policy.home == dst_home::blackhole) return blackhole(s);
  net_device* lo = dev_net(dev).loopback_dev.load();
  if (lo == nullptr) throw machine_check(machine_check::kind::null_dereference, "rt_flush_dev: net->loopback_dev is NULL");
  return *lo;
}

}  // namespace

result<rtable*> ip_route_output(net& n, std::uint32_t daddr) {
  stack& s = n.owner;
  return s.enter([&]() -> result<rtable*> {
    rcu_read_section reading(s);  // ends before NETDEV_UNREGISTER of any device found here
    result<fib_result> found = fib_lookup(n, daddr);
    if (!found) return found.code();
    fib_info* fi = found.value().fi;
    if (s.alloc_fails("dst_alloc")) {
      fib_info_put(fi);
      return error::enomem;
    }
    auto* rt = new rtable(n);
    INIT_LIST_HEAD(&rt->rt_uncached);
    net_device& dev = *found.value().dev;
    rt->rt_genid = n.ipv4->rt_genid.load();
    {
      lock_guard held(s.sched, s.routes->lock);
      dev_hold(dev, holder::dst);
      rt->dev.store(&dev);
      list_add_tail(&rt->rt_uncached, &dev.uncached_dst);
    }
    fib_info_put(fi);
    return rt;
  });
}

void dst_release(rtable* rt) {
  stack& s = rt->ns.owner;
  net_device* dev = nullptr;
  {
    lock_guard held(s.sched, s.routes->lock);
    dev = rt->dev.load();
    list_del_init(&rt->rt_uncached);
  }
  delete rt;
  static_cast<void>(dev_put(*dev, holder::dst));
}

bool rt_is_expired(const rtable& rt) { return rt.rt_genid != rt.ns.ipv4->rt_genid.load(); }

void rt_flush_dev(net_device& dev) {
  stack& s = dev.owner;
  s.emit(event_kind::rt_flush_dev, &dev);
  lock_guard held(s.sched, s.routes->lock);
  if (list_empty(&dev.uncached_dst)) return;
  net_device& home = home_of(dev);
  if (&home == &dev) return;
  while (!list_empty(&dev.uncached_dst)) {
    rtable& rt = *list_entry<rtable>(dev.uncached_dst.next);
    list_move_tail(&rt.rt_uncached, &home.uncached_dst);
    dev_hold(home, holder::dst);
    rt.dev.store(&home);
    static_cast<void>(dev_put(dev, holder::dst));
  }
}

}  // namespace quiesce::refimpl
