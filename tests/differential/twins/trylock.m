-- SPDX-License-Identifier: MIT
type
  task: scalarset(3);
  place: enum { try, critical, release, back_off };
var
  locked: boolean;
  pc: array[task] of place;

startstate begin
  locked := false;
  for t: task do pc[t] := try; end;
end;

ruleset t: task do
  rule "lock" pc[t] = try & !locked ==> begin locked := true; pc[t] := critical; end;
  rule "busy" pc[t] = try & locked ==> begin pc[t] := back_off; end;
  rule "critical" pc[t] = critical ==> begin pc[t] := release; end;
  rule "unlock" pc[t] = release ==> begin locked := false; pc[t] := try; end;
  rule "back off" pc[t] = back_off ==> begin pc[t] := try; end;
end;
