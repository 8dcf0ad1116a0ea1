// SPDX-License-Identifier: MIT
#pragma once
// Injection of allocation failures: every allocation of the stack asks fail(site) first. Sites are named as the allocating
// kernel function. lib/fault-inject.c is the kernel's counterpart.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace quiesce::refimpl {

class fault_injection {
 public:
  // Fails the nth allocation from now, counted over all sites; 1 is the next one, 0 none.
  void fail_nth(std::uint64_t n) {
    seen_.store(0);
    nth_.store(n);
  }
  // Fails every allocation at `site` while `on`. "" ends all.
  void fail_site(const std::string& site, bool on = true);

  bool fail(const char* site) {
    const std::uint64_t n = nth_.load(std::memory_order_relaxed);
    const bool hit = n != 0 && seen_.fetch_add(1) + 1 == n;
    if (hit) injected_.fetch_add(1);
    return hit || (any_site_.load(std::memory_order_relaxed) && site_fails(site));
  }
  // Allocations that were failed so far: a loop over nth ends when one run adds none.
  std::uint64_t injected() const { return injected_.load(); }

 private:
  bool site_fails(const char* site);
  std::atomic<std::uint64_t> nth_{0}, seen_{0}, injected_{0};
  std::atomic<bool> any_site_{false};
  std::mutex lock_;
  std::map<std::string, bool> sites_;
};

}  // namespace quiesce::refimpl
