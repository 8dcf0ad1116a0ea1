// SPDX-License-Identifier: MIT
// The scalable teardown system in Promela, written as one would for speed: bytes and bits, one d_step for each step.
#include <fmt/format.h>

#include "tests/bench/twin.hpp"

namespace quiesce::bench {

namespace {

const char* const tasks = R"(
active [T] proctype teardown() {
  byte i = 0;
  byte t = 0;
  t = _pid;
idle:    d_step { rtnl == 0; rtnl = _pid + 1 }
going:   st[_pid*B+i] = 1;
clrup:   up[_pid*B+i] = 0;
ndown:   d_step { st[_pid*B+i] = 2; i++ };
  if :: i < B -> goto going :: else -> i = 0 fi;
}
)";

}  // namespace

std::string twin_promela(const twin_size& z) { return fmt::format("{}{}", z.tasks, tasks); }

}  // namespace quiesce::bench
