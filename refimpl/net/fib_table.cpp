// SPDX-License-Identifier: MIT
// Tables: insertion, deletion, look-up, flush. Mirrors fib_table_insert, fib_table_delete, fib_table_lookup, fib_table_flush
// of net/ipv4/fib_trie.c and fib_flush of fib_frontend.c.
#include <algorithm>

#include "refimpl/net/fib_semantics.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

fib_table::fib_table(std::uint32_t id) : tb_id(id), trie(std::make_unique<fib_trie>()) {}
fib_table::~fib_table() = default;

namespace {

std::uint32_t mask_of(std::uint8_t plen) { return plen == 0 ? 0 : ~std::uint32_t{0} << (32 - plen); }

fib_table* fib_get_table(net& n, std::uint32_t id) {
  for (auto& t : n.ipv4->tables)
    if (t->tb_id == id) return t.get();
  return nullptr;
}

fib_table* fib_new_table(net& n, std::uint32_t id) {
  if (fib_table* have = fib_get_table(n, id)) return have;
  if (n.owner.alloc_fails("fib_new_table")) return nullptr;
  n.ipv4->tables.push_back(std::make_unique<fib_table>(id));
  return n.ipv4->tables.back().get();
}

status check_config(net& n, const fib_config& cfg) {
  stack& s = n.owner;
  if (!s.known(&n)) return error::enodev;
  if (status r = check_rtnl(s); !r) return r;
  if (cfg.fc_dst_len > 32 || (cfg.fc_dst & ~mask_of(cfg.fc_dst_len)) != 0 || cfg.fc_table == 0) return error::einval;
  return {};
}

bool taken(const fib_leaf& leaf, const fib_config& cfg, const fib_info& fi) {
  for (const fib_alias* fa = leaf.first.load(); fa != nullptr; fa = fa->next.load())
    if (fa->plen == cfg.fc_dst_len && fa->fa_info.priority == cfg.fc_priority &&
        (!cfg.fc_append || (fa->type == cfg.fc_type && &fa->fa_info == &fi)))
      return true;
  return false;
}

void free_alias_later(stack& s, fib_alias& fa) {
  fa.rcu.object = &fa;
  s.rcu_policy.call_rcu(&fa.rcu, [](rcu_head* h) { delete static_cast<fib_alias*>(h->object); });
}

void remove_alias(net& n, fib_alias& fa) {
  stack& s = n.owner;
  fib_leaf& leaf = fa.leaf;
  leaf.owner.unlink(fa);
  if (!list_empty(&fa.info_list)) list_del_init(&fa.info_list);
  if (leaf.first.load() == nullptr) leaf.owner.remove_leaf(s, leaf);
  --n.ipv4->routes;
  fib_release_info(fa.fa_info);
  free_alias_later(s, fa);
}

// An info that was made for a route that then failed.
void drop_unused(fib_info& fi) {
  if (fi.fib_treeref != 0) return;
  fi.fib_treeref = 1;
  fib_release_info(fi);
}

status insert(net& n, fib_table& table, const fib_config& cfg, fib_info& fi) {
  stack& s = n.owner;
  if (const fib_leaf* old = table.trie->find_leaf(cfg.fc_dst); old != nullptr && taken(*old, cfg, fi)) return error::eexist;
  if (n.ipv4->routes >= s.options.max_routes) return error::enobufs;
  if (s.alloc_fails("fib_alias")) return error::enomem;
  fib_leaf* leaf = table.trie->get_leaf(s, cfg.fc_dst);
  if (leaf == nullptr) return error::enomem;
  auto* fa = new fib_alias(fi, *leaf);
  fa->plen = cfg.fc_dst_len;
  fa->type = cfg.fc_type;
  ++fi.fib_treeref;
  if (s.policy.fib == fib_flush_rule::affected) list_add_tail(&fa->info_list, &fi.aliases);
  table.trie->link(*leaf, *fa);
  ++n.ipv4->routes;
  rt_cache_flush(n);
  return {};
}

bool matches(const fib_alias& fa, const fib_config& cfg) {
  const fib_info& fi = fa.fa_info;
  if (fa.plen != cfg.fc_dst_len || fa.type != cfg.fc_type) return false;
  if (cfg.fc_priority != 0 && fi.priority != cfg.fc_priority) return false;
  if (cfg.fc_prefsrc != 0 && fi.prefsrc != cfg.fc_prefsrc) return false;
  if (cfg.nexthops.empty()) return true;
  return fi.nhs.size() == cfg.nexthops.size() &&
         std::equal(fi.nhs.begin(), fi.nhs.end(), cfg.nexthops.begin(), [](const auto& nh, const fib_nexthop_config& want) {
           return nh->nh_dev == want.dev && nh->nh_gw == want.gw;
         });
}

fib_alias* fib_table_lookup(const fib_table& table, std::uint32_t daddr, std::uint8_t min_scope) {
  for (int plen = 32; plen >= 0; --plen) {
    if (table.trie->lengths[static_cast<std::size_t>(plen)].load(std::memory_order_acquire) == 0) continue;
    const auto length = static_cast<std::uint8_t>(plen);
    const fib_leaf* leaf = table.trie->find_leaf(daddr & mask_of(length));
    if (leaf == nullptr) continue;
    for (fib_alias* fa = leaf->first.load(std::memory_order_acquire); fa != nullptr;
         fa = fa->next.load(std::memory_order_acquire)) {
      const fib_info& fi = fa->fa_info;
      if (fa->plen == length && (fi.fib_flags.load() & RTNH_F_DEAD) == 0 && fi.scope >= min_scope) return fa;
    }
  }
  return nullptr;
}

}  // namespace

