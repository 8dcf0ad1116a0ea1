// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/bound_driver.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "refimpl/device/rtnetlink/table_requests.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::rtnetlink {

using refimpl::event_kind;
using refimpl::net_device;

bound_device& bound_driver::add_device(const std::string& kind, bound_device* lower, std::uint32_t group) {
  return devices_.emplace_back(*this, kind, lower, group);
}

// The kernel's errno as a driver returns it.
int bound_driver::done(const answer& a) {
  if (a) return 0;
  complaints_.push_back(a.text);
  return -a.code;
}

bound_device* bound_driver::device_of(const link_event& e) {
  const int number = bed_.number_of(e.net);
  for (bound_device& d : devices_)
    if (d.dev_ != nullptr && d.real_.net == number && d.real_.ifindex == e.ifindex) return &d;
  return nullptr;
}

void bound_driver::heard(const link_event& e, bound_device* uninitialising) {
  if (e.name == "lo") return;
  bound_device* d = device_of(e);
  if (d == nullptr) {
    complaints_.push_back(fmt::format("the kernel announced {}, which is none of the scenario's devices", e.name));
    return;
  }
  net_device& dev = *d->dev_;
  dev.owner.emit_net(e.deleted ? event_kind::RTM_DELLINK : event_kind::RTM_NEWLINK, refimpl::dev_net(dev), &dev, e.ifindex,
                     kernel_tag);
  if (!e.deleted) return;
  d->gone_ = true;
  const bool leaving = dev.reg_state.load() == refimpl::reg_state::unregistering;
  if (d == uninitialising || (uninitialising != nullptr && d->lower_ == uninitialising && leaving))
    ++deletions_;
  else
    complaints_.push_back(fmt::format("RTM_DELLINK of {} came outside the ndo_uninit of its device", e.name));
}

void bound_driver::hear(bound_device* uninitialising) {
  std::vector<link_event> events;
  done(bed_.events().take(events));
  for (const link_event& e : events) heard(e, uninitialising);
}

// The device is announced before its index is known here: it is bound first.
int bound_device::ndo_init(net_device& dev) {
  owner_.hear(nullptr);
  const int number = refimpl::dev_net(dev).id;
  const int lower = lower_ != nullptr ? lower_->real_.ifindex : 0;
  const answer made = owner_.bed_.create(number, kind_, dev.name, lower, group_, real_);
  if (!made) return owner_.done(made);
  dev_ = &dev;
  gone_ = false;
  addresses_.clear();
  owner_.hear(nullptr);
  return 0;
}

int bound_device::ndo_open(net_device&) {
  const answer a = set_link_up(owner_.bed_.net(real_.net), real_.ifindex, true, in(usual_limit));
  owner_.hear(nullptr);
  return owner_.done(a);
}

void bound_device::ndo_stop(net_device&) {
  owner_.done(set_link_up(owner_.bed_.net(real_.net), real_.ifindex, false, in(usual_limit)));
  owner_.hear(nullptr);
}

// What had been announced before the request is heard before it: an RTM_DELLINK heard after it was caused by it.
void bound_device::ndo_uninit(net_device& dev) {
  owner_.hear(nullptr);
  if (gone_) {  // with the device below it
    dev_ = nullptr;
    return;
  }
  const answer deleted = delete_link(owner_.bed_.net(real_.net), real_.ifindex, in(usual_limit));
  owner_.hear(this);
  owner_.done(deleted);
  if (deleted && !gone_)
    owner_.complaints_.push_back(
        fmt::format("the kernel acknowledged the deletion of {} and sent no RTM_DELLINK", dev.name));
  if (deleted) owner_.nothing_left(*this);
  dev_ = nullptr;
}

// A primary address takes its secondaries with it in the kernel; the stack removes each by itself.
bool bound_driver::change_real_address(bound_device& d, const bound_device::real_address& a, bool added) {
  std::vector<bound_device::real_address>& all = d.addresses_;
  if (added) {
    all.push_back(a);
    return true;
  }
  const auto at = std::find(all.begin(), all.end(), a);
  if (at == all.end()) return false;
  if (std::none_of(all.begin(), at, [&](const auto& o) { return o.beside(a); }))
    std::erase_if(all, [&](const auto& o) { return o.beside(a); });
  else
    all.erase(at);
  return true;
}

void bound_driver::address(net_device& dev, std::uint32_t local, std::uint8_t prefixlen, bool added) {
  for (bound_device& d : devices_)
    if (d.dev_ == &dev && !d.gone_ && change_real_address(d, {local, prefixlen}, added))
      done(change_address(bed_.net(d.real_.net), d.real_.ifindex, AF_INET, refimpl::ipv4_key(local), prefixlen, added,
                          in(usual_limit)));
}

void bound_driver::followed(const answer& a, bool added) {
  const bool there_already = added && a.code == EEXIST;
  const bool gone_already = !added && (a.code == ENOENT || a.code == ESRCH || a.code == EADDRNOTAVAIL);
  if (!there_already && !gone_already) done(a);
}

void bound_driver::route(const bound_device& on, int family, const ip_key& dst, std::uint8_t length, bool added) {
  const real_device* at = on.real();
  if (at == nullptr) return;
  route_request r{family, dst, length, family == AF_INET6 ? 1024u : 0u, {{at->ifindex, {}, 0, 1}}};
  followed(change_route(bed_.net(at->net), r, added, in(usual_limit)), added);
}

void bound_driver::remove_route(int net, int family, const ip_key& dst, std::uint8_t length) {
  if (!bed_.has_net(net)) return;
  const route_request r{family, dst, length, family == AF_INET6 ? 1024u : 0u, {}};
  followed(change_route(bed_.net(net), r, false, in(usual_limit)), false);
}

void bound_driver::neighbour(const bound_device& on, int family, const ip_key& dst, bool proxy, bool added) {
  if (const real_device* at = on.real(); at != nullptr)
    followed(change_neighbour(bed_.net(at->net), at->ifindex, family, dst, proxy, added, in(usual_limit)), added);
}

void bound_driver::address6(const bound_device& on, const ip_key& local, std::uint8_t length, bool added) {
  if (const real_device* at = on.real(); at != nullptr)
    followed(change_address(bed_.net(at->net), at->ifindex, AF_INET6, local, length, added, in(usual_limit)), added);
}

// Once the kernel has confirmed the deletion nothing of its tables mentions the device.
void bound_driver::nothing_left(const bound_device& d) {
  netlink_socket& s = bed_.net(d.real_.net).rtnl();
  const auto left = [&](const char* what, int family, const ip_key& key) {
    complaints_.push_back(
        fmt::format("the kernel deleted {} and keeps its {} {}", d.real_.name, what, text_of(family, key)));
  };
  std::vector<address_entry> addresses;
  std::vector<route_entry> routes;
  std::vector<neighbour_entry> neighbours;
  done(dump_addresses(s, addresses, in(usual_limit)));
  done(dump_routes(s, routes, in(usual_limit)));
  done(dump_neighbours(s, neighbours, in(usual_limit)));
  for (const address_entry& a : addresses)
    if (a.ifindex == d.real_.ifindex) left("address", a.family, a.local);
  for (const route_entry& r : routes)
    for (const next_hop_entry& h : r.hops)
      if (h.oif == d.real_.ifindex) left("route", r.family, r.dst);
  for (const neighbour_entry& n : neighbours)
    if (n.ifindex == d.real_.ifindex) left(n.proxy ? "proxy entry" : "neighbour", n.family, n.dst);
}

}  // namespace quiesce::rtnetlink
