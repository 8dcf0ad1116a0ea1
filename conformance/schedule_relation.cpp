// SPDX-License-Identifier: MIT
#include "conformance/schedule_relation.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace quiesce::conformance {

namespace {

std::map<std::string_view, event_class> make_table() {
  std::map<std::string_view, event_class> t;
  const event_class rtnl{.rtnl = true};
  for (const char* name : {"NETDEV_REGISTER",
                           "NETDEV_UP",
                           "NETDEV_GOING_DOWN",
                           "NETDEV_DOWN",
                           "NETDEV_UNREGISTER",
                           "NETDEV_PRE_UNINIT",
                           "NETDEV_UNREGISTER_FINAL",
                           "NETDEV_DOWN_BATCH",
                           "NETDEV_UNREGISTER_BATCH",
                           "NETDEV_POST_INIT",
                           "NETDEV_CHANGE",
                           "NETDEV_CHANGEMTU",
                           "NETDEV_CHANGEADDR",
                           "NETDEV_CHANGENAME",
                           "NETDEV_CHANGEUPPER",
                           "NETDEV_REBOOT",
                           "callback",
                           "close_begin",
                           "close_end",
                           "rollback_begin",
                           "rollback_end",
                           "replay_begin",
                           "replay_end",
                           "rebroadcast_begin",
                           "rebroadcast_end",
                           "span_member",
                           "ndo_stop",
                           "ndo_uninit",
                           "dev_uc_flush",
                           "dev_mc_flush",
                           "netdev_unregister_kobject",
                           "net_set_todo",
                           "dev_shutdown",
                           "ndo_init",
                           "ndo_open",
                           "dev_net_set",
                           "fib_sync_down_dev",
                           "fib_sync_up",
                           "fib_flush",
                           "rt_cache_flush",
                           "rt_flush_dev",
                           "arp_ifdown",
                           "arp_ifdown_all",
                           "arp_ifdown_net",
                           "rtnl_lock",
                           "rtnl_unlock",
                           "RTM_NEWLINK",
                           "RTM_DELLINK",
                           "RTM_NEWADDR",
                           "RTM_DELADDR",
                           "needs_fib_flush_set",
                           "needs_fib_flush_clear",
                           "inetdev_init",
                           "inetdev_destroy",
                           "inet_insert_ifa",
                           "inet_del_ifa",
                           "addrconf_ifdown",
                           "net_add_event_list",
                           "net_del_event_list",
                           "linkwatch_do_dev"})
    t[name] = rtnl;
  for (const char* name : {"unlist_netdevice", "list_netdevice"}) t[name] = {.rtnl = true, .dev = true};  // readers look
  for (const char* name : {"netdev_wait_allrefs", "free_netdev", "neigh_destroy", "neigh_flush", "pneigh_flush",
                           "pneigh_queue_purge", "unregister_netdevice_warning", "kernel_warning"})
    t[name] = {.dev = true};
  for (const char* name : {"dev_hold", "dev_put"}) t[name] = {.dev = true, .dev_mode = touch_mode::counts};
  t["dev_put_registration"] = {.rtnl = true, .dev = true, .dev_mode = touch_mode::counts};
  for (const char* name : {"netdev_refcnt_poll", "dev_use"}) t[name] = {.dev = true, .dev_mode = touch_mode::reads};
  for (const char* name : {"setup_net", "cleanup_net", "net_free"}) t[name] = {.net = true};
  for (const char* name : {"rcu_read_lock", "rcu_read_unlock"})
    t[name] = {.more = object_kind::readers, .more_mode = touch_mode::reads};
  for (const char* name : {"synchronize_net_begin", "synchronize_net_end"})
    t[name] = {.rtnl = true, .more = object_kind::readers};
  t["linkwatch_add_event"] = {.dev = true, .dev_mode = touch_mode::counts, .more = object_kind::linkwatch};
  t["linkwatch_do_dev"] = {.more = object_kind::linkwatch};
  for (const char* name : {"mod_timer", "del_timer", "timer_fire"}) t[name] = {.more = object_kind::timers};
  for (const char* name :
       {"fib6_gc_spin", "fib6_gc_begin", "fib6_gc_end", "fib6_gc_skip", "fib6_gc_not_due", "dst_alloc", "dst_alloc_refused"})
    t[name] = {.more = object_kind::fib6};
  for (const char* name :
       {"run_todo_begin", "run_todo_end", "msleep", "call_rcu", "rcu_callback", "rcu_barrier_begin", "rcu_barrier_end"})
    t[name] = {};  // the actor's own
  return t;
}

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

std::uint64_t fnv(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace

const event_class& class_of(std::string_view event_name) {
  static const std::map<std::string_view, event_class> table = make_table();
  static const event_class other{.more = object_kind::other};
  const auto found = table.find(event_name);
  return found != table.end() ? found->second : other;
}

std::vector<touch> touches_of(const event_class& c, std::int64_t dev, std::int64_t net) {
  std::vector<touch> out;
  if (c.rtnl) out.push_back({object_of(object_kind::rtnl), touch_mode::writes});
  if (c.dev) out.push_back({object_of(object_kind::dev, static_cast<std::uint64_t>(dev)), c.dev_mode});
  if (c.net) out.push_back({object_of(object_kind::net, static_cast<std::uint64_t>(net)), touch_mode::writes});
  if (c.more != object_kind::none) out.push_back({object_of(c.more), c.more_mode});
  return out;
}

bool dependent(const std::vector<touch>& a, const std::vector<touch>& b) {
  for (const touch& x : a)
    for (const touch& y : b)
      if (x.object == y.object && !commute(x.mode, y.mode)) return true;
  return false;
}

normal_form::seen& normal_form::of(std::uint64_t object) {
  for (seen& s : objects_)
    if (s.object == object) return s;
  objects_.push_back({object});
  return objects_.back();
}

std::uint32_t normal_form::add(const letter& l) {
  constexpr std::uint64_t actors = std::uint64_t{0xff} << 56;  // beyond every object_kind
  constexpr touch_mode modes[] = {touch_mode::reads, touch_mode::counts, touch_mode::writes};
  std::uint32_t level = of(actors | l.actor).level[0];
  for (const touch& t : l.touches)
    for (const touch_mode m : modes)
      if (!commute(m, t.mode)) level = std::max(level, of(t.object).level[static_cast<std::size_t>(m)]);
  ++level;
  of(actors | l.actor).level[0] = level;
  for (const touch& t : l.touches) {
    std::uint32_t& highest = of(t.object).level[static_cast<std::size_t>(t.mode)];
    highest = std::max(highest, level);
  }
  // A sum over (level, letter): the form is a sequence of sets. The actor is part of the text's identity.
  const std::uint64_t key = mix(fnv(l.text) ^ mix(l.actor)) ^ mix(level);
  id_.low += mix(key);
  id_.high += mix(key ^ 0x5bd1e9955bd1e995u);
  return level;
}

class_id class_of_trace(const std::vector<letter>& letters) {
  normal_form form;
  for (const letter& l : letters) form.add(l);
  return form.id();
}

std::vector<std::size_t> foata(const std::vector<letter>& letters) {
  normal_form form;
  std::vector<std::uint32_t> level;
  std::vector<std::size_t> order;
  for (const letter& l : letters) {
    order.push_back(order.size());
    level.push_back(form.add(l));
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return level[a] != level[b] ? level[a] < level[b] : letters[a].text < letters[b].text;
  });
  return order;
}

}  // namespace quiesce::conformance
