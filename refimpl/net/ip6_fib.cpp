// SPDX-License-Identifier: MIT
#include "refimpl/net/fib6_gc.hpp"
#include "refimpl/net/ip6_fib_internal.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

netns_ipv6::netns_ipv6(net& n, unsigned hz) : ip6_fib_timer("ip6_fib_timer", [&n] { fib6_run_gc(0, n, true); }) {
  INIT_LIST_HEAD(&tb6_gc_hlist);
  gc.min_interval = hz / 2;
  gc.interval = 30 * static_cast<std::int64_t>(hz);
  gc.timeout = 60 * static_cast<std::int64_t>(hz);
  ip6_rt_gc_expire.store(30 * static_cast<std::int64_t>(hz));
}

namespace {

auto key_of(const fib6_info& f) { return std::make_tuple(f.dst, f.plen, f.metric); }

void fib6_info_destroy_rcu(rcu_head* head) {
  auto* f = static_cast<fib6_info*>(head->object);
  net_device& dev = f->nh_dev;
  dev.owner.emit(event_kind::rcu_callback, &dev, 0, "fib6_info_destroy_rcu");
  delete f;
  static_cast<void>(dev_put(dev, holder::fib6_nh));
}

void join_gc_list(net& n, fib6_info& f) {
  if (n.owner.policy.gc.gc_list && list_empty(&f.gc_link)) list_add_tail(&f.gc_link, &n.ipv6->tb6_gc_hlist);
}

bool valid(const net& n, const fib6_config& cfg) {
  return cfg.plen <= 128 && cfg.dev != nullptr && n.owner.known(cfg.dev) && &dev_net(*cfg.dev) == &n;
}

// Under tb6_lock.
result<fib6_info*> insert(net& n, const fib6_config& cfg) {
  stack& s = n.owner;
  netns_ipv6& v6 = *n.ipv6;
  if (v6.table.count({cfg.dst, cfg.plen, cfg.metric}) != 0) return error::eexist;
  if (v6.table.size() >= s.options.max_routes) return error::enobufs;
  if (s.alloc_fails("fib6_info_alloc")) return error::enomem;
  auto* f = new fib6_info(n, *cfg.dev);
  f->dst = cfg.dst;
  f->plen = cfg.plen;
  f->metric = cfg.metric;
  if (cfg.lifetime_ms != 0) f->expires = s.timers.jiffies() + s.timers.msecs_to_jiffies(cfg.lifetime_ms);
  dev_hold(*cfg.dev, holder::fib6_nh);
  f->in_table = true;
  v6.table.emplace(key_of(*f), f);
  list_add_tail(&f->nh_list, &cfg.dev->fib6_nh_head);
  if (f->expires != 0) {
    join_gc_list(n, *f);
    fib6_force_start_gc(n);  // fib6_start_gc
  }
  return f;
}

}  // namespace

std::list<rt6_exception>::iterator rt6_remove_exception(net& n, fib6_info& f, std::list<rt6_exception>::iterator at) {
  n.ipv6->dst_entries.fetch_sub(1);
  static_cast<void>(dev_put(f.nh_dev, holder::dst));
  return f.exceptions.erase(at);
}

void fib6_del(net& n, fib6_info& f) {
  for (auto at = f.exceptions.begin(); at != f.exceptions.end();) at = rt6_remove_exception(n, f, at);
  n.ipv6->table.erase(key_of(f));
  list_del_init(&f.nh_list);
  if (!list_empty(&f.gc_link)) list_del_init(&f.gc_link);
  f.in_table = false;
  fib6_info_release(&f);
}

void update_gc_list(net& n) {
  list_for_each_entry_safe<fib6_info>(&n.ipv6->tb6_gc_hlist, {~std::size_t{0}, "tb6_gc_hlist"}, [](fib6_info& f) {
    if (f.expires == 0 && f.exceptions.empty()) list_del_init(&f.gc_link);
  });
}

