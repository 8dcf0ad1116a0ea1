// SPDX-License-Identifier: MIT
#include "conformance/probe.hpp"

#include "conformance/probe_internal.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

const std::vector<probe_entry>& probe_table() {
  static const std::vector<probe_entry> table = {
      {"node_on_one_list", "net_add_event_list: the list that the namespace is on"},
      {"event_list_is_the_nets_of_the_batch", "net_add_event_list, when the first batch event is sent, or none was"},
      {"batch_order_as_devices", "batch events that are sent through event_list, when a close or rollback ends"},
      {"close_list_node_on_one_list", "the devices of closes that have not ended, when another close begins"},
      {"arp_flush_reads_own_namespace", "neigh_table, at neigh_ifdown_all: it reads the flags of each entry's device"},
      {"notifier_keeps_nothing", "what a callback of the scenario was told; it drops what the variant's own handlers would"},
      {"unregister_only_if_told", "the runs of the scenario's callbacks"},
      {"spins_for_one_gc", "fib6_gc_spin and fib6_gc_end"},
      {"min_interval_between_gcs", "ip6_rt_last_gc, when a collection begins that a route asked for"},
      {"expire_moves_with_gc", "ip6_rt_gc_expire, when a collection is skipped that a route asked for"},
      {"no_delay_by_other_net", "fib6_gc_spin, fib6_gc_skip and the collections under way"},
      {"node_initialised", "net::event_list, when RTNL is released"},
      {"event_list_empty_at_rest", "net::event_list, when RTNL is released"},
      {"no_upper_device_left", "net_device::adj_upper, at ndo_uninit"},
      {"close_list_empty_at_rest", "net_device::close_list, when RTNL is released"},
      {"refused_device_forgotten", "what a callback of the scenario was told, when RTNL is released"},
      {"add_if_absent", "list corruption or a double add that stops the stack"},
      {"traversal_terminates", "an endless traversal that stops the stack"},
      {"null_device_not_followed", "a NULL dereference that stops the stack"},
      {"flush_flag_clear_at_unlock", "netns_ipv4::needs_fib_flush, when RTNL is released"},
      {"flag_means_dead_route", "needs_fib_flush and fib_info::fib_flags, at each event of the chain"},
      {"flag_means_dead_route_or_flush", "needs_fib_flush and fib_info::fib_flags, at each event of the chain"},
      {"no_dead_route_at_rest", "fib_info::fib_flags, when RTNL is released"},
      {"no_route_of_unregistered_device", "fib_nh::nh_dev, when RTNL is released"},
      {"no_route_left_behind", "fib_info::fib_flags and fib_nh::nh_dev, when RTNL is released"},
      {"old_namespace_forgotten", "fib_nh::nh_dev, when RTNL is released"},
      {"no_route_resurrected", "fib_info::fib_flags, when fib_sync_up begins"},
      {"cache_flushed_behind_mark", "nexthops that fib_sync_down_dev marks, rt_genid, when RTNL is released"},
      {"uncached_route_leaves_device", "net_device::uncached_dst, when RTNL is released"},
      {"nexthop_released_before_uninit", "fib_nh::nh_dev, at ndo_uninit"},
      {"rebroadcast_leaves_no_route", "fib_nh::nh_dev, when RTNL is released after a rebroadcast"},
      {"no_neighbour_of_down_device", "neighbours at NETDEV_DOWN, and those left when RTNL is released"},
      {"no_neighbour_of_unregistered_device", "neigh_table, when RTNL is released"},
      {"neighbour_of_up_device_kept", "neigh_table, before and after a handler's run"},
      {"no_foreign_neighbour_removed", "neigh_table, before and after a handler's run"},
      {"configured_neighbour_kept", "neigh_table, before and after a handler's run"},
      {"deviceless_proxy_kept", "neigh_table::phash, before and after a handler's run"},
      {"purge_keeps_other_namespaces", "neigh_table::proxy_queue, before and after a handler's run"},
      {"no_packet_of_down_device", "neigh_table::proxy_queue, after a handler's run"},
      {"proxy_queue_has_a_timer", "neigh_table::proxy_timer, when RTNL is released"},
      {"neighbour_destroyed_before_uninit", "neigh_table, at ndo_uninit"},
      {"permanent_neighbour_survives_carrier", "neigh_table, before and after NETDEV_CHANGE"},
      {"registered_under_instance_lock", "reg_state and IFF_UP, as the holder of a lock finds them before he lets go of it"},
      {"freed_without_references", "net_device::refs, at free_netdev"},
      {"reference_floor", "the warning that dev_put gives"},
      {"rebroadcast_after_a_second", "the clock, at a rebroadcast's begin"},
      {"warning_after_ten_seconds", "the clock, at the warning"},
      {"rtnl_free_while_sleeping", "RTNL's owner, at msleep"},
      {"no_free_device_passed_over", "net_device::refs of the todo list, at msleep"},
      {"loopback_unregistered_last", "the devices of the namespace, at NETDEV_UNREGISTER of its loopback"},
      {"loopback_outlives_its_namespace_devices", "the devices of the namespace, at free_netdev of its loopback"},
      {"loopback_there_as_fallback", "a NULL dereference of rt_flush_dev that stops the stack"},
      {"net_outlives_its_devices", "the devices of the namespace, when it is freed"},
      {"physical_device_kept", "rtnl_link_ops, at NETDEV_UNREGISTER in a namespace that exits"},
      {"notifier_told_once", "what a callback of the scenario was told"},
      {"notifier_told_of_known_only", "what a callback of the scenario was told in a replay"},
      {"notifier_forgets_all", "what a callback of the scenario was told, when a replay ends"},
      {"refused_notifier_off_chain", "netdev_chain, when a replay ends"},
      {"rollback_in_reverse", "the order of what a callback was told in a replay"},
      {"one_gc_at_a_time", "fib6_gc_begin and fib6_gc_end of a namespace"},
      {"all_routes_in_reach", "tb6_gc_hlist, when RTNL is released"},
      {"routes_have_a_timer", "ip6_fib_timer, when RTNL is released"},
      {"skipped_gc_made_up", "ip6_fib_timer, when RTNL is released"},
      {"timer_stopped_at_exit", "ip6_fib_timer, when a grace period is waited for"},
      {"routes_limited", "netns_ipv6::dst_entries, when RTNL is released"},
  };
  return table;
}

