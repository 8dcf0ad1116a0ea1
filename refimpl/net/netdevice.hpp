// SPDX-License-Identifier: MIT
#pragma once
// struct net_device and its life. Mirrors include/linux/netdevice.h and net/core/dev.c, v4.4 and v6.1.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "refimpl/core/error.hpp"
#include "refimpl/core/list.hpp"
#include "refimpl/core/refcount.hpp"
#include "refimpl/core/schedule.hpp"

namespace quiesce::refimpl {

class stack;
struct net;
struct in_device;
struct inet6_dev;
struct net_device;
struct delayed_holder;

// include/uapi/linux/if.h
inline constexpr std::uint32_t IFF_UP = 0x1;
inline constexpr std::uint32_t IFF_LOOPBACK = 0x8;
inline constexpr std::uint32_t IFF_RUNNING = 0x40;

// enum netreg_state
enum class reg_state : std::uint8_t { uninitialized, registered, unregistering, unregistered, released };
const char* name(reg_state s);

// Driver operations; all run under RTNL. 0 or a negative errno as in the kernel; an exception counts as -EFAULT.
class net_device_ops {
 public:
  virtual ~net_device_ops() = default;
  virtual int ndo_init(net_device&) { return 0; }  // register_netdevice, before the device is visible
  virtual void ndo_uninit(net_device&) {}          // pairs with a successful ndo_init
  virtual int ndo_open(net_device&) { return 0; }
  virtual void ndo_stop(net_device&) {}           // pairs with a successful ndo_open
  virtual void ndo_neigh_destroy(net_device&) {}  // a neighbour of the device is gone
};

// struct rtnl_link_ops, the part teardown needs. Devices without one are "physical": pushed to init_net when their net
// exits.
struct rtnl_link_ops {
  const char* kind = "";
  // Queues dev, and what must go with it, on `head`. NULL: unregister_netdevice_queue.
  void (*dellink)(net_device& dev, list_head* head) = nullptr;
};

struct net_device {
  net_device(stack& s, std::int32_t number);
  ~net_device();
  net_device(const net_device&) = delete;

  stack& owner;
  const std::int32_t id;  // identity in events; never reused
  std::string name;
  int ifindex = 0;
  unsigned mtu = 1500;
  std::atomic<std::uint32_t> flags{0};
  std::atomic<refimpl::reg_state> reg_state{refimpl::reg_state::uninitialized};
  std::atomic<net*> nd_net{nullptr};
  std::atomic<bool> dismantle{false};
  std::atomic<bool> linkwatch_pending{false};  // __LINK_STATE_LINKWATCH_PENDING
  std::atomic<bool> start{false};              // __LINK_STATE_START
  bool netns_local = false;                    // NETIF_F_NETNS_LOCAL
  bool needs_free_netdev = true;
  bool need_ops_lock = false;    // netdev_need_ops_lock, v6.18
  lock_state lock{"dev->lock"};  // the instance lock, v6.14; outside RTNL by those who need no RTNL
  bool initialized = false;      // ndo_init succeeded, ndo_uninit is due
  bool in_driver = false;        // its ndo_init or ndo_open runs; under RTNL
  int group = 0;

  net_device_ops* netdev_ops = nullptr;  // not owned; NULL: no operations
  const refimpl::rtnl_link_ops* rtnl_link_ops = nullptr;
  std::function<void(net_device&)> priv_destructor;  // netdev_run_todo, after the wait
  std::shared_ptr<void> priv;                        // netdev_priv

  // Intrusive membership, one list of each kind (rule L3). Under RTNL.
  list_node<net_device> dev_list{this};
  list_node<net_device> unreg_list{this};
  list_node<net_device> close_list{this};
  list_node<net_device> todo_list{this};
  list_node<net_device> link_watch_list{this};   // under linkwatch's lock
  list_node<net_device> ifdown_list{this};       // devices of the batch whose neighbours are to go; `reference` only
  std::atomic<net_device*> index_next{nullptr};  // RCU hash chains of the namespace
  std::atomic<net_device*> name_next{nullptr};

