// SPDX-License-Identifier: MIT
#pragma once
// What a driver of devices may implement besides net_device_ops: it follows addresses, routes and neighbours. The simulated
// driver counts and misbehaves on request; a driver of real devices is another implementation of the same two interfaces.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

// Owned by the stack (stack::driver). Called under RTNL. Default: nothing.
class stack_driver {
 public:
  virtual ~stack_driver() = default;
  virtual void address(net_device&, std::uint32_t /*local*/, std::uint8_t /*prefixlen*/, bool /*added*/) {}
};

// Device operations without a device: succeed, count, and fail or throw as told.
class simulated_driver : public net_device_ops {
 public:
  struct faults {
    int init_errno = 0;  // returned by ndo_init, e.g. -12
    int open_errno = 0;
    bool throw_in_init = false, throw_in_open = false, throw_in_stop = false, throw_in_uninit = false;
  };
  faults misbehave;
  std::atomic<int> inits{0}, uninits{0}, opens{0}, stops{0}, neighbours_destroyed{0};

  int ndo_init(net_device& dev) override;
  void ndo_uninit(net_device& dev) override;
  int ndo_open(net_device& dev) override;
  void ndo_stop(net_device& dev) override;
  void ndo_neigh_destroy(net_device& dev) override;
};

// rtnl_link_ops of a dummy device: virtual, so that a namespace's exit deletes it.
extern const rtnl_link_ops dummy_link_ops;

}  // namespace quiesce::refimpl
