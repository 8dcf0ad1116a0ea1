// SPDX-License-Identifier: MIT
#include "refimpl/net/batch.hpp"

#include <algorithm>

#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

void net_add_event_list(list_head* head, net& n) {
  const variant_policy& p = n.owner.policy;
  if (!p.net_ns) return;
  const bool unqueued = list_empty(&n.event_list);
  const bool adds = unqueued == (p.add_when == add_rule::unqueued);
  n.owner.emit_net(event_kind::net_add_event_list, n, nullptr, adds ? 1 : 0);
  if (adds) debug_list_add_tail(n.owner, &n.event_list, head, "net_add_event_list");
}

void net_del_event_list(net& n) {
  if (!n.owner.policy.net_ns) return;
  list_del_init(&n.event_list);
  n.owner.emit_net(event_kind::net_del_event_list, n);
}

void batch::notify(event_kind event, net& n, net_device* dev) {
  net_device* passed = chosen<variant_policy, net_device*>(stack_.policy, mutation::batch_of_null, dev, nullptr);
  call_netdevice_notifiers_info(stack_, {event, passed, &n});
}

void batch::collect(net_device& dev) {
  net& n = dev_net(dev);
  switch (stack_.policy.collect) {
    case batch_collect::event_list:
      net_add_event_list(&net_head_, n);
      return;
    case batch_collect::per_device:
      devices_.push_back(&dev);
      return;
    case batch_collect::representatives:  // batch_of_representatives
      return;
    case batch_collect::devices_of_batch:  // needs_init: the node doubles as the mark, O(1)
      if (list_empty(&n.event_list)) {
        list_add_tail(&n.event_list, &net_head_);
        devices_.push_back(&dev);
      } else {
        also(stack_.policy, mutation::batch_for_each_device, [&] { devices_.push_back(&dev); });
      }
      return;
  }
}

void batch::deliver(event_kind event) {
  const variant_policy& p = stack_.policy;
  if (p.collect == batch_collect::event_list) {
    // The event first, then the unlinking: a nested batch sees the namespace as queued meanwhile.
    list_for_each_entry_safe<net>(&net_head_, stack_.turns("list_for_each_entry_safe(net, event_list)"), [&](net& n) {
      notify(event, n, n.loopback_dev.load());
      net_del_event_list(n);
    });
    return;
  }
  std::vector<net_device*> devices;
  devices.swap(devices_);
  if (p.collect == batch_collect::devices_of_batch)  // pop, then call: a nested batch of the namespace has its own event
    unless(p, mutation::event_list_not_left, [&] {
      for (net_device* d : devices) list_del_init(&dev_net(*d).event_list);
    });
  for (net_device* d : devices) notify(event, dev_net(*d), chosen(p, mutation::batch_of_wrong_net, d, devices.front()));
}

void batch::add_down(net_device& dev) {
  if (stack_.policy.batch_at == batch_place::none || !stack_.policy.down_batch) return;
  // The reference marks namespaces only when all devices are down: a nested close in between is a batch of its own.
  if (stack_.policy.collect == batch_collect::devices_of_batch) {
    devices_.push_back(&dev);
  } else {
    collect(dev);
  }
}

void batch::deliver_down() {
  if (stack_.policy.batch_at == batch_place::none || !stack_.policy.down_batch) return;
  if (stack_.policy.collect == batch_collect::devices_of_batch) {
    std::vector<net_device*> closed;
    closed.swap(devices_);
    // A handler of NETDEV_DOWN may have unregistered some of them meanwhile: those that are alive stand for their namespace,
    // else its loopback does.
    const auto alive = [](const net_device* d) { return d->refs.of(holder::registration) > 0; };
    std::stable_partition(closed.begin(), closed.end(), alive);
    for (net_device* d : closed)
      if (net_device* passed = alive(d) ? d : dev_net(*d).loopback_dev.load(); passed != nullptr) collect(*passed);
  }
  deliver(event_kind::NETDEV_DOWN_BATCH);
}

void batch::unregister(list_head* head, batch_place place) {
  if (stack_.policy.batch_at != place) return;
  list_for_each_entry<net_device>(head, stack_.turns("list_for_each_entry(dev, unreg_list)"),
                                  [&](net_device& d) { collect(d); });
  deliver(event_kind::NETDEV_UNREGISTER_BATCH);
}

namespace {
void send(event_kind event, net_device& dev) { call_netdevice_notifiers_info(dev.owner, {event, &dev, &dev_net(dev)}); }
bool has_batches(const variant_policy& p) { return p.batch_at != batch_place::none; }
}  // namespace

void batch_of_representatives(stack& s, list_head* head, void (*put)(net_device&)) {
  std::vector<net_device*> first;
  list_for_each_entry<net_device>(head, s.turns("list_for_each_entry(dev, unreg_list)"), [&](net_device& dev) {
    const bool known = std::any_of(first.begin(), first.end(), [&](net_device* d) { return &dev_net(*d) == &dev_net(dev); });
    if (known) return put(dev);
    first.push_back(&dev);
  });
  for (net_device* dev : first) {
    send(event_kind::NETDEV_UNREGISTER_BATCH, *dev);
    put(*dev);
  }
}

void batch_after_single_down(net_device& dev) {
  const variant_policy& p = dev.owner.policy;
  if (has_batches(p) && p.down_batch) send(event_kind::NETDEV_DOWN_BATCH, dev);
}

void batch_after_rebroadcast(net_device& dev) {
  const variant_policy& p = dev.owner.policy;
  if (has_batches(p) && p.rebroadcast_batch) send(event_kind::NETDEV_UNREGISTER_BATCH, dev);
}

void batch_after_move(net_device& dev) {
  if (has_batches(dev.owner.policy)) send(event_kind::NETDEV_UNREGISTER_BATCH, dev);
}

}  // namespace quiesce::refimpl