  device_references refs;
  std::atomic<in_device*> ip_ptr{nullptr};  // RCU
  std::atomic<inet6_dev*> ip6_ptr{nullptr};
  list_head fib_nh_head;               // dev->fib_nh_head, v6.18: nexthops on this device; under RTNL
  list_head neighbours[2];             // dev->neighbours[family], v6.13; under the table's lock
  list_head fib6_nh_head;              // as fib_nh_head, for IPv6; under the table's lock
  list_head uncached_dst;              // under the uncached list's lock
  std::vector<net_device*> adj_upper;  // adj_list.upper, under RTNL
  std::vector<net_device*> adj_lower;
  std::vector<std::unique_ptr<delayed_holder>> holders;  // dev_hold_chain, dev_hold_delayed; under RTNL
  unsigned uc_count = 0, mc_count = 0;                   // addresses that dev_uc_flush, dev_mc_flush drop
};

inline net& dev_net(const net_device& dev) { return *dev.nd_net.load(std::memory_order_acquire); }
inline bool dev_up(const net_device& dev) { return (dev.flags.load(std::memory_order_relaxed) & IFF_UP) != 0; }

// --- references: include/linux/netdevice.h ---

// emits: dev_hold, dev_put. locks: none. O(1). dev_put by a holder that holds nothing is -EINVAL and changes nothing.
void dev_hold(net_device& dev, holder h);
status dev_put(net_device& dev, holder h);
std::int64_t netdev_refcnt_read(const net_device& dev);
// A reference that, at the first NETDEV_UNREGISTER, is released by the last of `depth` chained call_rcu callbacks (depth 0:
// at once). The shape of aca_free_rcu followed by fib6_info_destroy_rcu is depth 2.
status dev_hold_chain(net_device& dev, unsigned depth);
// A reference dropped `delay_ms` after the first NETDEV_UNREGISTER, by a timer.
status dev_hold_delayed(net_device& dev, std::uint64_t delay_ms);

// --- allocation and registration: alloc_netdev_mqs, register_netdevice, register_netdev ---

struct netdev_params {
  std::string name;  // "eth0", or "dummy%d" for the first free number
  net_device_ops* ops = nullptr;
  const rtnl_link_ops* link_ops = nullptr;  // NULL: a physical device
  bool netns_local = false;
  bool need_ops_lock = false;
  int group = 0;
};

// errors: -ENOMEM, -EINVAL (name empty, longer than 15 or with '/' or space). No lock needed. The caller frees on failure
// paths.
result<net_device*> alloc_netdev(net& n, const netdev_params& params);
// locks: RTNL. before: UNINITIALIZED. after: REGISTERED, listed, every handler saw NETDEV_REGISTER; or unchanged tables and
// UNINITIALIZED/UNREGISTERED: then free_netdev is due. emits: ndo_init, NETDEV_POST_INIT, list_netdevice, NETDEV_REGISTER,
// RTM_NEWLINK. errors: -EPERM, -ENODEV, -EINVAL, -EEXIST, -ENFILE, -ENOMEM, -EBUSY, a handler's or ndo_init's errno.
status register_netdevice(net_device& dev);
// Takes RTNL; see register_netdevice. -EDEADLK if the caller holds it.
status register_netdev(net_device& dev);
// before: UNINITIALIZED, or UNREGISTERED and not needs_free_netdev. errors: -EBUSY otherwise, -ENODEV. emits: free_netdev.
status free_netdev(net_device* dev);

// --- open and close: __dev_open, __dev_close_many, dev_close_many (net/close.cpp) ---

// locks: RTNL. emits: ndo_open, NETDEV_UP. errors: -EPERM, -ENODEV (not registered), a driver's errno.
status dev_open(net_device& dev);
// locks: RTNL. before: the devices' close_list nodes are on `head`. after: none is IFF_UP; with `unlink` no node is on
// `head`, else the caller empties it. emits: close span, NETDEV_GOING_DOWN each, ndo_stop each, NETDEV_DOWN each,
// NETDEV_DOWN_BATCH.
status dev_close_many(stack& s, list_head* head, bool unlink);
status dev_close(net_device& dev);
// `ip link set DEV down`: dev_change_flags with __dev_notify_flags. One device, whose batch event needs no list. emits: as
// dev_close, without a span.
status dev_change_flags_down(net_device& dev);

// --- unregister: unregister_netdevice_queue, unregister_netdevice_many (net/unregister.cpp) ---

// Moves the device to `head` (an unreg_list), or, without, unregisters it alone. errors: -EPERM, -ENODEV, -EBUSY (leaving).
status unregister_netdevice_queue(net_device& dev, list_head* head);
// locks: RTNL. before: REGISTERED each. after: UNREGISTERING, on net_todo_list; freed by the RTNL holder's rtnl_unlock.
// emits: rollback span; close span; unlist_netdevice; synchronize_net; NETDEV_UNREGISTER, batch event, ndo_uninit,
// RTM_DELLINK as the variant orders them; synchronize_net; dev_put; net_set_todo. O(devices) besides handlers.
status unregister_netdevice_many(stack& s, list_head* head);
status unregister_netdev(net_device& dev);  // takes RTNL

// --- look-up: dev_get_by_index, dev_get_by_name (RCU), __dev_get_by_index, __dev_get_by_name (RTNL) ---

// NULL if absent. dev_get_* take a `lookup` reference that the caller puts.
net_device* dev_get_by_index(net& n, int ifindex);
net_device* dev_get_by_name(net& n, const std::string& name);
net_device* __dev_get_by_index(net& n, int ifindex);
// net/core/dev.c netdev_get_by_index_lock, netdev_unlock, v6.14, by name: the device under its instance lock, or NULL if it
// is absent or no longer registered. Here the `lookup` reference is kept until the unlock, so that what a stack without the
// lock in its teardown leaves is there to be looked at.
net_device* netdev_get_by_name_lock(net& n, const std::string& name);
void netdev_unlock_put(net_device& dev);
net_device* __dev_get_by_name(net& n, const std::string& name);

// --- moving: __dev_change_net_namespace (net/change_net_namespace.cpp) ---

// locks: RTNL. `pattern` names the device if its name is taken there; "" refuses. after: reg_state still REGISTERED, down.
// errors: -EPERM, -ENODEV, -EINVAL (local, not registered), -EEXIST (name), -EBUSY (ifindex taken).
status dev_change_net_namespace(net_device& dev, net& to, const std::string& pattern, int new_ifindex = 0);

// locks: RTNL. errors: -EINVAL (< 68 disables IP as in the kernel and is allowed; 0 is refused). emits: NETDEV_CHANGEMTU.
status dev_set_mtu(net_device& dev, unsigned mtu);

// --- adjacency: netdev_upper_dev_link, netdev_upper_dev_unlink (net/adjacency.cpp) ---

// locks: RTNL. errors: -EPERM, -EBUSY (a loop), -EEXIST. emits: NETDEV_CHANGEUPPER, dev_hold/dev_put (upper). O(uppers).
status netdev_upper_dev_link(net_device& dev, net_device& upper);
status netdev_upper_dev_unlink(net_device& dev, net_device& upper);
bool netdev_has_any_upper_dev(const net_device& dev);

}  // namespace quiesce::refimpl
