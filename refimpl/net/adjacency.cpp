// SPDX-License-Identifier: MIT
// Mirrors netdev_upper_dev_link, netdev_upper_dev_unlink of net/core/dev.c, v4.4 and v6.1. Direct neighbours only.
#include <algorithm>

#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

bool reachable_above(const net_device& from, const net_device& target) {
  return std::any_of(from.adj_upper.begin(), from.adj_upper.end(),
                     [&](const net_device* up) { return up == &target || reachable_above(*up, target); });
}

void notify_change(net_device& dev, net_device& upper, bool linking) {
  netdev_notifier_info info{event_kind::NETDEV_CHANGEUPPER, &dev, &dev_net(dev)};
  info.upper = &upper;
  info.linking = linking;
  call_netdevice_notifiers_info(dev.owner, info);
}

}  // namespace

bool netdev_has_any_upper_dev(const net_device& dev) { return !dev.adj_upper.empty(); }

status netdev_upper_dev_link(net_device& dev, net_device& upper) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev) || !s.known(&upper)) return error::enodev;
    if (status r = check_rtnl(s); !r) return r;
    if (&dev == &upper || reachable_above(upper, dev)) return error::ebusy;
    if (std::find(dev.adj_upper.begin(), dev.adj_upper.end(), &upper) != dev.adj_upper.end()) return error::eexist;
    if (s.alloc_fails("netdev_adjacent")) return error::enomem;
    dev.adj_upper.push_back(&upper);
    upper.adj_lower.push_back(&dev);
    dev_hold(dev, holder::upper);
    notify_change(dev, upper, true);
    return {};
  });
}

status netdev_upper_dev_unlink(net_device& dev, net_device& upper) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev) || !s.known(&upper)) return error::enodev;
    if (status r = check_rtnl(s); !r) return r;
    const auto at = std::find(dev.adj_upper.begin(), dev.adj_upper.end(), &upper);
    if (at == dev.adj_upper.end()) return error::enoent;
    dev.adj_upper.erase(at);
    std::erase(upper.adj_lower, &dev);
    notify_change(dev, upper, false);
    status put;
    unless(s.policy, mutation::upper_not_put, [&] { put = dev_put(dev, holder::upper); });
    return put;
  });
}

}  // namespace quiesce::refimpl
