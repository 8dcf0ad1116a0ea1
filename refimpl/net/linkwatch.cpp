// SPDX-License-Identifier: MIT
#include "refimpl/net/linkwatch.hpp"

#include "refimpl/net/lists.hpp"

namespace quiesce::refimpl {

namespace {
void linkwatch_do_dev(net_device& dev) {
  dev.linkwatch_pending.store(false);
  dev.owner.emit(event_kind::linkwatch_do_dev, &dev);
  if (dev_up(dev)) {
    call_netdevice_notifiers(event_kind::NETDEV_CHANGE, dev);
    rtmsg_ifinfo(event_kind::RTM_NEWLINK, dev, dev_net(dev), dev.ifindex);
  }
  unless(dev.owner.policy, mutation::linkwatch_not_put, [&] { static_cast<void>(dev_put(dev, holder::linkwatch)); });
}
}  // namespace

status linkwatch_fire_event(net_device& dev, bool running) {
  stack& s = dev.owner;
  return s.enter([&]() -> status {
    if (!s.known(&dev)) return error::enodev;
    if (dev.reg_state.load() != reg_state::registered) return error::einval;
    if (running) {
      dev.flags.fetch_or(IFF_RUNNING);
    } else {
      dev.flags.fetch_and(~IFF_RUNNING);
    }
    lock_guard held(s.sched, s.linkwatch->lweventlist_lock);
    if (dev.linkwatch_pending.exchange(true)) return {};
    list_add_tail(&dev.link_watch_list, &s.linkwatch->lweventlist);
    dev_hold(dev, holder::linkwatch);
    s.emit(event_kind::linkwatch_add_event, &dev);
    return {};
  });
}

void linkwatch_run_queue(stack& s) {
  linkwatch_state& lw = *s.linkwatch;
  stack_list_head work(&s.dangling_head);  // what is queued meanwhile waits for the next run
  {
    lock_guard held(s.sched, lw.lweventlist_lock);
    list_splice_tail_init(&lw.lweventlist, &work);
  }
  while (true) {
    net_device* dev = nullptr;
    {
      lock_guard held(s.sched, lw.lweventlist_lock);
      if (list_empty(&work)) return;
      dev = list_entry<net_device>(work.next);
      list_del_init(&dev->link_watch_list);
    }
    linkwatch_do_dev(*dev);
  }
}

status linkwatch_event(stack& s) {
  return s.enter([&]() -> status {
    rtnl_guard held(s);
    if (!held) return held.code();
    linkwatch_run_queue(s);
    return held.release();
  });
}

void linkwatch_forget_dev(net_device& dev) {
  stack& s = dev.owner;
  {
    lock_guard held(s.sched, s.linkwatch->lweventlist_lock);
    if (list_empty(&dev.link_watch_list)) return;
    list_del_init(&dev.link_watch_list);
  }
  linkwatch_do_dev(dev);
}

}  // namespace quiesce::refimpl
