// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/testbed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "refimpl/device/rtnetlink/dump.hpp"

namespace quiesce::rtnetlink {

std::string too_large(std::size_t devices, std::size_t routes, bool yes) {
  if (yes || (devices <= devices_without_asking && routes <= routes_without_asking)) return "";
  return fmt::format(
      "{} devices and {} routes keep RTNL, which belongs to the whole machine, for long; --yes goes ahead (without it at "
      "most {} devices and {} routes)",
      devices, routes, devices_without_asking, routes_without_asking);
}

namespace {
// Once for the process: it takes grace periods.
answer kinds_here(std::vector<kind_support>& out) {
  static std::vector<kind_support> found;
  static const answer done = detect_kinds(found);
  out = found;
  return done;
}
}  // namespace

answer testbed::start() {
  if (answer a = kinds_here(kinds_); !a) return a;
  if (answer a = events_.start(); !a) return a;
  if (!options_.exit_witness) return {};
  if (answer a = private_net::make(outside_, "outside"); !a) return a;
  if (answer a = outside_events_.start(); !a) return a;
  return outside_events_.follow(outside_);
}

answer testbed::settle_net(private_net& n) {
  for (const char* name : {"accept_dad", "dad_transmits", "router_solicitations"})
    for (const char* scope : {"default", "lo"})
      if (answer a = n.set(fmt::format("ipv6/conf/{}/{}", scope, name), "0"); !a && a.code != ENOENT) return a;
  // For devices that are moved here: their inet6_dev is made anew. 1: IN6_ADDR_GEN_MODE_NONE.
  const answer mode = n.set("ipv6/conf/default/addr_gen_mode", "1");
  return mode.code == ENOENT ? answer{} : mode;
}

answer testbed::add_net(int number) {
  auto made = std::make_unique<private_net>();
  if (answer a = private_net::make(*made, fmt::format("n{}", number)); !a) return a;
  if (options_.quiet)
    if (answer a = settle_net(*made); !a) return a;
  if (answer a = events_.follow(*made); !a) return a;
  nets_[number] = std::move(made);
  return options_.exit_witness ? add_witness(number) : answer{};
}

// The end outside is named by the namespace's number.
answer testbed::add_witness(int number) {
  new_link l;
  l.kind = "veth";
  l.name = witness_name();
  l.mac = mac_of(++last_mac_);
  l.peer_name = fmt::format("w{}", number);
  l.peer_mac = mac_of(++last_mac_);
  l.peer_net = &outside_;
  return create_link(net(number), l, in(usual_limit));
}

std::vector<int> testbed::nets() const {
  std::vector<int> out;
  for (const auto& [number, n] : nets_) out.push_back(number);
  return out;
}

int testbed::number_of(const private_net* n) const {
  for (const auto& [number, mine] : nets_)
    if (mine.get() == n) return number;
  return -1;
}

std::string testbed::missing(const std::string& kind) const {
  if (kind == "dummy" && supports(kinds_, "ifb")) return "";
  for (const kind_support& k : kinds_)
    if (k.kind == kind) return k.reason;
  return "not a kind of device that user space can make";
}

answer testbed::finish(int number, const std::string& name, real_device& out) {
  out = {number, 0, name};
  if (answer a = index_of(net(number), name, out.ifindex, in(usual_limit)); !a) return a;
  if (out.ifindex == 0) return {ENODEV, name + " is not there after it was made"};
  return options_.quiet ? set_no_addresses_of_its_own(net(number), out.ifindex, in(usual_limit)) : answer{};
}

answer testbed::create(int number, const std::string& kind, const std::string& name, int lower, std::uint32_t group,
                       real_device& out) {
  const bool tun = kind == "tun" || kind == "tap";
  if (tun) {
    if (answer a = create_tun(net(number), name, kind == "tap"); !a) return a;
  } else {
    new_link l;
    l.kind = kind == "dummy" && !supports(kinds_, kind) ? "ifb" : kind;
    l.name = name;
    l.lower = lower;
    l.vlan_id = static_cast<unsigned>(2 + last_mac_ % 4000);
    l.group = group;
    l.mac = mac_of(++last_mac_);
    if (answer a = create_link(net(number), l, in(usual_limit)); !a) return a;
  }
  return finish(number, name, out);
}

answer testbed::create_pair(int number, const std::string& name, int peer_net, const std::string& peer_name,
                            real_device& out, real_device& peer) {
  new_link l;
  l.kind = "veth";
  l.name = name;
  l.mac = mac_of(++last_mac_);
  l.peer_name = peer_name;
  l.peer_mac = mac_of(++last_mac_);
  l.peer_net = &net(peer_net);
  if (answer a = create_link(net(number), l, in(usual_limit)); !a) return a;
  if (answer a = finish(number, name, out); !a) return a;
  return finish(peer_net, peer_name, peer);
}

answer testbed::await_dellink(const std::string& name, deadline until) {
  std::vector<link_event> heard;
  for (;;) {
    if (answer a = outside_events_.take(heard); !a) return a;
    if (std::any_of(heard.begin(), heard.end(), [&](const link_event& e) { return e.deleted && e.name == name; })) return {};
    if (answer a = outside_events_.wait(until); !a) return a;
  }
}

answer testbed::exit_net(int number, deadline until) {
  events_.forget(net(number));
  nets_.erase(number);
  if (!options_.exit_witness) return {};
  if (answer a = await_dellink(fmt::format("w{}", number), until); !a) return a;
  return set_link_mtu(outside_, 1, 65536, until);
}

}  // namespace quiesce::rtnetlink
