// SPDX-License-Identifier: MIT
#include "refimpl/core/variant.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace quiesce::refimpl {

namespace {

// A copy of `from` under a new name.
variant_policy derive(const variant_policy& from, std::string_view name, std::string_view source) {
  variant_policy v = from;
  v.name = name;
  v.source = source;
  v.base = from.name;
  return v;
}

variant_policy k44() {
  variant_policy v;
  v.name = "K44";
  v.source = "v4.4";
  v.gc.global_lock = true;
  return v;
}

void add_batch_variants(std::vector<variant_policy>& all) {
  const variant_policy k = k44();
  all.push_back(k);
  variant_policy h = derive(k, "H09", "2.6.33, net: introduce NETDEV_UNREGISTER_PERNET");
  h.batch_at = batch_place::after_grace_period;
  h.collect = batch_collect::representatives;
  h.down_batch = false;
  h.loopback_device = false;
  h.close_each = true;
  h.rtnetlink = rtnetlink_rule::blacklist_and_batch;
  all.push_back(h);

  variant_policy p = derive(k, "P1", "batch calls to fib_flush and arp_ifdown, as posted");
  p.batch_at = batch_place::after_uninit;
  p.add_when = add_rule::queued;
  p.node_init = false;
  p.rebroadcast_batch = true;
  p.replay = replay_rule::per_device_batch;
  p.fib = fib_flush_rule::deferred;
  p.ifdown = ifdown_rule::all_down;
  all.push_back(p);
  variant_policy p1a = derive(p, "P1a", "P1 with the list_empty test un-inverted");
  p1a.add_when = add_rule::unqueued;
  all.push_back(p1a);
  variant_policy p1b = derive(p1a, "P1b", "P1a with INIT_LIST_HEAD(&net->event_list)");
  p1b.node_init = true;
  all.push_back(p1b);
  variant_policy p1i = derive(p, "P1i", "P1 with INIT_LIST_HEAD(&net->event_list) and the test still inverted");
  p1i.node_init = true;
  all.push_back(p1i);
  variant_policy j1 = derive(p1b, "J1", "review of 2/4: UNREGISTER_BATCH after all UNREGISTER, before any uninit");
  j1.batch_at = batch_place::before_uninit;
  all.push_back(j1);
  variant_policy j2 = derive(j1, "J2", "review of 2/4: replay sends UNREGISTER_BATCH once per namespace");
  j2.replay = replay_rule::once_per_net;
  all.push_back(j2);
  variant_policy e1 = derive(j1, "E1", "review of 0/4: no event_list, one batch event per device");
  e1.collect = batch_collect::per_device;
  e1.loopback_device = false;
  all.push_back(e1);
}

variant_policy v58() {
  variant_policy v = derive(k44(), "5.8", "v5.8");
  v.unregister_final = false;
  v.pernet_ops_rwsem = true;
  v.rtnetlink = rtnetlink_rule::whitelist;
  v.home = dst_home::blackhole;
  v.gc.global_lock = false;
  v.replay = replay_rule::backwards;  // v5.5: the roll-back of a refused replay walks a namespace's devices backwards
  return v;
}

variant_policy v61() {
  variant_policy v = derive(v58(), "6.1", "v6.1.192, which has the backport of cd42ba1c8ac9");
  v.wait = wait_rule::rlz;
  v.base_refcount = 1;
  v.exit = exit_rule::plain;
  v.proxy_purge = proxy_purge_rule::per_net;
  return v;
}

void add_wait_variants(std::vector<variant_policy>& all) {
  variant_policy r16 = derive(v58(), "R16", "use exponential backoff in netdev_wait_allrefs, v3 as posted");
  r16.wait = wait_rule::r16;
  all.push_back(r16);
  variant_policy r1 = derive(v58(), "R1", "0e4be9e57e8c");
  r1.wait = wait_rule::r1;
  all.push_back(r1);
  variant_policy rany = derive(v61(), "RANY", "faab39f63c1f");
  rany.wait = wait_rule::rany;
  all.push_back(rany);
  all.push_back(derive(v61(), "RLZ", "cd42ba1c8ac9"));
}

variant_policy v618() {
  variant_policy v = derive(v61(), "6.18", "v6.18");
  v.pre_uninit = true;
  v.ops_lock_pass = true;
  v.instance_lock = true;
  v.nexthops = nexthop_index::per_device;
  v.neighbours = neigh_walk::per_device;
  v.gc.refuse_over_max = false;
  v.gc.skip_needs_room = false;
  v.gc.gc_list = true;
  return v;
}

void add_gc_variants(std::vector<variant_policy>& all) {
  using force_rule = gc_policy::force_rule;
  all.push_back(derive(k44(), "G44", "v4.4 ip6_dst_gc"));
  const variant_policy g520 = derive(v58(), "G520", "v5.8 ip6_dst_gc");
  all.push_back(g520);
  variant_policy go = derive(g520, "GO", "ipv6: Fix CPU contention on FIB6 GC, as posted: force=false");
  go.gc.force = force_rule::never;
  all.push_back(go);
  variant_policy gm = derive(g520, "GM", "review: revert 14956643550f, force = entries > max_size");
  gm.gc.force = force_rule::over_max;
  all.push_back(gm);
  variant_policy g63 = derive(v61(), "G63", "af6d10345ca7");
  g63.gc.refuse_over_max = false;
  g63.gc.skip_needs_room = false;
  all.push_back(g63);
  variant_policy g69 = derive(g63, "G69", "5eb902b8e719");
  g69.gc.gc_list = true;
  g69.gc.exceptions_listed = false;
  all.push_back(g69);
  const variant_policy g618 = derive(v618(), "G618", "v6.18 ip6_dst_gc");
  all.push_back(g618);
  variant_policy recheck = derive(g618, "grecheck", "G618 that looks at last_gc again once it has the lock");
  recheck.gc.recheck = true;
  all.push_back(recheck);
}

// J1's order and flushes in today's stack.
variant_policy j618(const variant_policy& j1) {
  variant_policy v = derive(v618(), "J618", "J1 brought forward to v6.18");
  v.batch_at = j1.batch_at;
  v.collect = j1.collect;
  v.add_when = j1.add_when;
  v.rebroadcast_batch = j1.rebroadcast_batch;
  v.replay = replay_rule::backwards_batch;
  v.fib = j1.fib;
  v.ifdown = j1.ifdown;
  return v;
}

variant_policy reference() {
  variant_policy v = derive(v618(), "reference", "the composition that satisfies every rule");
  v.batch_at = batch_place::before_uninit;
  v.collect = batch_collect::devices_of_batch;
  v.loopback_device = false;
  v.rebroadcast_batch =
      false;  // the device holds no reference of its own then (rule E7); a repeated UNREGISTER flushes at once
  v.open_refuses_leaving = true;
  v.replay = replay_rule::reference;
  v.fib = fib_flush_rule::affected;
  v.ifdown = ifdown_rule::batch_devices;
  v.proxy_purge = proxy_purge_rule::per_device;
  v.exit = exit_rule::wait_unregistering;  // the namespace outlives its devices (rule R5)
  v.gc.recheck = true;
  v.gc.no_timer_after_exit = true;
  return v;
}

std::vector<variant_policy> build() {
  std::vector<variant_policy> all;
  add_batch_variants(all);
  add_wait_variants(all);
  add_gc_variants(all);
  all.push_back(v61());
  all.push_back(v618());
  all.push_back(j618(*std::find_if(all.begin(), all.end(), [](const variant_policy& v) { return v.name == "J1"; })));
  all.push_back(reference());
  return all;
}

}  // namespace

const std::vector<mutation_entry>& mutation_table() {
  static const std::vector<mutation_entry> table = {
#define X(name, place, what) {mutation::name, #name, place, what},
      QUIESCE_REFIMPL_MUTATIONS(X)
#undef X
  };
  return table;
}

const std::vector<variant_policy>& variants() {
  static const std::vector<variant_policy> all = build();
  return all;
}

std::optional<variant_policy> find_variant(std::string_view name) {
  for (const variant_policy& v : variants())
    if (v.name == name) return v;
  return std::nullopt;
}

variant_policy variant(std::string_view name) {
  if (auto found = find_variant(name)) return *found;
  throw std::invalid_argument("no variant named " + std::string(name));
}

}  // namespace quiesce::refimpl
