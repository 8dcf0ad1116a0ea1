// SPDX-License-Identifier: MIT
// References, allocation and the look-up tables of a namespace.
#include "refimpl/net/netdevice.hpp"

#include "refimpl/net/holders.hpp"
#include "refimpl/net/lists.hpp"
#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

const char* name(reg_state s) {
  static constexpr const char* names[] = {"NETREG_UNINITIALIZED", "NETREG_REGISTERED", "NETREG_UNREGISTERING",
                                          "NETREG_UNREGISTERED", "NETREG_RELEASED"};
  return names[static_cast<int>(s)];
}

net_device::net_device(stack& s, std::int32_t number) : owner(s), id(number) {
  for (list_head* node :
       {static_cast<list_head*>(&unreg_list), static_cast<list_head*>(&close_list), static_cast<list_head*>(&todo_list),
        static_cast<list_head*>(&link_watch_list), static_cast<list_head*>(&ifdown_list), static_cast<list_head*>(&dev_list),
        &fib_nh_head, &neighbours[0], &neighbours[1], &fib6_nh_head, &uncached_dst})
    INIT_LIST_HEAD(node);
}
net_device::~net_device() = default;

void dev_hold(net_device& dev, holder h) {
  dev.refs.hold(h);
  if (h != holder::registration) dev.owner.emit(event_kind::dev_hold, &dev, 0, name(h));
}

status dev_put(net_device& dev, holder h) {
  stack& s = dev.owner;
  const bool registration = h == holder::registration;
  s.emit(registration ? event_kind::dev_put_registration : event_kind::dev_put, &dev, 0,
         name(h));  // before: the device may be freed right after the put
  if (dev.refs.put(h)) return {};
  s.warn("dev_put: refcount underflow", &dev);
  return error::einval;
}

std::int64_t netdev_refcnt_read(const net_device& dev) { return dev.refs.read(); }

namespace {

bool dev_valid_name(const std::string& name) {
  if (name.empty() || name.size() >= 16 || name == "." || name == "..") return false;
  for (char c : name)
    if (c == '/' || c == ':' || c == ' ') return false;
  return true;
}

std::size_t name_hash(const std::string& name) { return std::hash<std::string>{}(name) % NETDEV_HASHENTRIES; }
std::size_t index_hash(int ifindex) { return static_cast<std::size_t>(ifindex) % NETDEV_HASHENTRIES; }

using chain = std::atomic<net_device*>;
void push(chain& head, chain net_device::*next, net_device& dev) {
  (dev.*next).store(head.load(std::memory_order_relaxed), std::memory_order_release);
  head.store(&dev, std::memory_order_release);
}
// Readers on the removed device still follow its old link (hlist_del_rcu).
void unlink(chain& head, chain net_device::*next, net_device& dev) {
  chain* at = &head;
  while (net_device* here = at->load(std::memory_order_relaxed)) {
    if (here == &dev) {
      at->store((dev.*next).load(std::memory_order_relaxed), std::memory_order_release);
      return;
    }
    at = &(here->*next);
  }
}
template <class Match>
net_device* find(chain& head, chain net_device::*next, Match match) {
  for (net_device* d = head.load(std::memory_order_acquire); d != nullptr; d = (d->*next).load(std::memory_order_acquire))
    if (match(*d)) return d;
  return nullptr;
}

}  // namespace

result<net_device*> alloc_netdev(net& n, const netdev_params& params) {
  stack& s = n.owner;
  return s.enter([&]() -> result<net_device*> {
    if (!s.known(&n)) return error::enodev;
    if (!dev_valid_name(params.name)) return error::einval;
    if (s.alloc_fails("alloc_netdev_mqs")) return error::enomem;
    auto* dev = new net_device(s, s.next_device_id());
    dev->name = params.name;
    dev->nd_net.store(&n, std::memory_order_release);
    dev->netdev_ops = params.ops;
    dev->rtnl_link_ops = params.link_ops;
    dev->netns_local = params.netns_local;
    dev->need_ops_lock = params.need_ops_lock;
    dev->group = params.group;
    for (int i = 0; i < s.policy.base_refcount; ++i) dev->refs.hold(holder::base);
    s.adopt(dev);
    s.counters.devices_allocated.fetch_add(1, std::memory_order_relaxed);
    return dev;
  });
}

