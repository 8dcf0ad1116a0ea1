// SPDX-License-Identifier: MIT
#include "refimpl/net/holders.hpp"

#include "refimpl/net/builtin.hpp"
#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {

status add_holder(net_device& dev, std::unique_ptr<delayed_holder> h) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (status r = check_registered(s, dev); !r) return r;
    if (s.alloc_fails("dev_hold_chain")) return error::enomem;
    h->dev = &dev;
    dev_hold(dev, holder::chained);
    dev.holders.push_back(std::move(h));
    return {};
  });
}

void release(delayed_holder* h) {
  net_device& dev = *h->dev;
  delete h;
  also(dev.owner.policy, mutation::chain_put_twice, [&] { static_cast<void>(dev_put(dev, holder::chained)); });
  static_cast<void>(dev_put(dev, holder::chained));
}

void chain_step(rcu_head* head) {
  auto* h = static_cast<delayed_holder*>(head->object);
  stack& s = h->dev->owner;
  s.emit(event_kind::rcu_callback, h->dev, h->grace_periods, "dev_hold_chain");
  if (--h->grace_periods == 0) {
    release(h);
  } else {
    s.call_rcu(h->head, chain_step, "dev_hold_chain");
  }
}

void start_release(stack& s, std::unique_ptr<delayed_holder> owned) {
  delayed_holder* h = owned.release();
  if (h->delay_ms != 0) {
    h->timer = std::make_unique<timer_list>("delayed holder", [h] { release(h); });
    s.timers.mod_timer(*h->timer, s.timers.jiffies() + s.timers.msecs_to_jiffies(h->delay_ms));
  } else if (h->grace_periods == 0) {
    release(h);
  } else {
    h->head.object = h;
    s.call_rcu(h->head, chain_step, "dev_hold_chain");
  }
}

}  // namespace

status dev_hold_chain(net_device& dev, unsigned depth) {
  auto h = std::make_unique<delayed_holder>();
  h->grace_periods = depth;
  return add_holder(dev, std::move(h));
}

status dev_hold_delayed(net_device& dev, std::uint64_t delay_ms) {
  if (delay_ms == 0) return error::einval;
  auto h = std::make_unique<delayed_holder>();
  h->delay_ms = delay_ms;
  return add_holder(dev, std::move(h));
}

int holder_netdev_event(const netdev_notifier_info& info) {
  if (info.event != event_kind::NETDEV_UNREGISTER) return NOTIFY_DONE;
  net_device& dev = netdev_notifier_info_to_dev(info, "holder_netdev_event");
  std::vector<std::unique_ptr<delayed_holder>> mine;
  mine.swap(dev.holders);
  for (auto& h : mine) start_release(dev.owner, std::move(h));
  return NOTIFY_DONE;
}

}  // namespace quiesce::refimpl
