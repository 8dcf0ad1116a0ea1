// SPDX-License-Identifier: MIT
// fib_info and next hops: creation, sharing, dead marking. Mirrors net/ipv4/fib_semantics.c.
#include "refimpl/net/fib_semantics.hpp"

#include <algorithm>

#include "refimpl/net/lists.hpp"
#include "refimpl/net/route.hpp"

namespace quiesce::refimpl {

fib_state::fib_state() {
  for (list_head& h : fib_info_devhash) INIT_LIST_HEAD(&h);
}

namespace {

std::size_t fib_info_hashfn(const fib_info& fi) {
  std::size_t h = fi.nhs.size() * 31 + static_cast<std::size_t>(fi.protocol) * 7 + fi.scope + fi.prefsrc * 2654435761u +
                  fi.priority * 40503u + static_cast<std::size_t>(fi.type);
  for (const auto& nh : fi.nhs)
    h = h * 1099511628211ull ^ (nh->nh_gw + (nh->nh_dev != nullptr ? static_cast<std::size_t>(nh->nh_dev->id) << 32 : 0));
  return h ^ static_cast<std::size_t>(fi.fib_net.id) << 20;
}

bool same_nexthops(const fib_info& a, const fib_info& b) {
  return std::equal(a.nhs.begin(), a.nhs.end(), b.nhs.begin(), b.nhs.end(), [](const auto& x, const auto& y) {
    return x->nh_dev == y->nh_dev && x->nh_gw == y->nh_gw && x->nh_weight == y->nh_weight && x->nh_scope == y->nh_scope &&
           ((x->nh_flags.load() ^ y->nh_flags.load()) & ~RTNH_F_DEAD) == 0;
  });
}

// A dead info is not shared: what is marked waits for its flush.
fib_info* fib_find_info(const fib_state& state, const fib_info& fi) {
  const auto [begin, end] = state.fib_info_hash.equal_range(fi.hash);
  for (auto at = begin; at != end; ++at) {
    fib_info& have = *at->second;
    if (&have.fib_net == &fi.fib_net && have.protocol == fi.protocol && have.scope == fi.scope &&
        have.prefsrc == fi.prefsrc && have.priority == fi.priority && have.type == fi.type &&
        (have.fib_flags.load() & RTNH_F_DEAD) == 0 && same_nexthops(have, fi))
      return &have;
  }
  return nullptr;
}

// fib_check_nh: the gateway is on a link of the namespace, or the device can carry IPv4 and is up.
error fib_check_nh(net& n, const fib_config& cfg, const fib_nexthop_config& want, fib_nh& nh) {
  if (want.dev == nullptr || !n.owner.known(want.dev) || &dev_net(*want.dev) != &n) return error::enodev;
  if (want.dev->ip_ptr.load() == nullptr) return error::enodev;
  nh.nh_dev = want.dev;
  nh.nh_gw = want.gw;
  nh.nh_weight = want.weight;
  if (cfg.fc_scope == RT_SCOPE_HOST) {
    nh.nh_scope = RT_SCOPE_NOWHERE;
    return want.gw == 0 ? error::none : error::einval;
  }
  if (!dev_up(*want.dev)) return error::enetdown;
  if (want.gw == 0) {
    nh.nh_scope = RT_SCOPE_HOST;
    return error::none;
  }
  if (cfg.fc_scope >= RT_SCOPE_LINK) return error::einval;
  const fib_alias* via = fib_select(n, want.gw, RT_SCOPE_LINK);
  if (via == nullptr || via->type != rtn::unicast) return error::enetunreach;
  if (via->fa_info.nhs.front()->nh_dev != want.dev) return error::enetunreach;
  nh.nh_scope = via->fa_info.scope;
  return error::none;
}

void list_nexthop(fib_state& state, const variant_policy& p, fib_nh& nh) {
  dev_hold(*nh.nh_dev, holder::fib_nh);
  if (p.nexthops == nexthop_index::per_device) {
    list_add(&nh.nh_hash, &nh.nh_dev->fib_nh_head);
  } else {
    list_add(&nh.nh_hash, &state.fib_info_devhash[static_cast<std::size_t>(nh.nh_dev->ifindex) & 255]);
  }
}

void publish(stack& s, fib_info& fi) {
  fib_state& state = *s.fib;
  state.fib_info_hash.emplace(fi.hash, &fi);
  if (fi.prefsrc != 0) state.fib_info_laddrhash.emplace(fi.prefsrc, &fi);
  for (auto& nh : fi.nhs)
    if (nh->nh_dev != nullptr) list_nexthop(state, s.policy, *nh);
  ++state.fib_info_cnt;
}

template <class Map, class Key>
void erase_value(Map& map, const Key& key, const fib_info* fi) {
  const auto [begin, end] = map.equal_range(key);
  for (auto at = begin; at != end; ++at)
    if (at->second == fi) {
      map.erase(at);
      return;
    }
}

void free_fib_info_rcu(rcu_head* head) {
  auto* fi = static_cast<fib_info*>(head->object);
  rt_fibinfo_free(fi->fib_net.owner, *fi);
  for (auto& nh : fi->nhs)
    if (nh->nh_dev != nullptr) static_cast<void>(dev_put(*nh->nh_dev, holder::fib_nh));
  delete fi;
}

}  // namespace

result<fib_info*> fib_create_info(net& n, const fib_config& cfg) {
  stack& s = n.owner;
  const bool no_device = cfg.fc_type == rtn::blackhole || cfg.fc_type == rtn::unreachable;
  if (no_device != cfg.nexthops.empty()) return error::einval;
  if (cfg.fc_scope == RT_SCOPE_HOST && cfg.nexthops.size() != 1 && !no_device) return error::einval;
  if (s.alloc_fails("fib_create_info")) return error::enomem;
  auto fi = std::make_unique<fib_info>(n);
  fi->protocol = cfg.fc_protocol;
  fi->scope = cfg.fc_scope;
  fi->type = cfg.fc_type;
  fi->priority = cfg.fc_priority;
  fi->prefsrc = cfg.fc_prefsrc;
  for (const fib_nexthop_config& want : cfg.nexthops) {
    auto nh = std::make_unique<fib_nh>();
    nh->nh_parent = fi.get();
    if (error e = fib_check_nh(n, cfg, want, *nh); e != error::none) return e;
    fi->nhs.push_back(std::move(nh));
  }
  fi->hash = fib_info_hashfn(*fi);
  if (fib_info* have = fib_find_info(*s.fib, *fi)) return have;
  publish(s, *fi);
  return fi.release();
}

void fib_release_info(fib_info& fi) {
  if (--fi.fib_treeref != 0) return;
  fib_state& state = *fi.fib_net.owner.fib;
  erase_value(state.fib_info_hash, fi.hash, &fi);
  if (fi.prefsrc != 0) erase_value(state.fib_info_laddrhash, fi.prefsrc, &fi);
  for (auto& nh : fi.nhs)
    if (nh->nh_dev != nullptr) list_del_init(&nh->nh_hash);
  if (!bad_link(fi.dead_list.next) && !list_empty(&fi.dead_list)) list_del_init(&fi.dead_list);
  --state.fib_info_cnt;
  fi.fib_dead = true;
  fib_info_put(&fi);
}

void fib_info_put(fib_info* fi) {
  if (fi->fib_clntref.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  fi->rcu.object = fi;
  fi->fib_net.owner.call_rcu(fi->rcu, free_fib_info_rcu, "free_fib_info");
}

namespace {

// fi->fib_flags |= RTNH_F_DEAD, and for the reference the note that it is to be flushed.
void mark_dead(fib_info& fi) {
  fi.fib_flags.fetch_or(RTNH_F_DEAD);
  if (fi.fib_net.owner.policy.fib == fib_flush_rule::affected && list_empty(&fi.dead_list))
    list_add_tail(&fi.dead_list, &fi.fib_net.ipv4->dead_infos);
}

void mark_alive(fib_info& fi, std::uint8_t nh_flags) {
  fi.fib_flags.fetch_and(static_cast<std::uint8_t>(~nh_flags));
  if (!list_empty(&fi.dead_list)) list_del_init(&fi.dead_list);
}

// Infos with a next hop on dev, each once.
std::vector<fib_info*> infos_on(net_device& dev) {
  stack& s = dev.owner;
  const bool own_list = s.policy.nexthops == nexthop_index::per_device;
  list_head* head = own_list ? &dev.fib_nh_head : &s.fib->fib_info_devhash[static_cast<std::size_t>(dev.ifindex) & 255];
  std::vector<fib_info*> out;
  turn_bound bound{~std::size_t{0}, "hlist_for_each_entry(nh, nh_hash)"};
  std::uint64_t visited = 0;
  list_for_each_entry<fib_nh>(head, bound, [&](fib_nh& nh) {
    ++visited;
    if (nh.nh_dev == &dev && (out.empty() || out.back() != nh.nh_parent)) out.push_back(nh.nh_parent);
  });
  s.counters.fib_nexthops_visited.fetch_add(visited, std::memory_order_relaxed);
  return out;
}

// How many next hops of fi are dead after dev's share of them was marked.
std::size_t sync_down_info(fib_info& fi, const net_device& dev, event_kind event, bool force) {
  const int spared_scope = force ? -1 : RT_SCOPE_NOWHERE;
  std::size_t dead = 0;
  for (auto& nh : fi.nhs) {
    if ((nh->nh_flags.load() & RTNH_F_DEAD) != 0) {
      ++dead;
    } else if (nh->nh_dev == &dev && nh->nh_scope != spared_scope) {
      const bool only_link = event == event_kind::NETDEV_CHANGE;
      nh->nh_flags.fetch_or(only_link ? RTNH_F_LINKDOWN : RTNH_F_DEAD | RTNH_F_LINKDOWN);
      ++dead;
    }
    if (event == event_kind::NETDEV_UNREGISTER && nh->nh_dev == &dev)  // CONFIG_IP_ROUTE_MULTIPATH
      return chosen(dev.owner.policy, mutation::sibling_nexthop_lives, fi.nhs.size(),
                    fi.nhs.size() == 1 ? 1 : std::size_t{0});
  }
  return dead;
}

}  // namespace

int fib_sync_down_dev(net_device& dev, event_kind event, bool force) {
  stack& s = dev.owner;
  s.emit(event_kind::fib_sync_down_dev, &dev, static_cast<std::int64_t>(event));
  s.counters.fib_sync_down.fetch_add(1, std::memory_order_relaxed);
  int ret = 0;
  for (fib_info* fi : infos_on(dev)) {
    if (sync_down_info(*fi, dev, event, force) != fi->nhs.size()) continue;
    if (event == event_kind::NETDEV_CHANGE) {
      fi->fib_flags.fetch_or(RTNH_F_LINKDOWN);
    } else {
      mark_dead(*fi);
    }
    ++ret;
  }
  return ret;
}

int fib_sync_down_addr(net& n, std::uint32_t local) {
  int ret = 0;
  const auto [begin, end] = n.owner.fib->fib_info_laddrhash.equal_range(local);
  for (auto at = begin; at != end; ++at)
    if (&at->second->fib_net == &n) {
      mark_dead(*at->second);
      ++ret;
    }
  return ret;
}

int fib_sync_up(net_device& dev, std::uint8_t nh_flags) {
  stack& s = dev.owner;
  if (!dev_up(dev)) return 0;
  s.emit(event_kind::fib_sync_up, &dev);
  if ((nh_flags & RTNH_F_DEAD) != 0) nh_flags |= RTNH_F_LINKDOWN;
  int ret = 0;
  for (fib_info* fi : infos_on(dev)) {
    int alive = 0;
    for (auto& nh : fi->nhs) {
      if ((nh->nh_flags.load() & nh_flags) == 0) {
        ++alive;
      } else if (nh->nh_dev == &dev && dev.ip_ptr.load() != nullptr) {
        ++alive;
        nh->nh_flags.fetch_and(static_cast<std::uint8_t>(~nh_flags));
      }
    }
    if (alive == 0) continue;
    mark_alive(*fi, nh_flags);
    ++ret;
  }
  return ret;
}

}  // namespace quiesce::refimpl
