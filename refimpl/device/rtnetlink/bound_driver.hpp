// SPDX-License-Identifier: MIT
#pragma once
// Reference devices bound to real ones: the stack's ndo_init creates the real device, ndo_open and ndo_stop set its link,
// ndo_uninit deletes it and returns when the kernel has acknowledged; addresses follow. What the kernel announces meanwhile
// is emitted into the stack's stream of events at the moment it was heard, tagged "kernel", so that one order holds both.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "refimpl/device/driver.hpp"
#include "refimpl/device/rtnetlink/dump.hpp"
#include "refimpl/device/rtnetlink/testbed.hpp"
#include "refimpl/net/net_namespace.hpp"

namespace quiesce::rtnetlink {

// The tag of events that the running kernel reported.
inline constexpr const char* kernel_tag = "kernel";

class bound_driver;

class bound_device : public refimpl::net_device_ops {
 public:
  // `lower` is the device below, or NULL.
  bound_device(bound_driver& owner, std::string kind, bound_device* lower, std::uint32_t group)
      : owner_(owner), kind_(std::move(kind)), lower_(lower), group_(group) {}
  int ndo_init(refimpl::net_device& dev) override;
  void ndo_uninit(refimpl::net_device& dev) override;
  int ndo_open(refimpl::net_device& dev) override;
  void ndo_stop(refimpl::net_device& dev) override;
  // The real one; NULL while there is none.
  const real_device* real() const { return dev_ != nullptr && !gone_ ? &real_ : nullptr; }

 private:
  friend class bound_driver;
  bound_driver& owner_;
  std::string kind_;
  bound_device* lower_;
  std::uint32_t group_;
  refimpl::net_device* dev_ = nullptr;  // while the real one exists
  real_device real_;
  bool gone_ = false;  // RTM_DELLINK was heard
  struct real_address {
    std::uint32_t local;
    std::uint8_t length;
    bool beside(const real_address& o) const {
      return length == o.length && (length == 0 || ((local ^ o.local) >> (32 - length)) == 0);
    }
    bool operator==(const real_address&) const = default;
  };
  std::vector<real_address> addresses_;  // of the real one, in order: the first of a subnet is the primary
};

// All of one run. Everything is called under the stack's RTNL, in one flow of control.
class bound_driver {
 public:
  answer start() { return bed_.start(); }
  // The stack's namespace `n` gets a real one.
  answer add_net(const refimpl::net& n) { return bed_.add_net(n.id); }
  bound_device& add_device(const std::string& kind, bound_device* lower, std::uint32_t group);
  std::string missing(const std::string& kind) const { return bed_.missing(kind); }
  // An address of a bound device was added or removed.
  void address(refimpl::net_device& dev, std::uint32_t local, std::uint8_t prefixlen, bool added);

  // An entry of the stack's tables that came or went: the same is asked of the kernel. What is there already, or gone, is
  // no complaint: variants differ in what a device takes with it.
  void route(const bound_device& on, int family, const ip_key& dst, std::uint8_t length, bool added);
  void remove_route(int net, int family, const ip_key& dst, std::uint8_t length);
  void neighbour(const bound_device& on, int family, const ip_key& dst, bool proxy, bool added);
  void address6(const bound_device& on, const ip_key& local, std::uint8_t length, bool added);

  // What went differently from what the stack believes, in order: a request that the kernel refused, an RTM_DELLINK outside
  // the ndo_uninit of its device or missing in it, a message of a device that nobody made, lost messages, an address, route
  // or neighbour that is left of a device when its ndo_uninit returns. Empty: nothing. A
  // device whose lower device is deleted goes with it: its RTM_DELLINK may then be in the ndo_uninit of that one, if the
  // stack is unregistering both.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // RTM_DELLINK that fell inside the ndo_uninit of their device.
  std::size_t deletions() const { return deletions_; }

 private:
  friend class bound_device;
  int done(const answer& a);
  void followed(const answer& a, bool added);
  void nothing_left(const bound_device& d);
  bool change_real_address(bound_device& d, const bound_device::real_address& a, bool added);
  void hear(bound_device* uninitialising);
  void heard(const link_event& e, bound_device* uninitialising);
  bound_device* device_of(const link_event& e);

  testbed bed_;
  std::deque<bound_device> devices_;
  std::vector<std::string> complaints_;
  std::size_t deletions_ = 0;
};

// The stack's observer of addresses that hands them to the driver.
class bound_addresses : public refimpl::stack_driver {
 public:
  explicit bound_addresses(bound_driver& to) : to_(to) {}
  void address(refimpl::net_device& dev, std::uint32_t local, std::uint8_t prefixlen, bool added) override {
    to_.address(dev, local, prefixlen, added);
  }

 private:
  bound_driver& to_;
};

}  // namespace quiesce::rtnetlink
