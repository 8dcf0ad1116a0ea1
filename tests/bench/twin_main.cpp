// SPDX-License-Identifier: MIT
// bench_twin model|properties|promela|murphi TASKS SLOTS NETS ACTORS CACHE: prints the text.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/bench/twin.hpp"

int main(int argc, char** argv) {
  using namespace quiesce::bench;
  if (argc != 7) {
    std::fputs("usage: bench_twin model|properties|promela|murphi TASKS SLOTS NETS ACTORS CACHE\n", stderr);
    return 64;
  }
  const std::string what = argv[1];
  const twin_size z{std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), std::atoi(argv[6])};
  const std::string text = what == "model"     ? twin_model(z)
                           : what == "promela" ? twin_promela(z)
                           : what == "murphi"  ? twin_murphi(z)
                                               : twin_properties();
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