fib_alias* fib_select(net& n, std::uint32_t daddr, std::uint8_t min_scope) {
  for (const auto* slot : {&n.ipv4->local, &n.ipv4->main}) {
    const fib_table* table = slot->load(std::memory_order_acquire);
    if (table == nullptr) continue;
    if (fib_alias* fa = fib_table_lookup(*table, daddr, min_scope)) return fa;
  }
  return nullptr;
}

status fib_table_insert(net& n, const fib_config& cfg) {
  stack& s = n.owner;
  return s.enter([&]() -> status {
    if (status r = check_config(n, cfg); !r) return r;
    fib_table* table = fib_new_table(n, cfg.fc_table);
    if (table == nullptr) return error::enomem;
    const result<fib_info*> info = fib_create_info(n, cfg);
    if (!info) return info.code();
    status r = insert(n, *table, cfg, *info.value());
    if (!r) drop_unused(*info.value());
    return r;
  });
}

status fib_table_delete(net& n, const fib_config& cfg) {
  stack& s = n.owner;
  return s.enter([&]() -> status {
    if (status r = check_config(n, cfg); !r) return r;
    fib_table* table = fib_get_table(n, cfg.fc_table);
    if (table == nullptr) return error::esrch;
    const fib_leaf* leaf = table->trie->find_leaf(cfg.fc_dst);
    for (fib_alias* fa = leaf != nullptr ? leaf->first.load() : nullptr; fa != nullptr; fa = fa->next.load()) {
      if (!matches(*fa, cfg)) continue;
      remove_alias(n, *fa);
      rt_cache_flush(n);
      return {};
    }
    return error::esrch;
  });
}

result<fib_result> fib_lookup(net& n, std::uint32_t daddr) {
  stack& s = n.owner;
  return s.enter([&]() -> result<fib_result> {
    rcu_read_section reading(s);
    fib_alias* fa = fib_select(n, daddr, RT_SCOPE_UNIVERSE);
    if (fa == nullptr) return error::enetunreach;
    if (fa->type == rtn::blackhole) return error::einval;
    if (fa->type == rtn::unreachable) return error::ehostunreach;
    fib_result found;
    found.fi = &fa->fa_info;
    found.prefixlen = fa->plen;
    found.type = fa->type;
    for (auto& nh : fa->fa_info.nhs)
      if ((nh->nh_flags.load() & RTNH_F_DEAD) == 0) {
        found.dev = nh->nh_dev;
        break;
      }
    if (found.dev == nullptr) return error::enetunreach;
    // The tree's reference may have been dropped since; an info without any is on its way out.
    int refs = found.fi->fib_clntref.load();
    do {
      if (refs == 0) return error::enetunreach;
    } while (!found.fi->fib_clntref.compare_exchange_weak(refs, refs + 1));
    return found;
  });
}

