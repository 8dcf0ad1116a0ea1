// SPDX-License-Identifier: MIT
// Registration and removal of a notifier: the replay of devices to it, and the roll-back when it refuses one.
// The variants differ in replay_unregister and roll_back only.
#include <algorithm>

#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

void chain_insert(stack& s, notifier_block& nb) {
  auto at = std::find_if(s.netdev_chain.begin(), s.netdev_chain.end(),
                         [&](notifier_block* o) { return o->priority < nb.priority; });
  s.netdev_chain.insert(at, &nb);
}
void chain_remove(stack& s, notifier_block& nb) { std::erase(s.netdev_chain, &nb); }

std::vector<net_device*> devices_of(net& n) {
  std::vector<net_device*> out;
  list_for_each_entry<net_device>(&n.dev_base_head, n.owner.turns("for_each_netdev"),
                                  [&](net_device& d) { out.push_back(&d); });
  return out;
}

struct replay {
  stack& s;
  notifier_block& nb;

  // To nb alone, not to the chain; recorded as the event all the same.
  int deliver(const netdev_notifier_info& info) {
    s.emit_net(info.event, *info.ns, info.dev);
    return call_netdevice_notifier(nb, s, info);
  }
  int send(event_kind e, net_device& dev) { return deliver({e, &dev, &dev_net(dev)}); }
  void batch(event_kind e, net& n, net_device* dev) { deliver({e, dev, &n}); }

  error register_one(net_device& dev) {
    if (error e = notifier_to_errno(send(event_kind::NETDEV_REGISTER, dev)); e != error::none) return e;
    if (dev_up(dev)) send(event_kind::NETDEV_UP, dev);
    return error::none;
  }

  void down(net_device& dev) {
    unless(s.policy, mutation::replay_without_going_down, [&] { send(event_kind::NETDEV_GOING_DOWN, dev); });
    send(event_kind::NETDEV_DOWN, dev);
  }

  // v4.4 and v6.1: GOING_DOWN and DOWN if up, then UNREGISTER; IFF_UP stays set. P1, J2 add batch events.
  void unregister_one(net_device& dev) {
    const replay_rule rule = s.policy.replay;
    const bool own_batch = rule == replay_rule::per_device_batch || rule == replay_rule::backwards_batch;
    const bool with_down_batch = own_batch || rule == replay_rule::once_per_net;
    if (dev_up(dev)) {
      down(dev);
      if (with_down_batch) batch(event_kind::NETDEV_DOWN_BATCH, dev_net(dev), &dev);
    }
    send(event_kind::NETDEV_UNREGISTER, dev);
    if (own_batch) batch(event_kind::NETDEV_UNREGISTER_BATCH, dev_net(dev), &dev);
  }

  // All of one namespace. The reference closes each phase with its batch event before the next phase begins.
  void unregister_all(net& n, const std::vector<net_device*>& devs) {
    if (s.policy.replay != replay_rule::reference) {
      for (net_device* d : devs) unregister_one(*d);
      if (s.policy.replay == replay_rule::once_per_net) batch(event_kind::NETDEV_UNREGISTER_BATCH, n, n.loopback_dev.load());
      return;
    }
    if (devs.empty()) return;
    net_device* first_up = nullptr;
    for (net_device* d : devs)
      if (dev_up(*d)) {
        down(*d);
        if (first_up == nullptr) first_up = d;
      }
    if (first_up != nullptr) batch(event_kind::NETDEV_DOWN_BATCH, n, first_up);
    const auto unregister_each = [&] {
      for (net_device* d : devs)
        if (s.policy.mutant != mutation::replay_forgets_unregister || d != devs.back())
          send(event_kind::NETDEV_UNREGISTER, *d);
    };
    const auto batch_event = [&] {
      unless(s.policy, mutation::replay_without_batch, [&] { batch(event_kind::NETDEV_UNREGISTER_BATCH, n, devs.front()); });
      also(s.policy, mutation::replay_batch_twice, [&] { batch(event_kind::NETDEV_UNREGISTER_BATCH, n, devs.front()); });
    };
    in_order(s.policy, mutation::replay_batch_too_early, unregister_each, batch_event);
  }

