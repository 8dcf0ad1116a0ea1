// SPDX-License-Identifier: MIT
#include "refimpl/bench/canary.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "refimpl/device/rtnetlink/link_requests.hpp"

namespace quiesce::bench {

namespace {
constexpr int alone_requests = 51;
constexpr std::chrono::microseconds pause{100};
constexpr std::chrono::minutes limit{20};
}  // namespace

canary::canary() {
  if (const rtnetlink::answer a = rtnetlink::private_net::make(net_, "canary"); !a) throw std::invalid_argument(a.text);
  std::vector<double> times;
  for (int i = 0; i < alone_requests; ++i) times.push_back(request());
  std::nth_element(times.begin(), times.begin() + alone_requests / 2, times.end());
  result_.alone_s = times[alone_requests / 2];
}

// Sets the MTU of lo to what it is: RTM_SETLINK takes RTNL and changes nothing.
double canary::request() {
  const auto began = std::chrono::steady_clock::now();
  const rtnetlink::answer a = rtnetlink::set_link_mtu(net_, 1, 65536, rtnetlink::in(limit));
  if (!a) result_.failure = a.text;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void canary::work() {
  while (!ending_.load(std::memory_order_relaxed) && result_.failure.empty()) {
    const double took = request();
    ++result_.requests;
    result_.longest_s = std::max(result_.longest_s, took);
    result_.waited_s += std::max(0.0, took - result_.alone_s);
    std::this_thread::sleep_for(pause);
  }
}

void canary::start() {
  ending_ = false;
  thread_ = std::thread([this] { work(); });
}

canary_result canary::stop() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
  return result_;
}

}  // namespace quiesce::bench