void fib6_info_release(fib6_info* f) {
  if (f->fib6_ref.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  f->rcu.object = f;
  f->ns.owner.call_rcu(f->rcu, fib6_info_destroy_rcu, "fib6_info_destroy_rcu");
}

// The device's state is read under tb6_lock: rt6_disable_ip, which follows the clearing of IFF_UP, sees what is inserted
// before.
status ip6_route_add(net& n, const fib6_config& cfg) {
  stack& s = n.owner;
  return s.enter([&]() -> status {
    if (!s.known(&n) || n.ipv6 == nullptr) return error::enodev;
    if (cfg.dev == nullptr || !valid(n, cfg)) return cfg.plen > 128 ? error::einval : error::enodev;
    lock_guard held(s.sched, n.ipv6->tb6_lock);
    if (!dev_up(*cfg.dev)) return error::enetdown;
    if (cfg.dev->ip6_ptr.load() == nullptr) return error::enodev;
    return insert(n, cfg).code();
  });
}

result<fib6_info*> addrconf_f6i_add(net& n, const fib6_config& cfg) {
  lock_guard held(n.owner.sched, n.ipv6->tb6_lock);
  result<fib6_info*> made = insert(n, cfg);
  if (made) made.value()->fib6_ref.fetch_add(1);
  return made;
}

status ip6_route_del(net& n, const ip_key& dst, std::uint8_t plen, std::uint32_t metric) {
  stack& s = n.owner;
  return s.enter([&]() -> status {
    if (!s.known(&n) || n.ipv6 == nullptr) return error::enodev;
    if (plen > 128) return error::einval;
    lock_guard held(s.sched, n.ipv6->tb6_lock);
    const auto at = n.ipv6->table.find({dst, plen, metric});
    if (at == n.ipv6->table.end()) return error::esrch;
    fib6_del(n, *at->second);
    return {};
  });
}

namespace {
// The part under tb6_lock.
error add_exception(net& n, const ip_key& dst, std::uint8_t plen, std::uint32_t metric, const ip_key& daddr,
                    std::uint64_t lifetime_ms) {
  stack& s = n.owner;
  netns_ipv6& v6 = *n.ipv6;
  lock_guard held(s.sched, v6.tb6_lock);
  const auto at = v6.table.find({dst, plen, metric});
  if (at == v6.table.end()) return error::enetunreach;
  fib6_info& f = *at->second;
  const std::uint64_t now = s.timers.jiffies();
  f.exceptions.push_back({daddr, now, lifetime_ms != 0 ? now + s.timers.msecs_to_jiffies(lifetime_ms) : 0});
  dev_hold(f.nh_dev, holder::dst);
  v6.dst_entries.fetch_add(1);
  if (chosen(s.policy, mutation::exception_not_listed, s.policy.gc.exceptions_listed, false)) join_gc_list(n, f);
  return error::none;
}
}  // namespace

status rt6_insert_exception(net& n, const ip_key& dst, std::uint8_t plen, std::uint32_t metric, const ip_key& daddr,
                            std::uint64_t lifetime_ms) {
  stack& s = n.owner;
  return s.enter([&]() -> status {
    if (!s.known(&n) || n.ipv6 == nullptr) return error::enodev;
    netns_ipv6& v6 = *n.ipv6;
    s.emit_net(event_kind::dst_alloc, n);
    if (s.alloc_fails("ip6_dst_alloc")) return error::enomem;
    if (v6.dst_entries.load() > v6.gc.gc_thresh && ip6_dst_gc(n)) return error::enobufs;
    if (const error e = add_exception(n, dst, plen, metric, daddr, lifetime_ms); e != error::none) return e;
    s.sched.visible({point_kind::timer, &v6.ip6_fib_timer, "ip6_fib_timer"});
    fib6_force_start_gc(n);  // with no lock held
    return {};
  });
}

void rt6_disable_ip(net_device& dev) {
  stack& s = dev.owner;
  net& n = dev_net(dev);
  lock_guard held(s.sched, n.ipv6->tb6_lock);
  if (s.policy.nexthops == nexthop_index::per_device) {
    while (!list_empty(&dev.fib6_nh_head)) fib6_del(n, *list_entry<fib6_info>(dev.fib6_nh_head.next));
    return;
  }
  std::vector<fib6_info*> doomed;
  for (auto& [key, f] : n.ipv6->table)
    if (&f->nh_dev == &dev) doomed.push_back(f);
  for (fib6_info* f : doomed) fib6_del(n, *f);
}

std::size_t fib6_routes(net& n) {
  lock_guard held(n.owner.sched, n.ipv6->tb6_lock);
  return n.ipv6->table.size();
}

status fib6_net_init(net& n) {
  if (n.owner.alloc_fails("fib6_net_init")) return error::enomem;
  n.ipv6 = std::make_unique<netns_ipv6>(n, n.owner.options.hz);
  return {};
}

void fib6_net_exit(net& n) {
  if (n.ipv6 == nullptr) return;
  n.ipv6->exited.store(true);
  n.owner.timers.del_timer_sync(n.ipv6->ip6_fib_timer);
  lock_guard held(n.owner.sched, n.ipv6->tb6_lock);
  while (!n.ipv6->table.empty()) fib6_del(n, *n.ipv6->table.begin()->second);
}

void fib6_release(net& n) {
  if (n.ipv6 == nullptr) return;
  for (auto& [key, f] : n.ipv6->table) delete f;
  n.ipv6->table.clear();
}

}  // namespace quiesce::refimpl
