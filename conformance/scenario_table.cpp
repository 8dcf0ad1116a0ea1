// SPDX-License-Identifier: MIT
// The tables of the text form, and what makes a scenario well formed.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "conformance/scenario_internal.hpp"

namespace quiesce::conformance {

const std::vector<op_entry>& op_table() {
  using k = op_kind;
  static const std::vector<op_entry> table = {
      {k::register_, "register", "d", true, "register_netdevice of a late device"},
      {k::open, "open", "d", true, "dev_open"},
      {k::close, "close", "D", true, "dev_close_many"},
      {k::unregister, "unregister", "D", true, "unregister_netdevice_many"},
      {k::dellink, "dellink", "D", true, "RTM_DELLINK: dellink of each, one unregister_netdevice_many"},
      {k::group_dellink, "group_dellink", "n#", false, "rtnl_group_dellink"},
      {k::move, "move", "dn", true, "dev_change_net_namespace"},
      {k::setup_net, "setup_net", "n", false, "setup_net of a late namespace"},
      {k::exit_net, "exit", "N", false, "cleanup_net of these together"},
      {k::address, "address", "dp", true, "inet_rtm_newaddr, inet6_addr_add"},
      {k::del_address, "del_address", "dp", true, "inet_rtm_deladdr, inet6_addr_del"},
      {k::route, "route", "Dp", true, "fib_table_insert with a nexthop on each device, ip6_route_add"},
      {k::del_route, "del_route", "np", true, "fib_table_delete, ip6_route_del"},
      {k::neighbour, "neighbour", "da", true, "neigh_add, permanent"},
      {k::del_neighbour, "del_neighbour", "da", true, "neigh_delete"},
      {k::proxy, "proxy", "da", true, "neigh_add of a proxy entry"},
      {k::del_proxy, "del_proxy", "da", true, "neigh_delete of a proxy entry"},
      {k::proxy_net, "proxy_net", "na", true, "neigh_add of a proxy entry without device"},
      {k::del_proxy_net, "del_proxy_net", "na", true, "neigh_delete of a proxy entry without device"},
      {k::packet, "packet", "da#", true, "pneigh_enqueue: answered after # ms"},
      {k::resolve, "resolve", "da", true, "neigh_event_send"},
      {k::hold, "hold", "d", true, "dev_hold by a user"},
      {k::put, "put", "d", true, "dev_put by a user"},
      {k::chain, "chain", "d#", true, "a reference that # chained RCU callbacks release after NETDEV_UNREGISTER"},
      {k::delay, "delay", "d#", true, "a reference that is released # ms after NETDEV_UNREGISTER"},
      {k::use, "use", "d", true, "dev_get_by_name, an access, dev_put"},
      {k::mtu, "mtu", "d#", true, "dev_set_mtu"},
      {k::link_event, "link_event", "d#", true, "linkwatch_fire_event: carrier off 0, on 1"},
      {k::linkwatch, "linkwatch", "", false, "linkwatch_event"},
      {k::cache, "cache", "na", true, "ip_route_output: a destination that is kept until uncache"},
      {k::uncache, "uncache", "", true, "dst_release of all kept destinations"},
      {k::exception, "exception", "dp#", true,
       "rt6_insert_exception for # addresses behind the route, as a packet asks for"},
      {k::gc, "gc", "n", true, "fib6_run_gc"},
      {k::forward, "forward", "n", true, "IPv6 forwarding: addresses join anycast groups"},
      {k::watch, "watch", "c", false, "register_netdevice_notifier"},
      {k::unwatch, "unwatch", "c", false, "unregister_netdevice_notifier"},
      {k::sleep, "sleep", "#", false, "# ms pass"},
      {k::link_down, "link_down", "d", true, "dev_change_flags without IFF_UP"},
      {k::local_route, "local_route", "da", true, "fib_table_insert of a local route, whose device may be down"},
      {k::close_unasked, "close_unasked", "D", true, "dev_close_many, also of what an outer close has on its list"},
      {k::unregister_unasked, "unregister_unasked", "D", true,
       "unregister_netdevice_many, also of what an outer one has on its list"},
      {k::put_unheld, "put_unheld", "d", true, "dev_put by somebody who has no reference"},
      {k::rcu_use, "rcu_use", "d#", true, "# chained RCU callbacks, the last of which uses the device without a reference"},
      {k::use_locked, "use_locked", "d", false,
       "netdev_get_by_index_lock, and a second look at reg_state and IFF_UP before netdev_unlock"},
      {k::path_mtu, "path_mtu", "dp#", true, "rt6_insert_exception for one address behind the route, valid for # ms"},
  };
  return table;
}

const op_entry& entry_of(op_kind kind) { return op_table()[static_cast<std::size_t>(kind)]; }

const std::vector<std::string>& chain_events() {
  static const std::vector<std::string> events = {
      "NETDEV_REGISTER",         "NETDEV_UP",         "NETDEV_GOING_DOWN",       "NETDEV_DOWN",
      "NETDEV_UNREGISTER",       "NETDEV_PRE_UNINIT", "NETDEV_UNREGISTER_FINAL", "NETDEV_DOWN_BATCH",
      "NETDEV_UNREGISTER_BATCH", "NETDEV_POST_INIT",  "NETDEV_CHANGE",           "NETDEV_CHANGEMTU"};
  return events;
}

std::string net_name(net_ref n) { return n == 0 ? "init_net" : fmt::format("n{}", n); }
std::string device_name(device_ref d) {
  if (d == loopback_of(0)) return "lo";
  return is_loopback(d) ? fmt::format("lo{}", -1 - d) : fmt::format("d{}", d + 1);
}

ip_prefix ipv4(std::uint32_t address, int length) { return {false, 0, address, length}; }

std::string format(const ip_prefix& p) {
  unsigned char bytes[16];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(p.hi >> (56 - 8 * i));
    bytes[8 + i] = static_cast<unsigned char>(p.lo >> (56 - 8 * i));
  }
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(p.v6 ? AF_INET6 : AF_INET, p.v6 ? bytes : bytes + 12, text, sizeof text);
  return fmt::format("{}/{}", text, p.length);
}

