// SPDX-License-Identifier: MIT
#include "refimpl/core/refcount.hpp"

namespace quiesce::refimpl {

const char* name(holder h) {
  static constexpr std::array<const char*, holders> names = {
      "base",   "registration", "in_device", "inet6_dev", "fib_nh", "fib6_nh", "neighbour", "neigh_parms",
      "pneigh", "proxy_queue",  "dst",       "linkwatch", "upper",  "lookup",  "chained",   "user"};
  return names[static_cast<std::size_t>(h)];
}

}  // namespace quiesce::refimpl
