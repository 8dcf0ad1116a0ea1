// SPDX-License-Identifier: MIT
#pragma once
// The scenario of delete_devices.hpp on the running kernel: D devices of a private namespace that has R routes through a
// device that stays.

#include "refimpl/bench/canary.hpp"
#include "refimpl/bench/delete_devices.hpp"

namespace quiesce::bench {

struct live_result {
  double wall_s = 0;    // from the first request to the last acknowledgement, or to the end of the exit's batch
  double system_s = 0;  // CPU time of the requesting thread in the kernel; a namespace's exit runs elsewhere
  canary_result rtnl;
  std::string kind;  // of the devices
};

// before: the sizes were agreed to (rtnetlink::too_large). throws std::invalid_argument where real devices cannot be driven,
// std::runtime_error when the kernel refuses a request.
live_result delete_real_devices(deletion_way way, device_load load, std::size_t devices, std::size_t routes);

}  // namespace quiesce::bench
