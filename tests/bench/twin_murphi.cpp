// SPDX-License-Identifier: MIT
// The scalable teardown system in Murphi, written as one would for speed: a rule for each place, no record of what is
// constant.
#include <fmt/format.h>

#include <algorithm>

#include "tests/bench/twin.hpp"

namespace quiesce::bench {

namespace {

const char* const declarations = R"(type
  task: 0..T-1;
  slot: 0..B-1;
  net: 0..N-1;
  actor: 0..G-1;
  place: enum { idle, going, ndown, mark, enlist, down, unreg, batch, uninit, unlock, waits, again, listed, freed, restart };
  holder: enum { nobody, asks, decides, collects, releases };
var
  rtnl: 0..T;
  gcl: 0..2;
  timer: boolean;
  pc: array [task] of place;
  ix: array [task] of 0..M-1;
  st: array [task] of array [slot] of 0..5;
  up: array [task] of array [slot] of boolean;
  rf: array [task] of array [slot] of 0..C+G;
  ca: array [task] of array [slot] of 0..C;
  lst: array [task] of array [net] of boolean;
  ub: array [task] of array [net] of 0..3;
  ap: array [actor] of holder;
  am: array [actor] of boolean;
  at: array [actor] of task;
  sl: array [actor] of slot;

procedure slots(t: task; again, done: place);
begin
  if ix[t] = B - 1 then ix[t] := 0; pc[t] := done; else ix[t] := ix[t] + 1; pc[t] := again; end;
end;
procedure nets(t: task; again, done: place);
begin
  if ix[t] = N - 1 then ix[t] := 0; pc[t] := done; else ix[t] := ix[t] + 1; pc[t] := again; end;
end;
procedure forget(t: task);
begin
  rf[t][ix[t]] := rf[t][ix[t]] - ca[t][ix[t]];
  ca[t][ix[t]] := 0;
  lst[t][ix[t] % N] := true;
end;
function cached(): boolean;
begin
  for t: task do for i: slot do if ca[t][i] > 0 then return true; end; end; end;
  return false;
end;

startstate begin
  rtnl := 0; gcl := 0; timer := false;
  for t: task do
    pc[t] := idle; ix[t] := 0;
    for i: slot do st[t][i] := 0; up[t][i] := true; rf[t][i] := 0; ca[t][i] := 0; end;
    for n: net do lst[t][n] := false; ub[t][n] := 0; end;
  end;
  for a: actor do ap[a] := nobody; am[a] := false; at[a] := 0; sl[a] := 0; end;
end;

ruleset t: task do
  rule pc[t] = idle & rtnl = 0 ==> begin rtnl := t + 1; pc[t] := going; end;
  rule pc[t] = going ==> begin st[t][ix[t]] := 1; pc[t] := ndown; end;
  rule pc[t] = ndown ==> begin up[t][ix[t]] := false; pc[t] := mark; end;
  rule pc[t] = mark ==> begin st[t][ix[t]] := 2; slots(t, going, enlist); end;
  rule pc[t] = enlist ==> begin lst[t][ix[t] % N] := true; slots(t, enlist, down); end;
  rule pc[t] = down ==> begin lst[t][ix[t]] := false; nets(t, down, unreg); end;
  rule pc[t] = unreg ==> begin st[t][ix[t]] := 3; forget(t); slots(t, unreg, batch); end;
  rule pc[t] = batch ==> begin
    if lst[t][ix[t]] then
      lst[t][ix[t]] := false;
      assert ub[t][ix[t]] = 0;
      ub[t][ix[t]] := ub[t][ix[t]] + 1;
    end;
    nets(t, batch, uninit);
  end;
  rule pc[t] = uninit ==> begin assert ub[t][ix[t] % N] = 1; st[t][ix[t]] := 4; slots(t, uninit, unlock); end;
  rule pc[t] = unlock ==> begin rtnl := 0; pc[t] := waits; end;
  rule pc[t] = waits & rf[t][ix[t]] = 0 ==> begin pc[t] := freed; end;
  rule pc[t] = waits & rf[t][ix[t]] != 0 & rtnl = 0 ==> begin rtnl := t + 1; pc[t] := again; end;
  rule pc[t] = again ==> begin forget(t); pc[t] := listed; end;
  rule pc[t] = listed ==> begin lst[t][ix[t] % N] := false; rtnl := 0; pc[t] := waits; end;
  rule pc[t] = freed ==> begin assert rf[t][ix[t]] = 0; st[t][ix[t]] := 5; slots(t, waits, restart); end;
  rule pc[t] = restart & rtnl = 0 ==> begin
    for i: slot do st[t][i] := 0; up[t][i] := true; end;
    for n: net do ub[t][n] := 0; end;
    pc[t] := idle;
  end;
end;

ruleset a: actor do
  ruleset t: task do ruleset i: slot do
    rule ap[a] = nobody & up[t][i] ==> begin rf[t][i] := rf[t][i] + 1; at[a] := t; sl[a] := i; ap[a] := asks; end;
    rule ap[a] = collects & ca[t][i] > 0 ==> begin
      ca[t][i] := ca[t][i] - 1; rf[t][i] := rf[t][i] - 1; gcl := 0; ap[a] := releases;
    end;
  end; end;
  ruleset m: boolean do
    rule ap[a] = asks ==> begin
      am[a] := m;
      if ca[at[a]][sl[a]] < C then
        ca[at[a]][sl[a]] := ca[at[a]][sl[a]] + 1;
        rf[at[a]][sl[a]] := rf[at[a]][sl[a]] + 1;
      end;
      ap[a] := decides;
    end;
  end;
  rule ap[a] = decides & gcl = 0 ==> begin gcl := 1; am[a] := false; ap[a] := collects; end;
  rule ap[a] = decides & gcl != 0 & am[a] ==> begin am[a] := false; ap[a] := releases; end;
  rule ap[a] = collects & !cached() ==> begin gcl := 0; ap[a] := releases; end;
  rule ap[a] = releases ==> begin rf[at[a]][sl[a]] := rf[at[a]][sl[a]] - 1; at[a] := 0; sl[a] := 0; ap[a] := nobody; end;
end;

rule gcl = 0 & cached() & !timer ==> begin gcl := 2; timer := true; end;
rule timer ==> begin
  for t: task do for i: slot do if st[t][i] >= 3 then rf[t][i] := rf[t][i] - ca[t][i]; ca[t][i] := 0; end; end; end;
  gcl := 0; timer := false;
end;

invariant forall n: net do forall t: task do forall u: task do t = u | !lst[t][n] | !lst[u][n] end end end;
invariant forall t: task do forall i: slot do st[t][i] = 5 -> rf[t][i] = 0 end end;
)";

}  // namespace

std::string twin_murphi(const twin_size& z) {
  return fmt::format("const T: {}; B: {}; N: {}; G: {}; C: {}; M: {};\n", z.tasks, z.slots, z.nets, z.actors, z.cache,
                     std::max(z.slots, z.nets)) +
         declarations;
}

}  // namespace quiesce::bench