  // `seen`: devices that accepted, by namespace in order; `last` refused. Forward, up to `last`, which gets nothing; J2
  // sends one batch event more with `last` (the outroll label). v6.1 walks backwards instead.
  void roll_back(std::vector<std::pair<net*, std::vector<net_device*>>>& seen, net_device& last) {
    if (s.policy.replay == replay_rule::backwards || s.policy.replay == replay_rule::backwards_batch) {
      // The namespace of the device that refused backwards, those before it from their first device on.
      for (auto n = seen.rbegin(); n != seen.rend(); ++n) {
        if (n == seen.rbegin()) std::reverse(n->second.begin(), n->second.end());
        for (net_device* d : n->second) unregister_one(*d);
      }
      return;
    }
    for (auto& [n, devs] : seen) {
      const bool failing_net = n == &dev_net(last);
      if (s.policy.replay == replay_rule::once_per_net && failing_net) {
        for (net_device* d : devs) unregister_one(*d);
        batch(event_kind::NETDEV_UNREGISTER_BATCH, *n, &last);
      } else {
        unregister_all(*n, devs);
      }
    }
  }
};

std::vector<net*> listed_nets(stack& s) {
  std::vector<net*> out;
  list_for_each_entry<net>(&s.net_namespace_list, s.turns("for_each_net"), [&](net& n) { out.push_back(&n); });
  return out;
}

status replay_register(stack& s, notifier_block& nb) {
  span_scope span(s, event_kind::replay_begin, event_kind::replay_end);
  chain_insert(s, nb);
  replay r{s, nb};
  std::vector<std::pair<net*, std::vector<net_device*>>> seen;
  for (net* n : listed_nets(s)) {
    seen.emplace_back(n, std::vector<net_device*>{});
    for (net_device* d : devices_of(*n)) {
      if (error e = r.register_one(*d); e != error::none) {
        r.roll_back(seen, *d);
        unless(s.policy, mutation::refused_stays, [&] { chain_remove(s, nb); });
        return e;
      }
      seen.back().second.push_back(d);
    }
  }
  return {};
}

}  // namespace

namespace {
// pernet_ops_rwsem for write: net_mutex here, which set-up and exit hold throughout.
class no_pernet_operations {
 public:
  explicit no_pernet_operations(stack& s) : stack_(s) {
    if (s.policy.pernet_ops_rwsem) s.sched.lock(s.net_mutex);
  }
  ~no_pernet_operations() {
    if (stack_.policy.pernet_ops_rwsem) stack_.sched.unlock(stack_.net_mutex);
  }
  no_pernet_operations(const no_pernet_operations&) = delete;

 private:
  stack& stack_;
};
}  // namespace

status register_netdevice_notifier(stack& s, notifier_block& nb) {
  return s.enter([&]() -> status {
    if (s.rtnl_is_held_by_me()) return error::edeadlk;
    const no_pernet_operations alone(s);
    rtnl_guard held(s);
    if (!held) return held.code();
    if (std::find(s.netdev_chain.begin(), s.netdev_chain.end(), &nb) != s.netdev_chain.end()) return error::eexist;
    status outcome = replay_register(s, nb);
    status unlocked = held.release();
    return outcome ? unlocked : outcome;
  });
}

status unregister_netdevice_notifier(stack& s, notifier_block& nb) {
  return s.enter([&]() -> status {
    if (s.rtnl_is_held_by_me()) return error::edeadlk;
    const no_pernet_operations alone(s);
    rtnl_guard held(s);
    if (!held) return held.code();
    if (std::find(s.netdev_chain.begin(), s.netdev_chain.end(), &nb) == s.netdev_chain.end()) return error::enoent;
    {
      span_scope span(s, event_kind::replay_begin, event_kind::replay_end);
      chain_remove(s, nb);
      replay r{s, nb};
      for (net* n : listed_nets(s)) r.unregister_all(*n, devices_of(*n));
    }
    return held.release();
  });
}

}  // namespace quiesce::refimpl
