// SPDX-License-Identifier: MIT
#include "tests/bench/german.hpp"

#include <fmt/format.h>

namespace quiesce::bench {

namespace {

// cache: 0 invalid, 1 shared, 2 exclusive. request, command: 0 none, 1 shared, 2 exclusive. answer: 0 none, 1 invalidate,
// 2 grant shared, 3 grant exclusive.
const char* const model = R"(var cache: client -> 0..2;
var request: client -> 0..2;
var answer: client -> 0..3;
var acknowledged: client -> bool;
var to_invalidate: client -> bool;
var sharer: client -> bool;
var exclusive: bool;
var command: 0..2;
var who: client = c0;

environment default {
  process client_and_directory(c: client) {
    while true {
      either { atomic { wait until cache(c) == 0 && request(c) == 0; request(c) := 1; } }
      or { atomic { wait until cache(c) != 2 && request(c) == 0; request(c) := 2; } }
      or {
        atomic {
          wait until command == 0 && request(c) != 0;
          command := request(c);
          who := c;
          request(c) := 0;
          for all d: client { to_invalidate(d) := sharer(d); }
        }
      }
      or {
        atomic {
          wait until answer(c) == 0 && to_invalidate(c) && (command == 2 || command == 1 && exclusive);
          answer(c) := 1;
          to_invalidate(c) := false;
        }
      }
      or { atomic { wait until answer(c) == 1 && !acknowledged(c); answer(c) := 0; acknowledged(c) := true; cache(c) := 0; } }
      or {
        atomic {
          wait until acknowledged(c) && command != 0;
          acknowledged(c) := false;
          sharer(c) := false;
          exclusive := false;
        }
      }
      or {
        atomic {
          wait until who == c && command == 1 && answer(c) == 0 && !exclusive;
          answer(c) := 2;
          sharer(c) := true;
          command := 0;
        }
      }
      or {
        atomic {
          wait until who == c && command == 2 && answer(c) == 0 && !exclusive && (all d: client : !sharer(d));
          answer(c) := 3;
          sharer(c) := true;
          exclusive := true;
          command := 0;
        }
      }
      or { atomic { wait until answer(c) == 2; cache(c) := 1; answer(c) := 0; } }
      or { atomic { wait until answer(c) == 3; cache(c) := 2; answer(c) := 0; } }
    }
  }
}
)";

const char* const murphi = R"(type client: 0..N-1;
var
  cache, request: array [client] of 0..2;
  answer: array [client] of 0..3;
  acknowledged, to_invalidate, sharer: array [client] of boolean;
  exclusive: boolean;
  command: 0..2;
  who: client;

startstate begin
  for c: client do
    cache[c] := 0; request[c] := 0; answer[c] := 0; acknowledged[c] := false; to_invalidate[c] := false; sharer[c] := false;
  end;
  exclusive := false; command := 0; who := 0;
end;

ruleset c: client do
  rule cache[c] = 0 & request[c] = 0 ==> begin request[c] := 1; end;
  rule cache[c] != 2 & request[c] = 0 ==> begin request[c] := 2; end;
  rule command = 0 & request[c] != 0 ==> begin
    command := request[c]; who := c; request[c] := 0;
    for d: client do to_invalidate[d] := sharer[d]; end;
  end;
  rule answer[c] = 0 & to_invalidate[c] & (command = 2 | command = 1 & exclusive) ==> begin
    answer[c] := 1; to_invalidate[c] := false;
  end;
  rule answer[c] = 1 & !acknowledged[c] ==> begin answer[c] := 0; acknowledged[c] := true; cache[c] := 0; end;
  rule acknowledged[c] & command != 0 ==> begin acknowledged[c] := false; sharer[c] := false; exclusive := false; end;
  rule who = c & command = 1 & answer[c] = 0 & !exclusive ==> begin answer[c] := 2; sharer[c] := true; command := 0; end;
  rule who = c & command = 2 & answer[c] = 0 & !exclusive & (forall d: client do !sharer[d] end) ==> begin
    answer[c] := 3; sharer[c] := true; exclusive := true; command := 0;
  end;
  rule answer[c] = 2 ==> begin cache[c] := 1; answer[c] := 0; end;
  rule answer[c] = 3 ==> begin cache[c] := 2; answer[c] := 0; end;
end;

invariant forall c: client do forall d: client do c = d | cache[c] != 2 | cache[d] = 0 end end;
)";

const char* const one_client = R"(  :: d_step {{ cache[{0}] == 0 && request[{0}] == 0 -> request[{0}] = 1 }}
  :: d_step {{ cache[{0}] != 2 && request[{0}] == 0 -> request[{0}] = 2 }}
  :: d_step {{ command == 0 && request[{0}] != 0 -> command = request[{0}]; who = {0}; request[{0}] = 0; {1} }}
  :: d_step {{ answer[{0}] == 0 && to_invalidate[{0}] && (command == 2 || command == 1 && exclusive) ->
       answer[{0}] = 1; to_invalidate[{0}] = 0 }}
  :: d_step {{ answer[{0}] == 1 && !acknowledged[{0}] -> answer[{0}] = 0; acknowledged[{0}] = 1; cache[{0}] = 0 }}
  :: d_step {{ acknowledged[{0}] && command != 0 -> acknowledged[{0}] = 0; sharer[{0}] = 0; exclusive = 0 }}
  :: d_step {{ who == {0} && command == 1 && answer[{0}] == 0 && !exclusive -> answer[{0}] = 2; sharer[{0}] = 1; command = 0 }}
  :: d_step {{ who == {0} && command == 2 && answer[{0}] == 0 && !exclusive && !({2}) ->
       answer[{0}] = 3; sharer[{0}] = 1; exclusive = 1; command = 0 }}
  :: d_step {{ answer[{0}] == 2 -> cache[{0}] = 1; answer[{0}] = 0 }}
  :: d_step {{ answer[{0}] == 3 -> cache[{0}] = 2; answer[{0}] = 0 }}
)";

}  // namespace

std::string german_model(int clients) {
  return fmt::format(
             "# SPDX-License-Identifier: MIT\nmodel german \"a directory protocol to measure with\"\n\nsort client = {} "
             "with c0;\n",
             clients) +
         model;
}

std::string german_properties() {
  return "# SPDX-License-Identifier: MIT\n"
         "property german_exclusive \"who may write is alone\" model\n"
         "  invariant all c: client, d: client : c == d || cache(c) != 2 || cache(d) == 0;\n";
}

std::string german_promela(int clients) {
  std::string all, copies, any;
  for (int c = 0; c < clients; ++c) {
    copies += fmt::format("{1}to_invalidate[{0}] = sharer[{0}]", c, c ? "; " : "");
    any += fmt::format("{1}sharer[{0}]", c, c ? " || " : "");
  }
  for (int c = 0; c < clients; ++c) all += fmt::format(fmt::runtime(one_client), c, copies, any);
  return fmt::format(
             "byte cache[{0}], request[{0}], answer[{0}], command, who;\nbit acknowledged[{0}], to_invalidate[{0}], "
             "sharer[{0}], exclusive;\nactive proctype german() {{\n  do\n",
             clients) +
         all + "  od\n}\n";
}

std::string german_murphi(int clients) { return fmt::format("const N: {};\n", clients) + murphi; }

}  // namespace quiesce::bench
