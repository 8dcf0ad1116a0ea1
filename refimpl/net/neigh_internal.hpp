// SPDX-License-Identifier: MIT
#pragma once
// Shared by neigh.cpp, neigh_ifdown.cpp and pneigh.cpp.

#include "refimpl/net/neigh.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

std::size_t neigh_bucket(const neigh_table& tbl, const ip_key& key, const net_device& dev);
bool neigh_del_timer(neighbour& n);
void neigh_timer_handler(neighbour& n);
void neigh_proxy_process(neigh_table& tbl);

// Entries taken out of the table and the number of references to drop for each.
using neigh_victims = std::vector<std::pair<neighbour*, int>>;
// Under tbl->lock: out of the table, dead, timer stopped; if others hold it, blackholed with an empty queue (rule N6).
void neigh_unlink(neigh_table& tbl, neighbour& n, neigh_victims& out);
void neigh_cleanup_and_release(const neigh_victims& victims);  // without tbl->lock

status pneigh_create(neigh_table& tbl, net& n, net_device* dev, const ip_key& key);
status pneigh_remove(neigh_table& tbl, net& n, net_device* dev, const ip_key& key);
// Takes the entries that `match` selects out of the table; under tbl->lock. The caller puts their devices afterwards.
template <class Match>
std::vector<pneigh_entry> pneigh_take(neigh_table& tbl, Match match) {
  std::vector<pneigh_entry> taken, kept;
  for (const pneigh_entry& e : tbl.phash) (match(e) ? taken : kept).push_back(e);
  if (!taken.empty()) tbl.phash.swap(kept);
  return taken;
}
void pneigh_put(neigh_table& tbl, const std::vector<pneigh_entry>& entries);

enum class purge_scope { everything, of_net, of_device };
void pneigh_queue_purge(neigh_table& tbl, purge_scope scope, const net_device* dev);

}  // namespace quiesce::refimpl