const std::vector<undecidable_property>& undecidable_properties() {
  static const std::vector<undecidable_property> table = {
      {"lookup_returns_no_dead_nexthop", "a look-up of the stack reports no dead nexthop to look at"},
      {"reads_at_most_margin_apart", "the margin is a model's option"},
      {"notices_within_margin", "the margin is a model's option"},
      {"no_later_than_compared", "compares two loops"},
      {"sometimes_later_than_compared", "compares two loops"},
      {"first_rebroadcast_within_margin", "the margin is a model's option"},
      {"one_sleep_for_each_callback", "the length of a chain of callbacks is a model's option"},
      {"reference_noticed_within_margin", "the margin is a model's option"},
      {"stuck_device_asked_for_again", "the margin is a model's option"},
      {"no_free_while_referenced", "the stack counts references, not their holders: freed_without_references"},
      {"list_behaves_as_queue", "compares two lists of a model"},
      {"device_written_by_one", "needs several CPUs"},
      {"flags_read_unraced", "needs several CPUs"},
      {"todo_list_used_by_one", "needs several CPUs"},
  };
  return table;
}

refimpl::net_device* look::device() const {
  if (e.dev == refimpl::no_id) return nullptr;
  for (refimpl::net_device* dev : devices())
    if (dev->id == e.dev) return dev;
  return nullptr;
}

refimpl::net* look::net() const {
  for (refimpl::net* n : nets())
    if (n->id == e.net) return n;
  return nullptr;
}

probes::probes() : memory_(std::make_unique<probe_memory>()) {}
probes::~probes() = default;
void probes::reset() { *memory_ = probe_memory(); }

namespace {
void count(std::map<std::uint32_t, int>& open, const refimpl::event& e, event_kind begin, event_kind end) {
  if (e.kind == begin) ++open[e.task];
  if (e.kind == end) --open[e.task];
}
}  // namespace

void probes::push(const refimpl::event& e, refimpl::stack& s, std::vector<probe_breach>& broken) {
  probe_memory& m = *memory_;
  count(m.replays, e, event_kind::replay_begin, event_kind::replay_end);
  count(m.rebroadcasts, e, event_kind::rebroadcast_begin, event_kind::rebroadcast_end);
  const look l{e, s, m, broken};
  probe_neighbours(l);  // first: it closes a handler's run that this event ends
  probe_lists(l);
  probe_batches(l);
  probe_fib(l);
  probe_wait(l);
  probe_nets(l);
  probe_replay(l);
  if (s.options.ipv6) probe_gc(l);
}

void probes::stopped(const refimpl::stop_report& report, std::vector<probe_breach>& broken) {
  using kind = refimpl::machine_check::kind;
  const bool of_batch = report.what.find("event_list") != std::string::npos;
  switch (report.kind) {
    case kind::endless_traversal:
      if (of_batch) broken.push_back({"traversal_terminates", report.what});
      return;
    case kind::list_corruption:
      if (of_batch) broken.push_back({"add_if_absent", report.what});
      return;
    case kind::null_dereference:
      if (report.what.find("rt_flush_dev") != std::string::npos)
        broken.push_back({"loopback_there_as_fallback", report.what});
      return;
    case kind::bug:
      if (report.what.find("reference count changed") != std::string::npos)
        broken.push_back({"freed_without_references", report.what});
      return;
    default:
      return;
  }
}

}  // namespace quiesce::conformance
