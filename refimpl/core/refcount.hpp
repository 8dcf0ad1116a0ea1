// SPDX-License-Identifier: MIT
#pragma once
// Device references with their holders, named as in lib/ref_tracker.c and include/linux/netdevice.h (netdev_hold, v6.1).

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace quiesce::refimpl {

enum class holder : std::uint8_t {
  base,          // the 1 that a device has been born with since 2021; 0 before
  registration,  // dev_registered_tracker
  in_device,
  inet6_dev,
  fib_nh,
  fib6_nh,
  neighbour,
  neigh_parms,
  pneigh,
  proxy_queue,
  dst,
  linkwatch,
  upper,    // adjacency: held by the device above
  lookup,   // dev_get_by_name, dev_get_by_index
  chained,  // a holder that releases after a chain of grace periods (dev_hold_chain)
  user,
};
inline constexpr std::size_t holders = static_cast<std::size_t>(holder::user) + 1;

const char* name(holder h);

// Total and per-holder counts; read() is exact only when no holder is changing it, as netdev_refcnt_read.
class device_references {
 public:
  void hold(holder h) {
    by_[static_cast<std::size_t>(h)].fetch_add(1, std::memory_order_relaxed);
    total_.fetch_add(1, std::memory_order_relaxed);
  }
  // False, and nothing changes, if that holder holds nothing: the count never goes below its base (rule R2).
  // Release order: what the holder did with the device happens before the reader of the final count (rule R10).
  bool put(holder h) {
    auto& own = by_[static_cast<std::size_t>(h)];
    std::int64_t now = own.load(std::memory_order_relaxed);
    do {
      if (now <= 0) return false;
    } while (!own.compare_exchange_weak(now, now - 1, std::memory_order_relaxed));
    total_.fetch_sub(1, std::memory_order_acq_rel);
    return true;
  }
  // One too many, by somebody who holds nothing: a kernel counts no holders, and its count goes down all the same.
  void put_unheld() { total_.fetch_sub(1, std::memory_order_acq_rel); }
  std::int64_t read() const { return total_.load(std::memory_order_acquire); }
  std::int64_t of(holder h) const { return by_[static_cast<std::size_t>(h)].load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> total_{0};
  std::array<std::atomic<std::int64_t>, holders> by_{};
};

}  // namespace quiesce::refimpl