status free_netdev(net_device* dev) {
  if (dev == nullptr) return error::einval;
  stack& s = dev->owner;
  return s.enter([&]() -> status {
    if (!s.known(dev)) return error::enodev;
    const auto state = dev->reg_state.load();
    const bool never_listed =
        state == reg_state::uninitialized || (state == reg_state::unregistered && !dev->needs_free_netdev);
    if (!never_listed || dev->in_driver) return error::ebusy;
    if (dev->refs.read() > s.policy.base_refcount) return error::ebusy;
    s.emit(event_kind::free_netdev, dev);
    s.counters.devices_freed.fetch_add(1, std::memory_order_relaxed);
    dev->reg_state.store(reg_state::released);
    s.forget(dev);
    return {};
  });
}

// emits: list_netdevice. locks: RTNL.
void list_netdevice(net_device& dev) {
  net& n = dev_net(dev);
  list_add_tail(&dev.dev_list, &n.dev_base_head);
  push(n.dev_index_head[index_hash(dev.ifindex)], &net_device::index_next, dev);
  push(n.dev_name_head[name_hash(dev.name)], &net_device::name_next, dev);
  ++n.devices;
  dev.owner.emit(event_kind::list_netdevice, &dev);
}

void unlist_netdevice(net_device& dev) {
  net& n = dev_net(dev);
  list_del_init(&dev.dev_list);
  unlink(n.dev_index_head[index_hash(dev.ifindex)], &net_device::index_next, dev);
  unlink(n.dev_name_head[name_hash(dev.name)], &net_device::name_next, dev);
  --n.devices;
  dev.owner.emit(event_kind::unlist_netdevice, &dev);
}

net_device* __dev_get_by_index(net& n, int ifindex) {
  return find(n.dev_index_head[index_hash(ifindex)], &net_device::index_next,
              [&](net_device& d) { return d.ifindex == ifindex; });
}

net_device* __dev_get_by_name(net& n, const std::string& name) {
  return find(n.dev_name_head[name_hash(name)], &net_device::name_next, [&](net_device& d) { return d.name == name; });
}

net_device* dev_get_by_index(net& n, int ifindex) {
  rcu_read_section reading(n.owner);
  net_device* dev = __dev_get_by_index(n, ifindex);
  if (dev == nullptr) return nullptr;
  n.owner.emit(event_kind::dev_use, dev);
  dev_hold(*dev, holder::lookup);
  return dev;
}

net_device* dev_get_by_name(net& n, const std::string& name) {
  rcu_read_section reading(n.owner);
  net_device* dev = __dev_get_by_name(n, name);
  if (dev == nullptr) return nullptr;
  n.owner.emit(event_kind::dev_use, dev);
  dev_hold(*dev, holder::lookup);
  return dev;
}

net_device* netdev_get_by_name_lock(net& n, const std::string& name) {
  net_device* dev = dev_get_by_name(n, name);
  if (dev == nullptr) return nullptr;
  n.owner.sched.lock(dev->lock);
  if (dev->reg_state.load() == reg_state::registered) return dev;
  netdev_unlock_put(*dev);
  return nullptr;
}

void netdev_unlock_put(net_device& dev) {
  dev.owner.sched.unlock(dev.lock);
  static_cast<void>(dev_put(dev, holder::lookup));
}

int dev_new_index(net& n) {
  do {
    ++n.ifindex;
  } while (__dev_get_by_index(n, n.ifindex) != nullptr);
  return n.ifindex;
}

status dev_get_valid_name(net& n, std::string& name) {
  const auto hole = name.find("%d");
  if (hole == std::string::npos) {
    if (!dev_valid_name(name)) return error::einval;
    return __dev_get_by_name(n, name) != nullptr ? status(error::eexist) : status();
  }
  for (std::size_t i = 0; i <= n.owner.options.max_devices; ++i) {
    std::string candidate = name.substr(0, hole) + std::to_string(i) + name.substr(hole + 2);
    if (!dev_valid_name(candidate)) return error::einval;
    if (__dev_get_by_name(n, candidate) != nullptr) continue;
    name = std::move(candidate);
    return {};
  }
  return error::enfile;
}

}  // namespace quiesce::refimpl
