// SPDX-License-Identifier: MIT
#include "refimpl/device/rtnetlink/bound_driver.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>

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

}  // namespace quiesce::rtnetlink