namespace {

struct examiner {
  const scenario& s;
  std::string found{};

  void require(bool ok, const std::string& sentence) {
    if (!ok && found.empty()) found = sentence;
  }
  bool known_net(net_ref n) const { return n >= 0 && n <= static_cast<int>(s.nets.size()); }
  bool known_device(device_ref d) const {
    return is_loopback(d) ? known_net(-1 - d) : d < static_cast<int>(s.devices.size());
  }

  void counts(const operation& op, const op_entry& e) {
    const std::string_view shape = e.shape;
    const auto has = [&](char c) { return shape.find(c) != shape.npos; };
    const auto fits = [&](std::size_t n, char one, char many) { return has(many) ? n >= 1 : n == (has(one) ? 1u : 0u); };
    require(fits(op.devices.size(), 'd', 'D') && fits(op.nets.size(), 'n', 'N'),
            fmt::format("`{}` has a wrong number of arguments", e.word));
    require(has('#') || op.number == 0, fmt::format("`{}` takes no number", e.word));
    require(has('p') || has('a') || op.ip == ip_prefix{}, fmt::format("`{}` takes no address", e.word));
    require(op.number >= 0 && op.number <= 1'000'000'000, "a number is out of range");
    const int full = op.ip.v6 ? 128 : 32;
    require(op.ip.length >= 0 && op.ip.length <= full && (!has('a') || op.ip.length == full), "a prefix length is wrong");
    require(op.ip.v6 || (op.ip.hi == 0 && op.ip.lo >> 32 == 0), "an IPv4 address has more than 32 bits");
  }

  void operation_of(const operation& op, bool in_callback) {
    const op_entry& e = entry_of(op.kind);
    counts(op, e);
    for (net_ref n : op.nets) require(known_net(n), "an operation names a namespace that is not there");
    for (device_ref d : op.devices) require(known_device(d), "an operation names a device that is not there");
    const bool with_callback = std::string_view(e.shape) == "c";
    require(op.callback == 0 || with_callback, fmt::format("`{}` takes no callback", e.word));
    require(!with_callback || (op.callback >= 0 && op.callback < static_cast<int>(s.callbacks.size())),
            "an operation names a callback that is not there");
    require(!in_callback || e.in_callback, fmt::format("`{}` takes RTNL, which a callback's caller holds", e.word));
  }

  void device(int i) {
    const device_plan& d = s.devices[static_cast<std::size_t>(i)];
    require(known_net(d.net), "a device is in a namespace that is not there");
    const bool upper = d.kind == device_kind::vlan || d.kind == device_kind::macvlan;
    require(!upper || (d.lower >= 0 && d.lower < i), "a device is on one that is not declared before it");
    require(upper || d.lower == 0, "only a VLAN or macvlan device is on another");
    require(d.group >= 0 && d.group < 1'000'000, "a group is out of range");
    require(!known_net(d.net) || d.net == 0 || d.late || !s.nets[static_cast<std::size_t>(d.net) - 1].late,
            "a device of a late namespace must be late");
  }

  void callback(const callback_plan& c) {
    const auto& events = chain_events();
    require(c.event == "*" || std::find(events.begin(), events.end(), c.event) != events.end(),
            fmt::format("`{}` is no event of the chain", c.event));
    require(c.any_device ? c.device == 0 : known_device(c.device), "a callback names a device that is not there");
    require(c.times >= 1 && c.times <= 1000 && c.priority >= -1000 && c.priority <= 1000, "a callback's number is wrong");
    if (c.react == reaction::act)
      operation_of(c.act, true);
    else
      require(c.act == operation{}, "a callback that does nothing has an operation");
  }

  void all() {
    const std::size_t most = 1000;  // of each kind of object
    require(s.nets.size() <= most && s.devices.size() <= most && s.callbacks.size() <= most && s.faults.size() <= most &&
                s.tasks.size() <= most,
            "the scenario is too large");
    require(s.options.hz == 100 || s.options.hz == 250 || s.options.hz == 300 || s.options.hz == 1000,
            "hz is 100, 250, 300 or 1000");
    require(s.options.gc_thresh >= 0 && s.options.max_size >= 1, "a limit of the garbage collection is wrong");
    for (int i = 0; i < static_cast<int>(s.devices.size()); ++i) device(i);
    for (const callback_plan& c : s.callbacks) callback(c);
    for (const fault_plan& f : s.faults) {
      const bool of_driver = f.kind != fault_kind::alloc && f.kind != fault_kind::site;
      require(of_driver ? f.device >= 0 && known_device(f.device) : f.device == 0,
              "a fault is in a device that is not there");
      require(f.kind == fault_kind::alloc ? f.nth >= 1 && f.nth <= 1'000'000'000 : f.nth == 0, "a fault's number is wrong");
      require((f.kind == fault_kind::site) == !f.site.empty() && f.site.find_first_of(" \t\n#") == f.site.npos,
              "a fault's site is wrong");
    }
    for (const operation& op : s.setup) operation_of(op, false);
    for (const auto& task : s.tasks)
      for (const operation& op : task) operation_of(op, false);
  }
};

}  // namespace

std::string defect(const scenario& s) {
  examiner e{s};
  e.all();
  return e.found;
}

}  // namespace quiesce::conformance
