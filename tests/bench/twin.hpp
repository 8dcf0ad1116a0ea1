// SPDX-License-Identifier: MIT
#pragma once
// One scalable teardown system in several languages, to measure engines with: tasks that take devices down in batches under
// RTNL, softirq actors that take and cache references, a garbage collector, a timer.

#include <string>
#include <vector>

namespace quiesce::bench {

struct twin_size {
  int tasks = 2, slots = 2, nets = 2, actors = 2, cache = 1;  // slots: devices of each task; cache: entries of a device
};

std::string twin_model(const twin_size&);
std::string twin_properties();
std::string twin_promela(const twin_size&);
std::string twin_murphi(const twin_size&);

}  // namespace quiesce::bench
