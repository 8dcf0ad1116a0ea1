// SPDX-License-Identifier: MIT
#include "refimpl/core/fault.hpp"

namespace quiesce::refimpl {

void fault_injection::fail_site(const std::string& site, bool on) {
  std::lock_guard held(lock_);
  if (site.empty()) {
    sites_.clear();
  } else {
    sites_[site] = on;
  }
  any_site_.store(!sites_.empty());
}

bool fault_injection::site_fails(const char* site) {
  std::lock_guard held(lock_);
  const auto found = sites_.find(site);
  if (found == sites_.end() || !found->second) return false;
  injected_.fetch_add(1);
  return true;
}

}  // namespace quiesce::refimpl
