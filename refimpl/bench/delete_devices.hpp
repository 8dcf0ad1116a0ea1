// SPDX-License-Identifier: MIT
#pragma once
// Deletes D devices of a namespace that has R routes through a device that stays, and counts what it takes. One flow of
// control on a simulated clock: the work is real and its CPU time is measured; grace periods and sleeps are simulated time.

#include <cstdint>
#include <string>

#include "refimpl/bench/report.hpp"

namespace quiesce::bench {

enum class deletion_way { one_by_one, one_batch, namespace_exit };
// What a deleted device carries besides its neighbours: one address with its three routes; nothing; no address but one route.
enum class device_load { address, nothing, route };

struct deletion_input {
  std::string variant = "K44";
  deletion_way way = deletion_way::one_batch;
  device_load load = device_load::address;
  std::size_t devices = 1000;    // at most 65536
  std::size_t routes = 100'000;  // at most 2^21
  std::uint64_t grace_period_ms = 10;
  std::size_t neighbours = 1;  // of each deleted device; at most 200
};

struct deletion_result {
  double rtnl_hold_s = 0;                    // CPU time while RTNL was held
  double cpu_s = 0;                          // of the whole deletion
  double waits_s = 0;                        // simulated: grace periods and sleeps
  double rtnl_waits_s = 0;                   // of waits_s: while RTNL was held
  std::uint64_t fib_walks = 0;               // calls of fib_flush
  std::uint64_t fib_walks_from_address = 0;  // of them: caused by the removal of an address
  std::uint64_t aliases_visited = 0, neighbour_walks = 0, neighbours_visited = 0, next_hops_visited = 0;
  // At each end of an RTNL hold that unregistered devices, summed: aliases of a dead fib_info, neighbours of devices that
  // are unregistered.
  std::uint64_t dead_routes_left = 0, neighbours_left = 0;
  std::uint64_t rebroadcasts = 0, devices_freed = 0;
  std::string stopped;  // what would have crashed or hung a kernel; the counts are those up to there
};

// throws std::invalid_argument for sizes beyond the limits or an unknown variant.
void require_possible(const deletion_input&);
// throws as require_possible; std::runtime_error when the scenario cannot be set up.
deletion_result delete_devices(const deletion_input&);

std::string name(deletion_way);
std::string name(device_load);
json to_json(const deletion_result&);
deletion_result deletion_from_json(const json&);

}  // namespace quiesce::bench
