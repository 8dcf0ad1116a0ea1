// SPDX-License-Identifier: MIT
// What a random scenario is made of. The weights follow what the models' options distinguish: several devices and namespaces
// in one batch, teardown that nests, devices that are down, entries that only some events may remove, late references.
#include "conformance/generate.hpp"

#include <rapidcheck/Random.h>
#include <rapidcheck/Seq.h>
#include <rapidcheck/seq/Create.h>
#include <rapidcheck/shrinkable/Create.h>

#include <algorithm>

namespace quiesce::conformance {

namespace {

class maker {
 public:
  maker(const rc::Random& random, const generator_options& options) : random_(random), options_(options) {}
  scenario make();

 private:
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : random_.next() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }

  void make_options();
  void make_devices();
  void make_device();
  void furnish(device_ref d);
  void furnish_ipv6(device_ref d);
  void hold(device_ref d);
  void make_callbacks();
  void make_faults();
  void make_late_use();
  operation random_operation();
  operation of_device(op_kind kind, device_ref d) { return {kind, {d}, {}, {}, 0, 0}; }
  operation with_ip(op_kind kind, device_ref d, ip_prefix ip) { return {kind, {d}, {}, ip, 0, 0}; }
  operation teardown();
  operation callback_operation(device_ref avoid);
  device_ref any_device() { return static_cast<device_ref>(below(s_.devices.size())); }
  net_ref any_net() { return static_cast<net_ref>(below(s_.nets.size() + 1)); }
  std::vector<device_ref> some_devices();
  void add(const operation& op) { s_.setup.push_back(op); }

