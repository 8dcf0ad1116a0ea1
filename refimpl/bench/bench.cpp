// SPDX-License-Identifier: MIT
#include "refimpl/bench/bench.hpp"

#include <algorithm>
#include <stdexcept>

#include "refimpl/core/variant.hpp"

namespace quiesce::bench {

const std::vector<benchmark>& benchmarks() {
  static const std::vector<benchmark> all = {
      {"delete", "devices deleted beside many routes: RTNL hold time, FIB and neighbour walks", run_delete, false,
       "devices routes neighbours variant limit"},
      {"backoff", "devices whose last reference needs an extra grace period, in simulated time", run_backoff, false,
       "devices variant"},
      {"gc", "the IPv6 garbage collector on 1 to 16 simulated CPUs", run_gc, true, "variant"},
      {"growth", "devices and routes doubled in turn, with the fitted exponent", run_growth, true,
       "devices routes variant limit"},
      {"live", "real devices deleted on the running kernel, beside the reference stack; needs root", run_live, false,
       "devices routes variant limit yes"},
  };
  return all;
}

std::vector<std::string> chosen_variants(const options& o, const std::vector<std::string>& all) {
  if (o.variants.empty()) return all;
  for (const std::string& name : o.variants)
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      std::string known;
      for (const std::string& v : all) known += (known.empty() ? "" : ", ") + v;
      throw std::invalid_argument("this table does not compare a variant '" + name + "'; it compares " + known);
    }
  return o.variants;
}

}  // namespace quiesce::bench
