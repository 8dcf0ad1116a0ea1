// SPDX-License-Identifier: MIT
#include "conformance/live_kernel.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "conformance/scenario_internal.hpp"
#include "refimpl/device/rtnetlink/table_requests.hpp"

namespace quiesce::conformance {

using rtnetlink::answer;
using rtnetlink::failed;
using rtnetlink::in;
using rtnetlink::ip_key;
using rtnetlink::usual_limit;

namespace {
constexpr std::uint32_t batch_group = 4711;  // no scenario has it: its groups are smaller than 1000
rtnetlink::deadline soon() { return in(usual_limit); }
int family_of(const ip_prefix& p) { return p.v6 ? AF_INET6 : AF_INET; }
ip_key key_of(const ip_prefix& p) { return {p.hi, p.lo}; }
answer absent(const char* what) { return failed(ENODEV, what); }
}  // namespace

kernel_world::kernel_world(const scenario& s, bool quiet) : scenario_(s), bed_({quiet, true}) {}

answer kernel_world::start() {
  if (answer a = bed_.start(); !a) return a;
  if (answer a = bed_.add_net(0); !a) return a;
  for (std::size_t i = 0; i < scenario_.nets.size(); ++i)
    if (!scenario_.nets[i].late)
      if (answer a = bed_.add_net(static_cast<int>(i) + 1); !a) return a;
  return rescan();
}

answer kernel_world::rescan() {
  devices_.clear();
  for (const int n : bed_.nets()) {
    std::vector<rtnetlink::link_entry> links;
    if (answer a = dump_links(bed_.net(n).rtnl(), links, soon()); !a) return a;
    for (const auto& l : links) devices_[l.name == "lo" ? device_name(loopback_of(n)) : l.name] = {n, l.ifindex, l.name};
  }
  return {};
}

std::optional<kernel_world::place> kernel_world::find(device_ref d) {
  const auto at = devices_.find(device_name(d));
  return at != devices_.end() ? std::optional(at->second) : std::nullopt;
}

std::vector<kernel_world::place> kernel_world::find_all(const operation& op) {
  std::vector<place> out;
  for (const device_ref d : op.devices)
    if (const auto at = find(d)) out.push_back(*at);
  return out;
}

answer kernel_world::register_device(device_ref d) {
  const device_plan& plan = scenario_.devices[static_cast<std::size_t>(d)];
  if (find(d)) return failed(EEXIST, device_name(d));
  int lower = 0;
  net_ref n = plan.net;
  if (plan.kind == device_kind::macvlan || plan.kind == device_kind::vlan) {
    const auto below = find(plan.lower);
    if (!below) return absent("the device below");
    lower = below->ifindex;
    n = below->net;
  }
  if (!bed_.has_net(n) || !bed_.has_net(plan.net)) return absent("namespace");
  rtnetlink::real_device made;
  if (answer a =
          bed_.create(n, word(device_words, plan.kind), device_name(d), lower, static_cast<std::uint32_t>(plan.group), made);
      !a)
    return a;
  return n == plan.net ? answer{} : set_link_net(bed_.net(n), made.ifindex, bed_.net(plan.net), soon());
}

answer kernel_world::remove_group(net_ref n, const std::vector<place>& devices) {
  for (const place& d : devices)
    if (answer a = set_link_group(bed_.net(n), d.ifindex, batch_group, soon()); !a) return a;
  return delete_group(bed_.net(n), batch_group, soon());
}

answer kernel_world::remove(const std::vector<place>& devices) {
  if (devices.empty()) return absent("device");
  std::map<net_ref, std::vector<place>> by_net;
  answer first;
  for (const place& d : devices)
    if (d.name == "lo")
      first = delete_link(bed_.net(d.net), d.ifindex, soon());  // the kernel's own refusal
    else
      by_net[d.net].push_back(d);
  for (auto& [n, those] : by_net) {
    // What went with a device of the namespace before is gone.
    if (answer a = rescan(); !a) return a;
    std::erase_if(those, [this](const place& d) { return !devices_.contains(d.name); });
    if (those.empty()) continue;
    answer a = those.size() == 1 ? delete_link(bed_.net(n), those[0].ifindex, soon()) : remove_group(n, those);
    if (!a) first = a;
  }
  return first;
}

answer kernel_world::route(const operation& op, net_ref n, bool add) {
  rtnetlink::route_request r{family_of(op.ip), key_of(op.ip), static_cast<std::uint8_t>(op.ip.length), 0, {}};
  if (op.ip.v6) r.metric = 1024;
  for (const place& d : find_all(op)) {
    if (op.ip.v6 && !r.hops.empty()) break;   // the stack's IPv6 routes have one next hop
    if (d.net != n) return absent("device");  // an index means another device in another namespace
    r.hops.push_back({d.ifindex, {}, 0, 1});
  }
  return change_route(bed_.net(n), r, add, soon());
}

answer kernel_world::on_device(const operation& op, const place& at) {
  rtnetlink::private_net& n = bed_.net(at.net);
  const auto length = static_cast<std::uint8_t>(op.ip.length);
  switch (op.kind) {
    case op_kind::open:
      return set_link_up(n, at.ifindex, true, soon());
    case op_kind::move:
      if (!bed_.has_net(op.nets.front())) return absent("namespace");
      return set_link_net(n, at.ifindex, bed_.net(op.nets.front()), soon());
    case op_kind::address:
    case op_kind::del_address:
      return change_address(n, at.ifindex, family_of(op.ip), key_of(op.ip), length, op.kind == op_kind::address, soon());
    case op_kind::neighbour:
    case op_kind::del_neighbour:
      return change_neighbour(n, at.ifindex, family_of(op.ip), key_of(op.ip), false, op.kind == op_kind::neighbour, soon());
    case op_kind::proxy:
    case op_kind::del_proxy:
      return change_neighbour(n, at.ifindex, family_of(op.ip), key_of(op.ip), true, op.kind == op_kind::proxy, soon());
    default:
      return route(op, at.net, true);
  }
}

answer kernel_world::on_net(const operation& op) {
  const net_ref n = op.nets.front();
  if (op.kind == op_kind::setup_net) return bed_.has_net(n) ? failed(EEXIST, net_name(n)) : bed_.add_net(n);
  if (!bed_.has_net(n)) return absent("namespace");
  switch (op.kind) {
    case op_kind::group_dellink:
      return delete_group(bed_.net(n), static_cast<std::uint32_t>(op.number), soon());
    case op_kind::del_route:
      return route(op, n, false);
    default:
      return change_neighbour(bed_.net(n), 0, family_of(op.ip), key_of(op.ip), true, op.kind == op_kind::proxy_net, soon());
  }
}

answer kernel_world::exit_nets(const operation& op) {
  answer first = absent("namespace");
  for (const net_ref n : op.nets) {
    if (n == 0 || !bed_.has_net(n)) continue;
    first = bed_.exit_net(n, soon());
    if (!first) return first;
  }
  return first;
}

answer kernel_world::execute(const operation& op) {
  answer out;
  if (op.kind == op_kind::exit_net) {
    out = exit_nets(op);
  } else if (op.kind == op_kind::register_) {
    out = is_loopback(op.devices.front()) ? failed(EOPNOTSUPP, "loopback") : register_device(op.devices.front());
  } else if (op.kind == op_kind::dellink || op.kind == op_kind::unregister) {
    out = remove(find_all(op));
  } else if (op.kind == op_kind::close) {
    const std::vector<place> all = find_all(op);
    if (all.empty()) out = absent("device");
    for (const place& d : all)
      if (answer a = set_link_up(bed_.net(d.net), d.ifindex, false, soon()); !a) out = a;
  } else if (!op.devices.empty()) {
    const std::vector<place> all = find_all(op);
    out = all.empty() ? absent("device") : on_device(op, all.front());
  } else {
    out = on_net(op);
  }
  if (answer a = rescan(); !a) return a;
  return out;
}

answer kernel_world::dump(kernel_tables& out) {
  out.nets.clear();
  for (const int n : bed_.nets()) {
    kernel_tables::of_net& t = out.nets[n];
    rtnetlink::netlink_socket& s = bed_.net(n).rtnl();
    if (answer a = dump_links(s, t.links, soon()); !a) return a;
    if (answer a = dump_addresses(s, t.addresses, soon()); !a) return a;
    if (answer a = dump_routes(s, t.routes, soon()); !a) return a;
    if (answer a = dump_neighbours(s, t.neighbours, soon()); !a) return a;
  }
  return {};
}

answer kernel_world::add_address(net_ref n, const std::string& device, int family, const ip_key& local, int length) {
  for (const auto& [name, at] : devices_)
    if (at.net == n && at.name == device)
      return change_address(bed_.net(n), at.ifindex, family, local, static_cast<std::uint8_t>(length), true, soon());
  return absent(device.c_str());
}

}  // namespace quiesce::conformance