  rc::Random random_;
  generator_options options_;
  scenario s_;
};

// Addresses by device, so that most of them do not clash, and some do.
ip_prefix address_of(device_ref d, std::uint64_t host, int length) {
  return ipv4(0x0a000000u + (static_cast<std::uint32_t>(d) << 8) + static_cast<std::uint32_t>(host), length);
}
ip_prefix address6_of(device_ref d, std::uint64_t host, int length) {
  return {true, 0x20010db800000000u + static_cast<std::uint64_t>(d), host, length};
}
ip_prefix destination(std::uint64_t n) { return ipv4(0x14000000u + (static_cast<std::uint32_t>(n) << 8), 24); }

void maker::make_options() {
  scenario_options& o = s_.options;
  o.ipv6 = chance(35);
  o.debug_list = chance(10);
  if (chance(15)) o.hz = one_of({100u, 250u, 300u});
  if (chance(50)) o.order = 1 + below(1000);
  if (o.ipv6 && chance(40)) {
    o.gc_thresh = 1 + static_cast<int>(below(3));
    o.max_size = o.gc_thresh + 1 + static_cast<int>(below(3));
  }
}

void maker::make_device() {
  device_plan d;
  const auto number = static_cast<device_ref>(s_.devices.size());
  d.net = any_net();
  const std::uint64_t kind = below(100);
  if (number > 0 && kind < 25) {
    d.kind = kind < 17 ? device_kind::vlan : device_kind::macvlan;
    d.lower = static_cast<device_ref>(below(static_cast<std::uint64_t>(number)));
    // A macvlan device on another one is refused by the kernel.
    if (d.kind == device_kind::macvlan && s_.devices[static_cast<std::size_t>(d.lower)].kind == device_kind::macvlan)
      d.kind = device_kind::vlan;
    if (chance(80)) d.net = s_.devices[static_cast<std::size_t>(d.lower)].net;
    d.loose = d.kind == device_kind::vlan && chance(15);
  } else {
    d.kind = kind < 40 ? device_kind::physical : device_kind::dummy;
    d.local = chance(4);
    d.ops_lock = chance(12);
  }
  d.up = chance(70);
  d.late = chance(10);
  if (chance(30)) d.group = 1;
  s_.devices.push_back(d);
}

void maker::make_devices() {
  for (std::uint64_t i = 0, n = 1 + below(3); i < n; ++i) s_.nets.push_back({});
  for (std::uint64_t i = 0, n = 1 + below(5); i < n; ++i) make_device();
  for (net_ref n = 0; n <= static_cast<net_ref>(s_.nets.size()); ++n)
    if (chance(25)) add(of_device(op_kind::open, loopback_of(n)));
}

void maker::hold(device_ref d) {
  operation op = of_device(chance(60) ? op_kind::chain : op_kind::delay, d);
  op.number = op.kind == op_kind::chain ? static_cast<std::int64_t>(below(4))
                                        : one_of<std::int64_t>({1, 5, 20, 40, 130, 300, 700, 1100, 2600, 11000});
  add(op);
}

void maker::furnish_ipv6(device_ref d) {
  if (chance(20)) add({op_kind::forward, {}, {s_.devices[static_cast<std::size_t>(d)].net}, {}, 0, 0});
  if (chance(60)) add(with_ip(op_kind::address, d, address6_of(d, 1, 64)));
  if (chance(30)) add(with_ip(op_kind::neighbour, d, address6_of(d, 7, 128)));
  if (chance(15)) add(with_ip(op_kind::proxy, d, address6_of(d, 9, 128)));
  if (chance(40)) {
    const ip_prefix prefix{true, 0x20010db8ffff0000u, 0, 64};
    add(with_ip(op_kind::route, d, prefix));
    operation op = with_ip(op_kind::exception, d, prefix);
    op.number = static_cast<std::int64_t>(1 + below(6));
    add(op);
  }
}

void maker::furnish(device_ref d) {
  if (chance(55)) add(with_ip(op_kind::address, d, address_of(d, 1, 24)));
  if (chance(15)) add(with_ip(op_kind::address, d, address_of(d, 2, 24)));
  if (chance(45)) add(with_ip(op_kind::route, d, destination(below(3))));
  if (chance(15) && s_.devices.size() > 1) {
    operation op{op_kind::route, {d, any_device()}, {}, destination(3 + below(2)), 0, 0};
    if (op.devices[0] != op.devices[1]) add(op);
  }
  if (chance(40)) add(with_ip(op_kind::neighbour, d, address_of(d, 7, 32)));
  if (chance(10)) add(with_ip(op_kind::resolve, d, address_of(d, 8, 32)));
  if (chance(20)) add(with_ip(op_kind::proxy, d, address_of(d, 9, 32)));
  if (chance(8)) add({op_kind::proxy_net, {}, {s_.devices[static_cast<std::size_t>(d)].net}, address_of(d, 10, 32), 0, 0});
  if (chance(12)) {
    operation op = with_ip(op_kind::packet, d, address_of(d, 9, 32));
    op.number = one_of<std::int64_t>({0, 100, 800, 5000});
    add(op);
  }
  if (chance(12)) {
    operation op{op_kind::cache, {}, {s_.devices[static_cast<std::size_t>(d)].net}, address_of(d, 7, 32), 0, 0};
    add(op);
  }
  if (s_.options.ipv6) furnish_ipv6(d);
  if (!options_.live && chance(25)) hold(d);
}

std::vector<device_ref> maker::some_devices() {
  std::vector<device_ref> all, chosen;
  for (device_ref d = 0; d < static_cast<device_ref>(s_.devices.size()); ++d) all.push_back(d);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  chosen.assign(all.begin(), all.begin() + static_cast<long>(1 + below(all.size())));
  return chosen;
}

operation maker::teardown() {
  const std::uint64_t kind = below(100);
  operation op;
  op.kind = kind < 45 ? op_kind::unregister : kind < 65 ? op_kind::dellink : kind < 85 ? op_kind::close : op_kind::exit_net;
  if (op.kind != op_kind::exit_net) {
    op.devices = some_devices();
    return op;
  }
  for (net_ref n = 1; n <= static_cast<net_ref>(s_.nets.size()); ++n)
    if (chance(60)) op.nets.push_back(n);
  if (op.nets.empty()) op.nets.push_back(1);
  return op;
}

operation maker::random_operation() {
  const device_ref d = any_device();
  const std::uint64_t kind = below(100);
  if (kind < 34) return teardown();
  if (kind < 46) return of_device(op_kind::open, d);
  if (kind < 53) return {op_kind::move, {d}, {any_net()}, {}, 0, 0};
  if (kind < 58) return of_device(op_kind::register_, d);
  if (kind < 61) return {op_kind::group_dellink, {}, {any_net()}, {}, 1, 0};
  if (kind < 66) return with_ip(op_kind::address, d, address_of(d, 1 + below(3), 24));
  if (kind < 70) return with_ip(op_kind::del_address, d, address_of(d, 1 + below(2), 24));
  if (kind < 75) return with_ip(op_kind::route, d, destination(below(4)));
  if (kind < 79) return with_ip(op_kind::neighbour, d, address_of(d, 7 + below(2), 32));
  if (kind < 82) return with_ip(op_kind::proxy, d, address_of(d, 9, 32));
  if (kind < 84) return {op_kind::packet, {d}, {}, address_of(d, 9, 32), 400, 0};
  if (kind < 87) return {op_kind::link_event, {d}, {}, {}, static_cast<std::int64_t>(below(2)), 0};
  if (kind < 90) return {op_kind::linkwatch, {}, {}, {}, 0, 0};
  if (kind < 92) return of_device(op_kind::use, d);
  if (kind < 94) return {op_kind::mtu, {d}, {}, {}, one_of<std::int64_t>({60, 1000, 1500}), 0};
  if (kind < 96) return {op_kind::sleep, {}, {}, {}, one_of<std::int64_t>({1, 600, 1500, 40000}), 0};
  if (kind < 98) return {op_kind::gc, {}, {any_net()}, {}, 0, 0};
  if (s_.callbacks.empty()) return teardown();
  operation op;
  op.kind = chance(50) ? op_kind::watch : op_kind::unwatch;
  op.callback = static_cast<int>(below(s_.callbacks.size()));
  return op;
}

operation maker::callback_operation(device_ref avoid) {
  device_ref d = any_device();
  if (d == avoid && s_.devices.size() > 1) d = (d + 1) % static_cast<device_ref>(s_.devices.size());
  const std::uint64_t kind = below(100);
  operation op = of_device(kind < 40   ? op_kind::close
                           : kind < 60 ? op_kind::open
                           : kind < 90 ? op_kind::unregister
                                       : op_kind::dellink,
                           d);
  return op;
}

void maker::make_callbacks() {
  for (std::uint64_t i = 0, n = chance(45) ? 1 + below(2) : 0; i < n; ++i) {
    callback_plan c;
    c.event = one_of({"NETDEV_REGISTER", "NETDEV_UP", "NETDEV_GOING_DOWN", "NETDEV_DOWN", "NETDEV_UNREGISTER", "NETDEV_DOWN",
                      "NETDEV_UNREGISTER"});
    c.device = any_device();
    c.late = chance(35);
    c.priority = static_cast<int>(below(3)) * 5 - 5;
    const std::uint64_t kind = below(100);
    const bool can_veto = c.event == "NETDEV_REGISTER";
    c.react = can_veto && kind < 50 ? reaction::veto
              : kind < 60           ? reaction::act
              : kind < 66           ? reaction::throw_
                                    : reaction::none;
    if (c.react == reaction::act) c.act = callback_operation(c.device);
    s_.callbacks.push_back(c);
  }
}

void maker::make_faults() {
  if (!chance(12)) return;
  fault_plan f;
  f.kind = one_of({fault_kind::alloc, fault_kind::alloc, fault_kind::init, fault_kind::open, fault_kind::throw_stop,
                   fault_kind::throw_uninit});
  if (f.kind == fault_kind::alloc)
    f.nth = static_cast<std::int64_t>(1 + below(12));
  else
    f.device = any_device();
  s_.faults.push_back(f);
}

scenario maker::make() {
  make_options();
  make_devices();
  if (!options_.live) make_callbacks();
  for (device_ref d = 0; d < static_cast<device_ref>(s_.devices.size()); ++d) furnish(d);
  if (!options_.live) make_faults();
  for (std::uint64_t t = 0, n = 1 + below(3); t < n; ++t) {
    auto& task = s_.tasks.emplace_back();
    for (std::uint64_t i = 0, k = 1 + below(4); i < k; ++i) task.push_back(random_operation());
  }
  // Watching in a task what is on the chain from the start would only be refused.
  for (std::size_t i = 0; i < s_.callbacks.size(); ++i)
    if (s_.callbacks[i].late && chance(80)) {
      operation op{op_kind::watch};
      op.callback = static_cast<int>(i);
      auto& task = s_.tasks[below(s_.tasks.size())];
      task.insert(task.begin() + static_cast<long>(below(task.size() + 1)), op);
    }
  if (!options_.live) make_late_use();
  return s_;
}

// Somebody whom NETDEV_UNREGISTER tells and whose RCU callback uses the device once more: netdev_run_todo waits for it. Not
// where a registration may be refused, whose caller frees the device himself.
void maker::make_late_use() {
  const bool refuses = std::any_of(s_.callbacks.begin(), s_.callbacks.end(), [](const callback_plan& c) {
    return c.react == reaction::veto || c.react == reaction::throw_;
  });
  if (refuses || !s_.faults.empty() || !chance(6)) return;
  callback_plan c;
  c.event = "NETDEV_UNREGISTER";
  c.device = any_device();
  c.react = reaction::act;
  c.act = of_device(op_kind::rcu_use, c.device);
  c.act.number = static_cast<std::int64_t>(1 + below(2));
  s_.callbacks.push_back(c);
}

}  // namespace

rc::Gen<scenario> scenarios(const generator_options& options) {
  return [options](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(maker(random, options).make(),
                                       [](const scenario& s) { return rc::seq::fromContainer(simpler(s)); });
  };
}

scenario generate(std::uint64_t seed, const generator_options& options) { return maker(rc::Random(seed), options).make(); }

}  // namespace quiesce::conformance
