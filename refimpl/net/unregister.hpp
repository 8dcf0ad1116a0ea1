// SPDX-License-Identifier: MIT
#pragma once
// Inside of net/unregister.cpp that registration shares. Mirrors rollback_registered of net/core/dev.c v4.4.

#include "refimpl/net/netdevice.hpp"

namespace quiesce::refimpl {

// The failure path of register_netdevice: the whole teardown, then UNREGISTERED. In v4.4 the device never reaches the todo
// list; since v6.1 it does, and the caller's rtnl_unlock waits for its references, without freeing it. locks: RTNL.
void rollback_registered(net_device& dev);

}  // namespace quiesce::refimpl
