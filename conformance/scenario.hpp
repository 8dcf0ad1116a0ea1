// SPDX-License-Identifier: MIT
#pragma once
// A scenario: what happens to some namespaces and devices, as one value with a text form. It scripts the reference stack,
// the models' environment and real devices, and says nothing about the variant that runs it.
//
// Text: a line is a statement, `#` begins a comment. In this order:
//
//   option NAME VALUE                          ipv6 on|off, debug_list on|off, hz N, gc_thresh N,
//                                              max_size N, order N
//   net n1 [late]                              namespaces besides init_net; `late`: made by an operation
//   device d1 NET KIND [on DEVICE] [up] [late] [loose] [local] [ops_lock] [group N]
//   callback c1 on EVENT|* DEVICE|* [late] [priority N] [times N] none | veto | throw | do OPERATION
//   fault alloc N | site NAME | init DEVICE | open DEVICE | throw_open DEVICE | throw_stop DEVICE | throw_uninit DEVICE
//   setup, then indented operations            run before the tasks, by one task
//   task t1, then indented operations          one flow of control each
//
// Names are fixed by position: init_net, n1, n2 ...; d1, d2 ...; lo, lo1 ... for the loopback of each namespace; c1, c2 ...
// A scenario that names devices that do not exist is refused; one whose operations cannot succeed is not, for what
// the stack answers is part of what is tested.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/diagnostic.hpp"

namespace quiesce::conformance {

// A device by its place in scenario::devices; the loopback of namespace n is -1 - n.
using device_ref = int;
using net_ref = int;  // 0: init_net; k > 0: scenario::nets[k - 1]
constexpr device_ref loopback_of(net_ref n) { return -1 - n; }
constexpr bool is_loopback(device_ref d) { return d < 0; }

enum class device_kind : std::uint8_t { physical, dummy, vlan, macvlan };

struct net_plan {
  bool late = false;
  bool operator==(const net_plan&) const = default;
};

struct device_plan {
  device_kind kind = device_kind::dummy;
  net_ref net = 0;
  device_ref lower = 0;   // vlan, macvlan: an earlier device
  bool up = false;        // opened when it is registered in the set-up
  bool late = false;      // registered by an operation
  bool loose = false;     // VLAN_FLAG_LOOSE_BINDING
  bool local = false;     // NETIF_F_NETNS_LOCAL
  bool ops_lock = false;  // netdev_need_ops_lock
  int group = 0;
  bool operator==(const device_plan&) const = default;
};

// An address with a prefix length, of either family; IPv4 in the low 32 bits of `lo`, host byte order.
struct ip_prefix {
  bool v6 = false;
  std::uint64_t hi = 0, lo = 0;
  int length = 0;
  bool operator==(const ip_prefix&) const = default;
};
ip_prefix ipv4(std::uint32_t address, int length = 32);
std::string format(const ip_prefix&);

enum class op_kind : std::uint8_t {
  register_,
  open,
  close,
  unregister,
  dellink,
  group_dellink,
  move,
  setup_net,
  exit_net,
  address,
  del_address,
  route,
  del_route,
  neighbour,
  del_neighbour,
  proxy,
  del_proxy,
  proxy_net,
  del_proxy_net,
  packet,
  resolve,
  hold,
  put,
  chain,
  delay,
  use,
  mtu,
  link_event,
  linkwatch,
  cache,
  uncache,
  exception,
  gc,
  forward,
  watch,
  unwatch,
  sleep,
  link_down,
  local_route,
  close_unasked,
  unregister_unasked,
  put_unheld,
  rcu_use,
  use_locked,
  path_mtu
};

struct operation {
  op_kind kind = op_kind::sleep;
  std::vector<device_ref> devices;
  std::vector<net_ref> nets;
  ip_prefix ip;
  std::int64_t number = 0;
  int callback = 0;
  bool operator==(const operation&) const = default;
};

// One line per kind of operation: its word, what follows it, and whether a callback, which runs under RTNL, may do it.
// Shape: d a device, D one or more, n a namespace, N one or more, p a prefix, a an address, # a number, c a callback.
struct op_entry {
  op_kind kind;
  const char* word;
  const char* shape;
  bool in_callback;
  const char* meaning;
};
const std::vector<op_entry>& op_table();
const op_entry& entry_of(op_kind);

enum class reaction : std::uint8_t { none, veto, throw_, act };

// A notifier block of the scenario: it hears everything, and reacts to one event of one device.
struct callback_plan {
  std::string event;  // of the chain; "*": any
  bool any_device = false;
  device_ref device = 0;
  bool late = false;  // put on the chain by `watch`
  int priority = 0;
  int times = 1;  // reactions at most
  reaction react = reaction::none;
  operation act;  // react == act
  bool operator==(const callback_plan&) const = default;
};

enum class fault_kind : std::uint8_t { alloc, site, init, open, throw_open, throw_stop, throw_uninit };

struct fault_plan {
  fault_kind kind = fault_kind::alloc;
  std::int64_t nth = 0;   // alloc: the nth allocation after the set-up fails
  std::string site;       // site: every allocation of that function after the set-up
  device_ref device = 0;  // the others: the driver of this device misbehaves
  bool operator==(const fault_plan&) const = default;
};

struct scenario_options {
  bool ipv6 = true;
  bool debug_list = false;  // CONFIG_DEBUG_LIST
  unsigned hz = 1000;
  int gc_thresh = 1024;  // ip6_rt_gc_thresh and max_size of every namespace
  int max_size = 4096;
  std::uint64_t order = 0;  // how a schedule that picks tasks by itself orders their operations; 0: in turn
  bool operator==(const scenario_options&) const = default;
};

struct scenario {
  scenario_options options;
  std::vector<net_plan> nets;
  std::vector<device_plan> devices;
  std::vector<callback_plan> callbacks;
  std::vector<fault_plan> faults;
  std::vector<operation> setup;
  std::vector<std::vector<operation>> tasks;
  bool operator==(const scenario&) const = default;
};

// What is wrong with it in one sentence, or nothing: references to what is not there, wrong number of arguments.
std::string defect(const scenario&);

// The text form. parse(format(s)) == s for every scenario without a defect.
std::string format(const scenario&);
std::string format(const operation&);
// Throws diagnostic with the place of the first error; `file` is the number that its source_range carries.
scenario parse_scenario(std::string_view text, std::uint32_t file = 0);

}  // namespace quiesce::conformance
