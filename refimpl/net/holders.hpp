// SPDX-License-Identifier: MIT
#pragma once
// References that are released late: dev_hold_chain and dev_hold_delayed of netdevice.hpp. Stand-ins for aca_free_rcu
// followed by fib6_info_destroy_rcu (2384d02520ff, 9b0a8da8c4c6) and for a slow protocol.

#include "refimpl/net/stack.hpp"

namespace quiesce::refimpl {

struct delayed_holder {
  net_device* dev = nullptr;
  unsigned grace_periods = 0;  // left; used when timer is NULL
  std::uint64_t delay_ms = 0;
  std::unique_ptr<timer_list> timer;
  rcu_head head;
};

}  // namespace quiesce::refimpl