namespace {

int flush_table(fib_table& table, net& n) {
  std::vector<fib_alias*> dead;
  std::uint64_t visited = 0;
  table.trie->walk([&](fib_alias& fa) {
    ++visited;
    if ((fa.fa_info.fib_flags.load(std::memory_order_relaxed) & RTNH_F_DEAD) != 0) dead.push_back(&fa);
  });
  n.owner.counters.fib_tables_walked.fetch_add(1, std::memory_order_relaxed);
  n.owner.counters.fib_aliases_visited.fetch_add(visited, std::memory_order_relaxed);
  for (fib_alias* fa : dead) remove_alias(n, *fa);
  return static_cast<int>(dead.size());
}

int flush_affected(net& n) {
  list_head& infos = n.ipv4->dead_infos;
  int flushed = 0;
  while (!list_empty(&infos)) {
    fib_info& fi = *list_entry<fib_info>(infos.next);
    list_del_init(&fi.dead_list);
    std::vector<fib_alias*> users;
    list_for_each_entry<fib_alias>(&fi.aliases, {~std::size_t{0}, "fib_info aliases"},
                                   [&](fib_alias& fa) { users.push_back(&fa); });
    n.owner.counters.fib_aliases_visited.fetch_add(users.size(), std::memory_order_relaxed);
    for (fib_alias* fa : users) remove_alias(n, *fa);  // the last one frees fi after a grace period
    flushed += static_cast<int>(users.size());
  }
  return flushed;
}

}  // namespace

int fib_flush(net& n) {
  stack& s = n.owner;
  s.counters.fib_flush.fetch_add(1, std::memory_order_relaxed);
  if (n.ipv4->removing_address) s.counters.fib_flush_from_address.fetch_add(1, std::memory_order_relaxed);
  int flushed = 0;
  if (s.policy.fib == fib_flush_rule::affected) {
    flushed = flush_affected(n);
  } else {
    for (auto& table : n.ipv4->tables) flushed += flush_table(*table, n);
  }
  s.emit_net(event_kind::fib_flush, n, nullptr, flushed);
  s.counters.fib_routes_flushed.fetch_add(static_cast<std::uint64_t>(flushed), std::memory_order_relaxed);
  if (flushed != 0) rt_cache_flush(n);
  return flushed;
}

std::vector<route_view> fib_dump(const net& n) {
  std::vector<route_view> out;
  if (n.ipv4 == nullptr) return out;
  for (const auto& table : n.ipv4->tables)
    table->trie->walk([&](fib_alias& fa) { out.push_back({table->tb_id, fa.leaf.key, fa.plen, &fa.fa_info, fa.type}); });
  return out;
}

status fib_net_init(net& n) {
  stack& s = n.owner;
  auto ipv4 = std::make_unique<netns_ipv4>();
  INIT_LIST_HEAD(&ipv4->dead_infos);
  for (std::uint32_t id : {RT_TABLE_LOCAL, RT_TABLE_MAIN}) {
    if (s.alloc_fails("fib_net_init")) return error::enomem;
    ipv4->tables.push_back(std::make_unique<fib_table>(id));
  }
  ipv4->local.store(ipv4->tables[0].get());
  ipv4->main.store(ipv4->tables[1].get());
  n.ipv4 = std::move(ipv4);
  return {};
}

// ip_fib_net_exit: every alias goes, dead or not.
void fib_net_exit(net& n) {
  if (n.ipv4 == nullptr) return;
  for (auto& table : n.ipv4->tables) {
    std::vector<fib_alias*> all;
    table->trie->walk([&](fib_alias& fa) { all.push_back(&fa); });
    for (fib_alias* fa : all) remove_alias(n, *fa);
  }
}

}  // namespace quiesce::refimpl
