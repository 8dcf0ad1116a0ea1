// SPDX-License-Identifier: MIT
// The scalable teardown system in Promela, written as one would for speed: flat arrays, one d_step for each step, labels
// instead of variables for places. The state invariants of the model are left out, which only makes it faster.
#include <fmt/format.h>

#include "tests/bench/twin.hpp"

namespace quiesce::bench {

namespace {

const char* const declarations = R"(#define X (_pid * B + i)
#define L (_pid * N + i % N)
#define M (_pid * N + i)
byte rtnl, gcl;
byte st[T * B], ref[T * B], cache[T * B], ub[T * N];
bit up[T * B] = 1, lst[T * N];
byte k;
)";

const char* const teardown = R"(active [T] proctype teardown() {
  byte i;
idle:   if :: d_step { rtnl == 0 -> rtnl = _pid + 1 } fi;
going:  st[X] = 1;
        up[X] = 0;
        if :: d_step { i < B - 1 -> st[X] = 2; i++ }; goto going
           :: d_step { i == B - 1 -> st[X] = 2; i = 0 } fi;
enlist: if :: d_step { i < B - 1 -> lst[L] = 1; i++ }; goto enlist
           :: d_step { i == B - 1 -> lst[L] = 1; i = 0 } fi;
down:   if :: d_step { i < N - 1 -> lst[M] = 0; i++ }; goto down
           :: d_step { i == N - 1 -> lst[M] = 0; i = 0 } fi;
unreg:  if :: d_step { i < B - 1 -> st[X] = 3; ref[X] = ref[X] - cache[X]; cache[X] = 0; lst[L] = 1; i++ }; goto unreg
           :: d_step { i == B - 1 -> st[X] = 3; ref[X] = ref[X] - cache[X]; cache[X] = 0; lst[L] = 1; i = 0 } fi;
batch:  if :: d_step { i < N - 1 -> if :: lst[M] -> lst[M] = 0; assert(ub[M] == 0); ub[M]++ :: else fi; i++ }; goto batch
           :: d_step { i == N - 1 -> if :: lst[M] -> lst[M] = 0; assert(ub[M] == 0); ub[M]++ :: else fi; i = 0 } fi;
uninit: if :: d_step { i < B - 1 -> assert(ub[L] == 1); st[X] = 4; i++ }; goto uninit
           :: d_step { i == B - 1 -> assert(ub[L] == 1); st[X] = 4; i = 0 } fi;
        rtnl = 0;
waits:  if :: ref[X] == 0
           :: d_step { ref[X] != 0 && rtnl == 0 -> rtnl = _pid + 1 };
              d_step { ref[X] = ref[X] - cache[X]; cache[X] = 0; lst[L] = 1 };
              d_step { lst[L] = 0; rtnl = 0 };
              goto waits fi;
        if :: d_step { i < B - 1 -> assert(ref[X] == 0); st[X] = 5; i++ }; goto waits
           :: d_step { i == B - 1 -> assert(ref[X] == 0); st[X] = 5; i = 0 } fi;
        d_step {
          rtnl == 0 -> k = 0;
          do :: k < B -> st[_pid * B + k] = 0; up[_pid * B + k] = 1; k++ :: else -> break od;
          k = 0;
          do :: k < N -> ub[_pid * N + k] = 0; k++ :: else -> break od;
          k = 0
        };
        goto idle
}
)";

std::string each_slot(int count, const char* form) {
  std::string out;
  for (int j = 0; j < count; ++j) out += fmt::format(fmt::runtime(form), fmt::arg("j", j));
  return out;
}

std::string any_cached(int count) {
  std::string out;
  for (int j = 0; j < count; ++j) out += fmt::format("{}cache[{}] > 0", j ? " || " : "", j);
  return "(" + out + ")";
}

}  // namespace

std::string twin_promela(const twin_size& z) {
  const int slots = z.tasks * z.slots;
  return fmt::format("#define T {}\n#define B {}\n#define N {}\n#define G {}\n#define C {}\n", z.tasks, z.slots, z.nets,
                     z.actors, z.cache) +
         declarations + teardown + "active [G] proctype softirq_actor() {\n  byte x; bit m;\nfree: if\n" +
         each_slot(slots, "  :: d_step {{ up[{j}] -> ref[{j}]++; x = {j} }}\n") +
         "  fi;\n"
         "  if :: d_step { m = 0; if :: cache[x] < C -> cache[x]++; ref[x]++ :: else fi }\n"
         "     :: d_step { m = 1; if :: cache[x] < C -> cache[x]++; ref[x]++ :: else fi } fi;\n"
         "  if :: d_step { gcl == 0 -> gcl = 1; m = 0 };\n    if\n" +
         each_slot(slots, "    :: d_step {{ cache[{j}] > 0 -> cache[{j}]--; ref[{j}]--; gcl = 0 }}\n") +
         "    :: d_step { !" + any_cached(slots) +
         " -> gcl = 0 }\n    fi\n     :: d_step { gcl != 0 && m -> m = 0 } fi;\n  d_step { ref[x]--; x = 0 };\n  goto "
         "free\n}\n" +
         "active proctype gc_timer() {\n  do :: d_step { gcl == 0 && " + any_cached(slots) +
         " -> gcl = 2 };\n        d_step {\n          k = 0;\n"
         "          do :: k < T * B -> if :: st[k] >= 3 -> ref[k] = ref[k] - cache[k]; cache[k] = 0 :: else fi; k++ :: else "
         "-> break od;\n"
         "          gcl = 0; k = 0\n        }\n  od\n}\n";
}

}  // namespace quiesce::bench
