// SPDX-License-Identifier: MIT
#pragma once
// Every decision in which the kernel variants differ, as data. A variant is a row of values; the code that reads a decision
// is in the one place named beside it. Adding a variant is one entry in variant.cpp.

#include <optional>
#include <string_view>
#include <vector>

#include "refimpl/core/mutation.hpp"

namespace quiesce::refimpl {

enum class batch_place { none, before_uninit, after_uninit, after_grace_period };
enum class batch_collect { event_list, per_device, representatives, devices_of_batch };
enum class add_rule { unqueued, queued };
enum class replay_rule { k44, per_device_batch, once_per_net, backwards, backwards_batch, reference };
enum class wait_rule { k44, r16, r1, rany, rlz };
enum class fib_flush_rule { immediate, deferred, affected };
enum class nexthop_index { devhash, per_device };
enum class neigh_walk { table, per_device };
enum class ifdown_rule { per_device, all_down, batch_devices };
enum class proxy_purge_rule { whole_queue, per_net, per_device };
enum class rtnetlink_rule { blacklist, blacklist_and_batch, whitelist };
enum class exit_rule { wait_unregistering, plain };
enum class dst_home { loopback, blackhole };

// net/ipv6/route.c ip6_dst_gc and ip6_fib.c fib6_run_gc. Read in net/fib6_gc_rules.hpp.
struct gc_policy {
  enum class force_rule { always, never, over_max };
  bool global_lock = false;  // one lock for all namespaces (G44)
  force_rule force = force_rule::always;
  bool skip_needs_room = true;       // within min_interval skip only while entries <= max_size
  bool refuse_over_max = true;       // ip6_dst_gc returns entries > max_size and the allocation fails
  bool gc_list = false;              // walk only entries that can expire
  bool exceptions_listed = true;     // false: exceptions never join the gc list (fixed by cfe82469a00f)
  bool recheck = false;              // look at last_gc again once the lock is taken
  bool no_timer_after_exit = false;  // fib6_net_exit shuts the timer down, whoever may still come
};

struct variant_policy {
  std::string_view name;
  std::string_view source;
  std::string_view base;  // the variant it changes

  // net/batch.cpp
  batch_place batch_at = batch_place::none;
  batch_collect collect = batch_collect::event_list;
  add_rule add_when = add_rule::unqueued;
  bool node_init = true;        // INIT_LIST_HEAD(&net->event_list) in setup_net and for init_net
  bool net_ns = true;           // CONFIG_NET_NS: false makes the event_list helpers empty
  bool down_batch = true;       // NETDEV_DOWN_BATCH exists (not in H09)
  bool loopback_device = true;  // the batch event carries net->loopback_dev; false: a device of the batch
  bool rebroadcast_batch = false;
  // net/replay.cpp
  replay_rule replay = replay_rule::k44;
  bool pernet_ops_rwsem = false;  // a notifier comes and goes while no namespace is set up or cleaned up (328fbe747ad4)
  // net/close.cpp
  bool open_refuses_leaving =
      false;  // dev_open of a device that is being closed, unregistered or moved further up the call chain
  // net/unregister.cpp
  bool pre_uninit = false;
  bool ops_lock_pass = false;  // close devices that need the instance lock in a first pass
  bool instance_lock = false;  // reg_state is written, and those devices are closed, under the instance lock
  bool close_each = false;     // each device is closed and leaves the lists before the next is closed
  // net/todo.cpp, net/wait_allrefs.cpp
  bool unregister_final = true;
  bool final_event() const { return unregister_final && !close_each; }  // it came with v3.7
  int base_refcount = 0;
  wait_rule wait = wait_rule::k44;
  // net/fib_frontend.cpp, net/fib_semantics.cpp
  fib_flush_rule fib = fib_flush_rule::immediate;
  nexthop_index nexthops = nexthop_index::devhash;
  // net/neigh.cpp
  neigh_walk neighbours = neigh_walk::table;
  ifdown_rule ifdown = ifdown_rule::per_device;
  proxy_purge_rule proxy_purge = proxy_purge_rule::whole_queue;
  // net/rtnetlink.cpp
  rtnetlink_rule rtnetlink = rtnetlink_rule::blacklist;
  // net/net_namespace.cpp
  exit_rule exit = exit_rule::wait_unregistering;
  // net/route.cpp
  dst_home home = dst_home::loopback;
  gc_policy gc;
  // core/mutation.hpp
  mutation mutant = mutation::none;
};

// K44 H09 P1 P1a P1b P1i J1 J2 E1 R16 R1 RANY RLZ G44 G520 GO GM G63 G69 G618 grecheck 6.1 6.18 J618 reference, in that
// order.
const std::vector<variant_policy>& variants();
std::optional<variant_policy> find_variant(std::string_view name);
// As find_variant; throws std::invalid_argument for an unknown name.
variant_policy variant(std::string_view name);

}  // namespace quiesce::refimpl
