// SPDX-License-Identifier: MIT
// Which events a kprobe capture shows whenever they happen. A probe that never fired may not have been set, so an event is
// shown only if its function occurs.

#include <fmt/format.h>

#include <algorithm>

#include "conformance/observe_kprobe.hpp"

namespace quiesce::observe {
namespace {

// Any of the functions is enough.
std::vector<std::string_view> functions_of(seen kind) {
  switch (kind) {
    case seen::NETDEV_REGISTER:
    case seen::NETDEV_UP:
    case seen::NETDEV_GOING_DOWN:
    case seen::NETDEV_DOWN:
    case seen::NETDEV_UNREGISTER:
      return {"call_netdevice_notifiers_info"};
    case seen::rebroadcast_begin:
    case seen::rebroadcast_end:
    case seen::run_todo_begin:
    case seen::run_todo_end:
      return {"netdev_run_todo"};
    case seen::dev_uc_flush:
      return {"dev_uc_flush"};
    case seen::dev_mc_flush:
      return {"dev_mc_flush"};
    case seen::unlist_netdevice:
      return {"unlist_netdevice"};
    case seen::netdev_unregister_kobject:
      return {"netdev_unregister_kobject"};
    case seen::free_netdev:
      return {"free_netdev"};
    case seen::synchronize_net_begin:
    case seen::synchronize_net_end:
      return {"synchronize_net", "synchronize_rcu", "synchronize_rcu_expedited"};
    case seen::rcu_barrier_begin:
    case seen::rcu_barrier_end:
      return {"rcu_barrier"};
    case seen::fib_sync_down_dev:
      return {"fib_sync_down_dev"};
    case seen::fib_flush:
      return {"fib_flush"};
    case seen::rt_cache_flush:
      return {"rt_cache_flush"};
    case seen::rt_flush_dev:
      return {"rt_flush_dev"};
    case seen::arp_ifdown:
      return {"arp_ifdown"};
    case seen::neigh_flush:
    case seen::pneigh_flush:
      return {"neigh_ifdown"};
    case seen::rtnl_unlock:
      return {"__rtnl_unlock"};
    case seen::RTM_NEWLINK:
      return {"rtmsg_ifinfo"};
    case seen::RTM_DELLINK:
      return {"rtmsg_ifinfo_send", "rtmsg_ifinfo_build_skb"};
    case seen::close_begin:
    case seen::close_end:
      return {"dev_close_many", "netif_close_many"};
    case seen::rollback_begin:
    case seen::rollback_end:
      return {"unregister_netdevice_many_notify", "unregister_netdevice_many", "rollback_registered_many"};
    default:
      return {};
  }
}

// Where the end is the function's return: without it one wait cannot be told from the next.
bool needs_both(seen kind) {
  return kind == seen::synchronize_net_begin || kind == seen::synchronize_net_end || kind == seen::run_todo_end;
}
bool needs_return(seen kind) {
  return kind == seen::rcu_barrier_end || kind == seen::close_end || kind == seen::rollback_end;
}

}  // namespace

bool kprobe_reader::shows(seen kind) const {
  const auto numbered = [&](const auto& entry) { return entry.second == kind; };
  if (kind == seen::NETDEV_PRE_UNINIT) return has_notifications() && std::any_of(numbers_.begin(), numbers_.end(), numbered);
  // If no device goes down without it.
  if (kind == seen::ndo_stop) return driver_stop_ && !stops_unseen_ && has_return("dev_close_many");
  // Its place shows although not every driver has the function.
  if (kind == seen::ndo_uninit) return has("dev_mc_flush") && (has("netdev_unregister_kobject") || has("rtmsg_ifinfo_send"));
  bool any = false, ends = true;
  for (std::string_view function : functions_of(kind)) {
    any = any || (needs_return(kind) ? has_return(function) : has(function));
    ends = ends && has(function) == has_return(function);
  }
  return any && (ends || !needs_both(kind));
}

bool kprobe_reader::could_show(seen kind) const {
  return kind == seen::ndo_uninit || kind == seen::NETDEV_PRE_UNINIT || !functions_of(kind).empty();
}

std::string kprobe_reader::why_not(seen kind) const {
  if (kind == seen::NETDEV_PRE_UNINIT && has_notifications())
    return "its number in this kernel is not known: a line `# NETDEV_PRE_UNINIT = NUMBER` says it";
  if (kind == seen::rtnl_lock) return "compilers inline rtnl_lock, so not every call shows";
  if (kind == seen::ndo_stop) return "drivers without ndo_stop, and those that are not probed, do not show";
  if (kind == seen::ndo_uninit) return "no record of dev_mc_flush with netdev_unregister_kobject or rtmsg_ifinfo_send";
  const std::vector<std::string_view> functions = functions_of(kind);
  if (functions.empty()) return "no kprobe on a function shows it";
  std::string names;
  bool called = false;
  for (std::string_view f : functions) {
    names += (names.empty() ? "" : ", ") + std::string(f);
    called = called || has(f);
  }
  if (called && (needs_both(kind) || needs_return(kind))) return fmt::format("no record of the return of {}", names);
  return fmt::format("no record of {}", names);
}

}  // namespace quiesce::observe
