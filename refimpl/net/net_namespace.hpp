// SPDX-License-Identifier: MIT
#pragma once
// struct net, its set-up and exit. Mirrors include/net/net_namespace.h, net/core/net_namespace.c, drivers/net/loopback.c and
// default_device_exit_batch of net/core/dev.c; v4.4 and v6.1.

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

struct netns_ipv4;
struct netns_ipv6;

inline constexpr std::size_t NETDEV_HASHENTRIES = 256;

struct net {
  net(stack& s, std::int32_t number);
  ~net();
  net(const net&) = delete;

  stack& owner;
  const std::int32_t id;            // 0: init_net
  list_node<net> list{this};        // net_namespace_list, under RTNL
  list_node<net> exit_list{this};   // under net_mutex
  list_node<net> event_list{this};  // links NULL until INIT_LIST_HEAD: struct net is zero-allocated
  list_head dev_base_head;          // devices in order of registration, under RTNL
  std::array<std::atomic<net_device*>, NETDEV_HASHENTRIES> dev_index_head{};
  std::array<std::atomic<net_device*>, NETDEV_HASHENTRIES> dev_name_head{};
  int ifindex = 0;  // last one given
  std::size_t devices = 0;
  std::atomic<net_device*> loopback_dev{nullptr};
  std::atomic<int> dev_unreg_count{0};
  std::atomic<bool> dead{false};  // cleanup_net has finished
  bool leaving = false;           // cleanup_net has begun; under RTNL
  list_head ifdown_head;          // devices of the batch under way; `reference` only
  std::unique_ptr<netns_ipv4> ipv4;
  std::unique_ptr<netns_ipv6> ipv6;
};

// copy_net_ns, setup_net. locks: takes net_mutex, RTNL inside. after: listed, loopback registered (down). emits: setup_net,
// loopback's registration. errors: -EDEADLK, -ENOMEM, -ENOSPC (max_nets), an errno of loopback's registration; nothing is
// left.
result<net*> setup_net(stack& s);
// cleanup_net: the namespaces end together. locks: takes net_mutex and RTNL. before: none is init_net or leaving. after:
// their devices are unregistered (loopback last) or, if physical, in init_net; each net is dead. emits: cleanup_net,
// net_free. errors: -EDEADLK, -EINVAL, -ENODEV (unknown net).
status cleanup_net(stack& s, const std::vector<net*>& nets);

}  // namespace quiesce::refimpl
