// SPDX-License-Identifier: MIT
#pragma once
// How long RTNL is held by others: a task that makes requests which take RTNL, in a namespace of its own, and times each.
// Every request waits for whoever holds RTNL, so that the sum of the waits is about the time that RTNL was held (a hold that
// begins and ends between two requests is missed), and the longest wait about the longest hold.

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "refimpl/device/rtnetlink/private_net.hpp"

namespace quiesce::bench {

struct canary_result {
  std::uint64_t requests = 0;
  double longest_s = 0, waited_s = 0;  // waited: beyond what a request takes when nobody holds RTNL
  double alone_s = 0;                  // that: the median of requests before the measurement
  std::string failure;
};

class canary {
 public:
  // Makes its namespace and measures requests while nothing is going on. throws std::invalid_argument where it cannot.
  canary();
  ~canary() { stop(); }
  void start();
  canary_result stop();

 private:
  double request();
  void work();

  rtnetlink::private_net net_;
  canary_result result_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace quiesce::bench
