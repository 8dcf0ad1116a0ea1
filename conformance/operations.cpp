// SPDX-License-Identifier: MIT
// What each kind of operation does on the stack. RTNL is taken here for those that the table marks for callbacks.
#include <algorithm>

#include "conformance/driver_follow.hpp"
#include "conformance/world.hpp"
#include "refimpl/net/addrconf.hpp"
#include "refimpl/net/fib.hpp"
#include "refimpl/net/fib6_gc.hpp"
#include "refimpl/net/inetdev.hpp"
#include "refimpl/net/ip6_fib.hpp"
#include "refimpl/net/linkwatch.hpp"
#include "refimpl/net/rtnetlink.hpp"

namespace quiesce::conformance {

using refimpl::error;
using refimpl::net;
using refimpl::net_device;
using refimpl::status;

namespace {
refimpl::ip_key key_of(const ip_prefix& p) { return {p.hi, p.lo}; }
std::uint32_t v4(const ip_prefix& p) { return static_cast<std::uint32_t>(p.lo); }
std::uint8_t length_of(const ip_prefix& p) { return static_cast<std::uint8_t>(p.length); }

// Somebody who relies on the RCU callbacks that netdev_run_todo waits for, and takes a reference for a moment only then.
struct late_use {
  refimpl::stack& s;
  std::int32_t dev;
  unsigned left;
  refimpl::rcu_head head{};
};

void step(refimpl::rcu_head* head) {
  auto* u = static_cast<late_use*>(head->object);
  if (u->left-- > 1) return u->s.call_rcu(u->head, step, "rcu_use");
  const std::vector<net_device*> there = u->s.devices();
  const auto at = std::find_if(there.begin(), there.end(), [&](const net_device* d) { return d->id == u->dev; });
  if (at != there.end()) {
    dev_hold(**at, refimpl::holder::user);
    static_cast<void>(dev_put(**at, refimpl::holder::user));
  } else {
    u->s.events.emit(refimpl::event_kind::dev_use, u->s.sched.current(), u->dev, refimpl::no_id);
  }
  delete u;
}

void use_under_rcu(refimpl::stack& s, std::int32_t dev, unsigned chain) {
  auto* u = new late_use{s, dev, chain};
  u->head.object = u;
  s.call_rcu(u->head, step, "rcu_use");
}
}  // namespace

void world::set_limits(net& n) {
  if (n.ipv6 == nullptr) return;
  n.ipv6->gc.gc_thresh = static_cast<std::size_t>(scenario_.options.gc_thresh);
  n.ipv6->gc.max_size = static_cast<std::size_t>(scenario_.options.max_size);
}

error world::add_route(const operation& op) {
  const std::vector<net_device*> devices = devices_of(op);
  if (devices.empty()) return error::enodev;
  net& n = refimpl::dev_net(*devices.front());
  if (op.ip.v6) {
    refimpl::fib6_config cfg;
    cfg.dst = key_of(op.ip);
    cfg.plen = length_of(op.ip);
    cfg.dev = devices.front();
    return ip6_route_add(n, cfg).code();
  }
  refimpl::fib_config cfg;
  cfg.fc_dst = v4(op.ip);
  cfg.fc_dst_len = length_of(op.ip);
  cfg.fc_scope = refimpl::RT_SCOPE_LINK;
  for (net_device* dev : devices) cfg.nexthops.push_back({dev, 0, 1});
  return fib_table_insert(n, cfg).code();
}

error world::add_local_route(const operation& op, net_device& dev) {
  refimpl::fib_config cfg;
  cfg.fc_dst = v4(op.ip);
  cfg.fc_type = refimpl::rtn::local;
  cfg.fc_scope = refimpl::RT_SCOPE_HOST;
  cfg.nexthops.push_back({&dev, 0, 1});
  return fib_table_insert(refimpl::dev_net(dev), cfg).code();
}

error world::on_addresses(const operation& op, net_device& dev) {
  const bool add = op.kind == op_kind::address;
  if (op.ip.v6)
    return (add ? inet6_addr_add(dev, key_of(op.ip), length_of(op.ip))
                : inet6_addr_del(dev, key_of(op.ip), length_of(op.ip)))
        .code();
  return (add ? inet_addr_add(dev, v4(op.ip), length_of(op.ip)) : inet_addr_del(dev, v4(op.ip), length_of(op.ip))).code();
}

error world::on_neighbours(const operation& op, net& n, net_device* dev) {
  refimpl::neigh_table& tbl = op.ip.v6 ? *s_.nd_tbl : *s_.arp_tbl;
  switch (op.kind) {
    case op_kind::neighbour:
      return neigh_add(tbl, n, dev, key_of(op.ip), false).code();
    case op_kind::del_neighbour:
      return neigh_delete(tbl, n, dev, key_of(op.ip), false).code();
    case op_kind::proxy:
    case op_kind::proxy_net:
      return neigh_add(tbl, n, dev, key_of(op.ip), true).code();
    case op_kind::del_proxy:
    case op_kind::del_proxy_net:
      return neigh_delete(tbl, n, dev, key_of(op.ip), true).code();
    case op_kind::packet:
      return pneigh_enqueue(tbl, *dev, key_of(op.ip), static_cast<std::uint64_t>(op.number)).code();
    default: {
      refimpl::result<refimpl::neighbour*> made = neigh_create(tbl, key_of(op.ip), *dev);
      if (!made) return made.code();
      const error sent = neigh_event_send(*made.value()).code();
      neigh_release(made.value());
      return sent;
    }
  }
}

error world::on_device(const operation& op, net_device& dev) {
  const auto number = static_cast<std::uint64_t>(op.number);
  const auto at = static_cast<std::size_t>(op.devices.front());
  switch (op.kind) {
    case op_kind::open:
      return dev_open(dev).code();
    case op_kind::local_route:
      return add_local_route(op, dev);
    case op_kind::link_down:
      return dev_change_flags_down(dev).code();
    case op_kind::move: {
      net* to = net_at(op.nets.front());
      return to != nullptr ? dev_change_net_namespace(dev, *to, "").code() : error::enodev;
    }
    case op_kind::address:
    case op_kind::del_address:
      return on_addresses(op, dev);
    case op_kind::hold:
      if (is_loopback(op.devices.front())) return error::eopnotsupp;
      dev_hold(dev, refimpl::holder::user);
      ++user_holds_[at];
      return error::none;
    case op_kind::rcu_use:
      use_under_rcu(s_, dev.id, static_cast<unsigned>(number));
      return error::none;
    case op_kind::chain:
      return dev_hold_chain(dev, static_cast<unsigned>(number)).code();
    case op_kind::delay:
      return dev_hold_delayed(dev, number).code();
    case op_kind::use:
      return use(dev);
    case op_kind::use_locked:
      return use_locked(dev);
    case op_kind::mtu:
      return dev_set_mtu(dev, static_cast<unsigned>(number)).code();
    case op_kind::link_event:
      return linkwatch_fire_event(dev, number != 0).code();
    default:
      return on_neighbours(op, refimpl::dev_net(dev), &dev);
  }
}

error world::on_net(const operation& op, net& n) {
  switch (op.kind) {
    case op_kind::del_route: {
      if (op.ip.v6) return ip6_route_del(n, key_of(op.ip), length_of(op.ip), 1024).code();
      refimpl::fib_config cfg;
      cfg.fc_dst = v4(op.ip);
      cfg.fc_dst_len = length_of(op.ip);
      cfg.fc_scope = refimpl::RT_SCOPE_LINK;
      return fib_table_delete(n, cfg).code();
    }
    case op_kind::cache: {
      refimpl::result<refimpl::rtable*> rt = ip_route_output(n, v4(op.ip));
      if (rt) destinations_.push_back(rt.value());
      return rt.code();
    }
    case op_kind::gc:
      if (s_.options.ipv6) refimpl::fib6_run_gc(0, n, true);
      return error::none;
    case op_kind::forward:
      if (n.ipv6 != nullptr) n.ipv6->forwarding.store(true);
      return error::none;
    default:
      return on_neighbours(op, n, nullptr);
  }
}

// A packet for each address: its softirq takes no RTNL.
error world::add_exceptions(const operation& op) {
  net_device* dev = device(op.devices.front());
  if (dev == nullptr) return error::enodev;
  net& n = refimpl::dev_net(*dev);
  error last = error::none;
  if (op.kind == op_kind::path_mtu)
    return rt6_insert_exception(n, key_of(op.ip), length_of(op.ip), 1024, {op.ip.hi, op.ip.lo + 0xffff},
                                static_cast<std::uint64_t>(op.number))
        .code();
  for (std::int64_t i = 1; i <= op.number && last == error::none; ++i) {
    const refimpl::ip_key daddr{op.ip.hi, op.ip.lo + static_cast<std::uint64_t>(i)};
    last = rt6_insert_exception(n, key_of(op.ip), length_of(op.ip), 1024, daddr, 0).code();
  }
  return last;
}

// RTNL is held by the caller.
error world::on_rtnl(const operation& op) {
  switch (op.kind) {
    case op_kind::register_:
      return is_loopback(op.devices.front()) ? error::eopnotsupp : register_device(op.devices.front());
    case op_kind::close:
      return close_many(op);
    case op_kind::unregister:
    case op_kind::dellink:
      return unregister_many(op);
    case op_kind::close_unasked:
      return close_unasked(op);
    case op_kind::unregister_unasked:
      return unregister_unasked(op);
    case op_kind::put:
    case op_kind::put_unheld:
      return put(op);
    case op_kind::route:
      return add_route(op);
    case op_kind::exception:
    case op_kind::path_mtu:
      return add_exceptions(op);
    case op_kind::uncache:
      for (refimpl::rtable* rt : destinations_) dst_release(rt);
      destinations_.clear();
      return error::none;
    default:
      break;
  }
  if (!op.devices.empty()) {
    net_device* dev = device(op.devices.front());
    return dev != nullptr ? on_device(op, *dev) : error::enodev;
  }
  net* n = net_at(op.nets.front());
  return n != nullptr && !n->leaving ? on_net(op, *n) : error::enodev;
}

error world::without_rtnl(const operation& op) {
  switch (op.kind) {
    case op_kind::setup_net: {
      net*& slot = nets_[static_cast<std::size_t>(op.nets.front())];
      if (slot != nullptr && !slot->dead.load()) return error::eexist;
      refimpl::result<net*> made = setup_net(s_);
      if (!made) return made.code();
      slot = made.value();
      set_limits(*slot);
      driver_.net_created(op.nets.front(), *slot);
      return error::none;
    }
    case op_kind::exit_net:
      return exit_nets(op);
    case op_kind::group_dellink: {
      net* n = net_at(op.nets.front());
      return n != nullptr ? rtnl_group_dellink(*n, static_cast<int>(op.number)).code() : error::enodev;
    }
    case op_kind::linkwatch:
      return linkwatch_event(s_).code();
    case op_kind::sleep:
      s_.timers.msleep(static_cast<std::uint64_t>(op.number));
      return error::none;
    case op_kind::watch:
    case op_kind::unwatch: {
      watcher& w = watchers_[static_cast<std::size_t>(op.callback)];
      const bool add = op.kind == op_kind::watch, was = w.on_chain;
      if (!add) w.on_chain = false;
      const error e = (add ? register_netdevice_notifier(s_, w.block) : unregister_netdevice_notifier(s_, w.block)).code();
      w.on_chain = e == error::none ? add : was;
      return e;
    }
    case op_kind::put:
    case op_kind::put_unheld:
      return put(op);
    case op_kind::exception:
    case op_kind::path_mtu:
      return add_exceptions(op);
    case op_kind::gc: {
      net* n = net_at(op.nets.front());
      return n != nullptr ? on_net(op, *n) : error::enodev;
    }
    default: {  // link_event, use, use_locked: from any context
      net_device* dev = device(op.devices.front());
      return dev != nullptr ? on_device(op, *dev) : error::enodev;
    }
  }
}

namespace {
bool from_any_context(op_kind k) {
  return k == op_kind::link_event || k == op_kind::use || k == op_kind::use_locked || k == op_kind::put ||
         k == op_kind::put_unheld || k == op_kind::exception || k == op_kind::path_mtu || k == op_kind::gc;
}
}  // namespace

error world::execute(const operation& op) {
  const error outcome = execute_on_stack(op);
  if (outcome == error::none)
    if (auto* follower = dynamic_cast<follows_operations*>(&driver_)) follower->carried_out(op);
  return outcome;
}

error world::execute_on_stack(const operation& op) {
  if (s_.stopped()) return error::eio;
  if (!entry_of(op.kind).in_callback || from_any_context(op.kind)) return without_rtnl(op);
  // One operation of the stack, so that what would crash a kernel stops it here as well.
  return s_
      .enter([&]() -> status {
        refimpl::rtnl_guard held(s_);
        if (!held) return held.code();
        const error outcome = on_rtnl(op);
        const status unlocked = held.release();
        return outcome != error::none ? status(outcome) : unlocked;
      })
      .code();
}

}  // namespace quiesce::conformance
