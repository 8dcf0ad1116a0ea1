// SPDX-License-Identifier: MIT
#pragma once
// How long one deletion takes in simulated time, by the loop that waits for references. msleep sleeps a tick longer than
// asked, as kernel/time/timer.c does.

#include <cstdint>
#include <string>
#include <vector>

#include "refimpl/core/variant.hpp"

namespace quiesce::bench {

// The wait loops of the thread and after, on one base (the kernel that R16 was posted for), so that nothing else differs.
// K44, R16, R1, RANY, RLZ. throws std::invalid_argument for another name.
refimpl::variant_policy wait_variant(const std::string& name);

struct backoff_input {
  std::size_t devices = 100;
  unsigned hz = 1000;
  std::uint64_t grace_period_ms = 10;
  std::uint64_t callback_latency_ms = 5;  // from the end of a grace period to the run of its callbacks
  std::uint64_t expedited_ms = 1;         // the script only: synchronize_net is synchronize_rcu_expedited under RTNL
};

struct backoff_result {
  double total_ms = 0;            // simulated, all deletions
  double wait_ms = 0;             // of it: from netdev_wait_allrefs to free_netdev
  std::uint64_t looks = 0;        // at a reference count
  std::uint64_t grace_waits = 0;  // rcu_barrier and synchronize_net
};

// The thread's script: dummy devices with an IPv6 address in a namespace that forwards, deleted one by one. The anycast
// entry of each address is freed by a callback whose own callback drops the device.
backoff_result delete_ipv6_devices(const refimpl::variant_policy&, const backoff_input&);

// Milliseconds of netdev_wait_allrefs for one device whose last reference is dropped delays[i] ms after NETDEV_UNREGISTER.
std::vector<double> wait_after_delay(const refimpl::variant_policy&, const backoff_input&,
                                     const std::vector<std::uint64_t>& delays);
// As above for a reference that is dropped by the last of depths[i] chained callbacks.
std::vector<double> wait_after_chain(const refimpl::variant_policy&, const backoff_input&,
                                     const std::vector<unsigned>& depths);

}  // namespace quiesce::bench
