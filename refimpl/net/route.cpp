// SPDX-License-Identifier: MIT
#include "refimpl/net/route.hpp"

#include <utility>
#include <vector>

#include "refimpl/net/builtin.hpp"
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

// Moves rt from dev to home and onto home's list of uncached destinations.
void re_home(rtable& rt, net_device& dev, net_device& home) {
  list_move_tail(&rt.rt_uncached, &home.uncached_dst);
  dev_hold(home, holder::dst);
  rt.dev.store(&home);
  static_cast<void>(dev_put(dev, holder::dst));
}

// One reference less; true if it was the last and the caller destroys rt once the lock is dropped.
bool last_reference(rtable& rt) {
  if (--rt.refcnt > 0) return false;
  list_del_init(&rt.rt_uncached);
  return true;
}

void dst_destroy(rtable* rt) {
  net_device* dev = rt->dev.load();
  delete rt;
  static_cast<void>(dev_put(*dev, holder::dst));
}

rtable* new_rtable(net& n, net_device& dev) {
  auto* rt = new rtable(n);
  INIT_LIST_HEAD(&rt->rt_uncached);
  rt->rt_genid = n.ipv4->rt_genid.load();
  rt->refcnt = 1;
  dev_hold(dev, holder::dst);
  rt->dev.store(&dev);
  return rt;
}

fib_nh& nexthop_on(fib_info& fi, const net_device& dev) {
  for (auto& nh : fi.nhs)
    if (nh->nh_dev == &dev) return *nh;
  return *fi.nhs.front();  // not reached: fib_lookup's device is one of a next hop
}

// A next hop lets go of rt (rt_free): v4.4 parks a held one until its device is gone, later kernels re-home it at once. True
// if nobody holds it.
bool rt_free(stack& s, rtable& rt) {
  if (last_reference(rt)) return true;
  net_device& dev = *rt.dev.load();
  rt.discard = rt.discard || !dev_up(dev);
  if (s.policy.home == dst_home::blackhole) {
    rt.discard = true;
    re_home(rt, dev, blackhole(s));
  } else {
    list_add_tail(&rt.rt_uncached, &s.routes->dst_busy_list);
  }
  return false;
}

// A stale one is replaced: v4.4 frees it like any other, later kernels keep it on its device's uncached list. True as
// rt_free.
bool rt_replace(stack& s, rtable& stale) {
  if (s.policy.home != dst_home::blackhole) return rt_free(s, stale);
  if (last_reference(stale)) return true;
  list_add_tail(&stale.rt_uncached, &stale.dev.load()->uncached_dst);
  return false;
}

// The next hop's destination with a reference for the caller, made or replaced if there is none or a stale one
// (rt_cache_route). `replaced` is to be destroyed once the lock is dropped.
rtable* shared_destination(net& n, fib_nh& nh, net_device& dev, rtable*& replaced) {
  rtable* old = nh.nh_rth_output;
  if (old == nullptr || rt_is_expired(*old)) {
    nh.nh_rth_output = new_rtable(n, dev);
    if (old != nullptr && rt_replace(n.owner, *old)) replaced = old;
  }
  ++nh.nh_rth_output->refcnt;
  return nh.nh_rth_output;
}

}  // namespace

result<rtable*> ip_route_output(net& n, std::uint32_t daddr, dst_cache cache) {
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
    net_device& dev = *found.value().dev;
    rtable* rt = nullptr;
    rtable* replaced = nullptr;
    {
      lock_guard held(s.sched, s.routes->lock);
      if (cache == dst_cache::nexthop) {
        rt = shared_destination(n, nexthop_on(*fi, dev), dev, replaced);
      } else {
        rt = new_rtable(n, dev);
        list_add_tail(&rt->rt_uncached, &dev.uncached_dst);
      }
    }
    if (replaced != nullptr) dst_destroy(replaced);
    fib_info_put(fi);
    return rt;
  });
}

void dst_release(rtable* rt) {
  stack& s = rt->ns.owner;
  bool last = false;
  {
    lock_guard held(s.sched, s.routes->lock);
    last = last_reference(*rt);
  }
  if (last) dst_destroy(rt);
}

void rt_fibinfo_free(stack& s, fib_info& fi) {
  for (auto& nh : fi.nhs) {
    if (nh->nh_rth_output == nullptr) continue;
    rtable* rt = std::exchange(nh->nh_rth_output, nullptr);
    bool last = false;
    {
      lock_guard held(s.sched, s.routes->lock);
      last = rt_free(s, *rt);
    }
    if (last) dst_destroy(rt);
  }
}

// net/core/dst.c, v4.4: destinations that were freed while somebody held them.
int dst_dev_event(const netdev_notifier_info& info) {
  if (info.event != event_kind::NETDEV_DOWN && info.event != event_kind::NETDEV_UNREGISTER_FINAL) return NOTIFY_DONE;
  net_device& dev = *info.dev;
  stack& s = dev.owner;
  lock_guard held(s.sched, s.routes->lock);
  std::vector<rtable*> of_dev;
  turn_bound bound{~std::size_t{0}, "dst_dev_event"};
  list_for_each_entry<rtable>(&s.routes->dst_busy_list, bound, [&](rtable& rt) {
    if (rt.dev.load() == &dev) of_dev.push_back(&rt);
  });
  for (rtable* rt : of_dev) {
    if (info.event == event_kind::NETDEV_DOWN)
      rt->discard = true;
    else if (net_device& home = home_of(dev); &home != &dev)
      re_home(*rt, dev, home);
  }
  return NOTIFY_DONE;
}

bool rt_is_expired(const rtable& rt) { return rt.rt_genid != rt.ns.ipv4->rt_genid.load(); }

void rt_flush_dev(net_device& dev) {
  stack& s = dev.owner;
  s.emit(event_kind::rt_flush_dev, &dev);
  lock_guard held(s.sched, s.routes->lock);
  if (list_empty(&dev.uncached_dst)) return;
  net_device& home = home_of(dev);
  if (&home == &dev) return;
  while (!list_empty(&dev.uncached_dst)) re_home(*list_entry<rtable>(dev.uncached_dst.next), dev, home);
}

}  // namespace quiesce::refimpl
