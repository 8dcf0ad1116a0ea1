// SPDX-License-Identifier: MIT
#pragma once
// Mistakes that a kernel patch could make, each at one place of the stack: what a set of rules is worth is which of them it
// catches. A place asks through one of the four hooks below; off, a hook is a comparison of one byte of the policy.
// A new mutant is one line here and one hook at its place.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace quiesce::refimpl {

// name, place, what is wrong
// clang-format off
#define QUIESCE_REFIMPL_MUTATIONS(X)                                                                                       \
  X(close_without_going_down, "close.cpp __dev_close_many", "NETDEV_GOING_DOWN is not sent")                              \
  X(close_without_down, "close.cpp dev_close_many", "NETDEV_DOWN is not sent")                                            \
  X(close_leaves_node, "close.cpp dev_close_many", "close_list is not left: no list_del_init")                            \
  X(close_keeps_flag, "close.cpp __dev_close_many", "IFF_UP stays set")                                                   \
  X(close_without_batch, "close.cpp dev_close_many", "NETDEV_DOWN_BATCH is not sent")                                     \
  X(close_of_down_devices, "close.cpp dev_close_many", "devices that are down are not left out")                          \
  X(down_batch_too_early, "close.cpp dev_close_many", "NETDEV_DOWN_BATCH and NETDEV_DOWN are swapped")                    \
  X(unregister_without_close, "unregister.cpp rollback_registered_many", "devices are not closed")                        \
  X(unlist_too_late, "unregister.cpp rollback_registered_many", "unlist_netdevice and NETDEV_UNREGISTER are swapped")     \
  X(no_first_grace_period, "unregister.cpp rollback_registered_many", "no synchronize_net behind unlist_netdevice")       \
  X(no_second_grace_period, "unregister.cpp dismantle", "no synchronize_net behind ndo_uninit")                           \
  X(uninit_before_unregister, "unregister.cpp dismantle", "ndo_uninit and NETDEV_UNREGISTER are swapped")                 \
  X(one_loop, "unregister.cpp dismantle", "each device is uninitialised at once")                                         \
  X(batch_too_late, "unregister.cpp dismantle", "NETDEV_UNREGISTER_BATCH and ndo_uninit are swapped")                     \
  X(registration_kept, "unregister.cpp rollback_registered_many", "the registration reference is not dropped")            \
  X(registration_put_twice, "unregister.cpp rollback_registered_many", "the registration reference is dropped twice")     \
  X(registration_put_too_early, "unregister.cpp rollback_registered_many", "the reference is dropped before its grace period") \
  X(not_queued, "unregister.cpp unregister_netdevice_many", "net_set_todo is not called")                                 \
  X(queued_twice, "unregister.cpp unregister_netdevice_many", "net_set_todo is called twice")                             \
  X(rtnl_dropped_in_rollback, "unregister.cpp grace_period", "RTNL is dropped for the grace periods")                     \
  X(freed_without_wait, "todo.cpp run_list", "the wait for references is left out")                                       \
  X(todo_under_rtnl, "todo.cpp netdev_run_todo", "RTNL is held during the wait")                                          \
  X(no_barrier_in_todo, "todo.cpp netdev_run_todo", "no rcu_barrier before the wait for references")                       \
  X(unregistering_not_counted_down, "todo.cpp destroy", "dev_unreg_count is not decremented")                             \
  X(eager_rebroadcast, "wait_allrefs.cpp", "NETDEV_UNREGISTER is sent again in each turn")                                \
  X(eager_warning, "wait_allrefs.cpp", "the warning comes in each turn")                                                  \
  X(first_device_only, "wait_allrefs.cpp", "only the first device of the list is looked at")                              \
  X(no_barrier_in_wait, "wait_allrefs.cpp barrier_then_sleep", "no rcu_barrier between two sleeps")                       \
  X(rebroadcast_without_rtnl, "wait_allrefs.cpp rebroadcast", "RTNL is dropped before NETDEV_UNREGISTER is sent again")   \
  X(event_list_not_left, "batch.cpp deliver", "the namespace stays on the event list")                                    \
  X(event_list_not_initialised, "net_namespace.cpp net", "no INIT_LIST_HEAD(&net->event_list)")                           \
  X(batch_for_each_device, "batch.cpp collect", "a namespace is collected once for each device")                          \
  X(batch_of_null, "batch.cpp notify", "the batch event passes NULL")                                                     \
  X(batch_of_wrong_net, "batch.cpp deliver", "the batch event passes a device of another namespace")                      \
  X(mark_without_flag, "fib_frontend.cpp mark_for_flush", "needs_fib_flush is not set")                                   \
  X(flag_not_cleared, "fib_frontend.cpp flush_marked", "needs_fib_flush is not cleared")                                  \
  X(wrong_net_flushed, "fib_frontend.cpp flush_marked", "init_net is flushed instead of the namespace")                   \
  X(cache_not_flushed, "fib_frontend.cpp batch_event", "rt_cache_flush is left out")                                      \
  X(uncached_kept, "fib_frontend.cpp fib_netdev_event", "rt_flush_dev is left out")                                       \
  X(up_before_flush, "fib_frontend.cpp finish_down", "marked routes are not flushed before fib_sync_up")                  \
  X(sibling_nexthop_lives, "fib_semantics.cpp sync_down_info", "a route with another nexthop survives NETDEV_UNREGISTER")  \
  X(repeated_unregister_defers, "fib_frontend.cpp disable", "what a repeated NETDEV_UNREGISTER marks waits for a batch event") \
  X(ifdown_list_forgotten, "fib_frontend.cpp disable", "the device does not join ifdown_list")                            \
  X(all_down_flushed, "neigh_ifdown.cpp neigh_ifdown_net", "neighbours of every device that is down go")                  \
  X(deviceless_proxies_flushed, "neigh_ifdown.cpp flush_device", "proxy entries without device go")                       \
  X(whole_queue_purged, "neigh_ifdown.cpp purge_after", "packets of every device are dropped")                            \
  X(queue_not_purged, "neigh_ifdown.cpp purge_after", "packets of the device stay")                                       \
  X(proxy_timer_not_armed, "pneigh.cpp pneigh_enqueue", "mod_timer is left out")                                          \
  X(pneigh_not_put, "pneigh.cpp pneigh_put", "the device of a proxy entry is not put")                                    \
  X(neighbour_not_put, "neigh.cpp neigh_release", "the device of a neighbour is not put")                                 \
  X(in_device_not_put, "inetdev.cpp in_dev_rcu_put", "the device of an in_device is not put")                             \
  X(chain_put_twice, "holders.cpp release", "a late reference is dropped twice")                                          \
  X(linkwatch_not_put, "linkwatch.cpp linkwatch_do_dev", "the device is not put")                                         \
  X(upper_not_put, "adjacency.cpp netdev_upper_dev_unlink", "the lower device is not put")                                \
  X(uppers_left_alone, "upper.cpp unregister_uppers", "devices above one that leaves stay")                                \
  X(loopback_first, "net_namespace.cpp queue_devices", "loopback is queued before the other devices")                     \
  X(physical_not_pushed, "net_namespace.cpp default_device_exit_net", "physical devices stay in the namespace")           \
  X(move_without_batch, "change_net_namespace.cpp leave", "the batch event of the old namespace is left out")             \
  X(replay_without_going_down, "replay.cpp down", "NETDEV_GOING_DOWN is not sent")                                        \
  X(replay_without_batch, "replay.cpp unregister_all", "NETDEV_UNREGISTER_BATCH is not sent")                             \
  X(replay_batch_too_early, "replay.cpp unregister_all", "NETDEV_UNREGISTER_BATCH and NETDEV_UNREGISTER are swapped")     \
  X(replay_batch_twice, "replay.cpp unregister_all", "NETDEV_UNREGISTER_BATCH is sent twice")                             \
  X(replay_forgets_unregister, "replay.cpp unregister_all", "the last device's NETDEV_UNREGISTER is not sent")            \
  X(refused_stays, "replay.cpp replay_register", "a notifier that refused a device stays on the chain")                   \
  X(exception_not_listed, "ip6_fib.cpp rt6_insert_exception", "the route does not join the gc list")                      \
  X(gc_timer_not_armed, "fib6_gc.cpp arm_timer", "mod_timer is left out")                                                 \
  X(refused_over_max, "fib6_gc.cpp ip6_dst_gc", "a route is refused above max_size")
// clang-format on

enum class mutation : std::uint8_t {
  none,
#define X(name, place, what) name,
  QUIESCE_REFIMPL_MUTATIONS(X)
#undef X
};

struct mutation_entry {
  mutation value;
  std::string_view name, place, what;
};
const std::vector<mutation_entry>& mutation_table();

// f, or nothing.
template <class P, class F>
void unless(const P& policy, mutation m, F f) {
  if (policy.mutant != m) [[likely]]
    f();
}
// Nothing, or f as well.
template <class P, class F>
void also(const P& policy, mutation m, F f) {
  if (policy.mutant == m) [[unlikely]]
    f();
}
// first then second, or the other way round.
template <class P, class F, class G>
void in_order(const P& policy, mutation m, F first, G second) {
  if (policy.mutant != m) [[likely]] {
    first();
    second();
  } else {
    second();
    first();
  }
}
// The right value, or the wrong one.
template <class P, class T>
T chosen(const P& policy, mutation m, T right, T wrong) {
  return policy.mutant != m ? std::move(right) : std::move(wrong);
}

}  // namespace quiesce::refimpl
