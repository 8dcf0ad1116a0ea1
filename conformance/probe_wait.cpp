// SPDX-License-Identifier: MIT
// References, the wait for them, and namespaces.
#include <string_view>

#include "conformance/probe_internal.hpp"

namespace quiesce::conformance {

using refimpl::event_kind;

namespace {

constexpr std::int64_t second = 1'000'000'000;
std::int64_t now(const look& l) { return l.s.sched.now().count(); }

void slept(const look& l) {
  l.require(!l.s.rtnl_is_held_by_me(), "rtnl_free_while_sleeping", "the wait sleeps with RTNL held");
  for (refimpl::net_device* dev : l.devices()) {
    const auto known = l.m.devices.find(dev->id);
    if (known == l.m.devices.end() || known->second.waited_by != l.e.task) continue;
    int& passed = known->second.passed_over;
    passed = dev->refs.read() == l.s.policy.base_refcount ? passed + 1 : 0;
    if (passed >= 2) l.fail("no_free_device_passed_over", "the wait sleeps a second time while " + dev->name + " is free");
  }
}

void asked_again(const look& l) {
  device_memory& dev = l.m.devices[l.e.dev];
  const std::int64_t since = std::max(dev.wait_began, dev.last_rebroadcast);
  l.require(since < 0 || now(l) - since > second, "rebroadcast_after_a_second",
            "NETDEV_UNREGISTER is sent again within a second");
  dev.last_rebroadcast = now(l);
  dev.asked_again = true;
}

}  // namespace

namespace {
void below_floor(const look& l) {
  l.require(l.e.value >= l.s.policy.base_refcount, "reference_floor",
            "a reference count is below what it is without holders");
}
}  // namespace

void probe_wait(const look& l) {
  if (l.e.kind == event_kind::netdev_refcnt_poll) below_floor(l);
  switch (l.e.kind) {
    case event_kind::net_set_todo:
      l.m.devices[l.e.dev].waited_by = l.e.task;
      return;
    case event_kind::netdev_wait_allrefs:
      l.m.devices[l.e.dev].wait_began = now(l);
      return;
    case event_kind::msleep:
      return slept(l);
    case event_kind::rebroadcast_begin:
      return asked_again(l);
    case event_kind::unregister_netdevice_warning:
      l.require(now(l) - l.m.devices[l.e.dev].wait_began > 10 * second, "warning_after_ten_seconds",
                "the warning comes within ten seconds");
      return;
    case event_kind::kernel_warning:
      l.require(std::string_view(l.e.tag) != "dev_put: refcount underflow", "reference_floor",
                "a reference is given back that was never taken");
      l.require(std::string_view(l.e.tag) != changed_under_instance_lock, "registered_under_instance_lock",
                changed_under_instance_lock);
      return;
    case event_kind::free_netdev:
      if (refimpl::net_device* dev = l.device())
        l.require(dev->refs.read() == l.s.policy.base_refcount, "freed_without_references",
                  "a device is freed while somebody holds a reference");
      return;
    default:
      return;
  }
}

namespace {

bool loopback(const refimpl::net_device& dev) { return (dev.flags.load() & refimpl::IFF_LOOPBACK) != 0; }

// The others that are in the namespace of the event's device.
template <class F>
void each_sibling(const look& l, F f) {
  for (refimpl::net_device* other : l.devices())
    if (other->id != l.e.dev && refimpl::dev_net(*other).id == l.e.net) f(*other);
}

void told_unregister(const look& l, refimpl::net_device& dev) {
  l.m.devices[dev.id].told_unregister = true;
  if (loopback(dev))
    each_sibling(l, [&](refimpl::net_device& other) {
      const auto state = other.reg_state.load();
      const bool there = state == refimpl::reg_state::registered || state == refimpl::reg_state::unregistering;
      if (there && !l.m.devices[other.id].told_unregister)
        l.fail("loopback_unregistered_last", "loopback is unregistered before " + other.name);
    });
  const bool physical = dev.rtnl_link_ops == nullptr && !dev.netns_local;  // NETNS_LOCAL cannot be moved
  l.require(!physical || !refimpl::dev_net(dev).leaving, "physical_device_kept",
            "the exit of a namespace unregisters a physical device");
}

}  // namespace

void probe_nets(const look& l) {
  if (l.e.kind == event_kind::NETDEV_REGISTER && l.m.replays[l.e.task] == 0) {
    l.m.devices[l.e.dev].told_unregister = false;
  } else if (l.e.kind == event_kind::NETDEV_UNREGISTER && l.m.replays[l.e.task] == 0) {
    refimpl::net_device* dev = l.device();
    if (dev != nullptr && dev->reg_state.load() == refimpl::reg_state::unregistering) told_unregister(l, *dev);
  } else if (l.e.kind == event_kind::free_netdev) {
    refimpl::net_device* dev = l.device();
    if (dev == nullptr || !loopback(*dev) || dev->reg_state.load() == refimpl::reg_state::uninitialized) return;
    each_sibling(l, [&](refimpl::net_device& other) {
      l.fail("loopback_outlives_its_namespace_devices", "loopback is freed before " + other.name);
    });
  } else if (l.e.kind == event_kind::net_free) {
    each_sibling(l, [&](refimpl::net_device& other) {
      l.fail("net_outlives_its_devices", "a namespace is freed before " + other.name);
    });
  }
}

}  // namespace quiesce::conformance
