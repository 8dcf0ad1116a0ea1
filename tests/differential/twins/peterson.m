-- SPDX-License-Identifier: MIT
type
  side: 0 .. 1;
var
  flag: array[side] of boolean;
  turn: side;
  pc: array[side] of 0 .. 4;

startstate begin
  for i: side do
    flag[i] := false;
    pc[i] := 0;
  end;
  turn := 0;
end;

ruleset i: side do
  rule "raise" pc[i] = 0 ==> begin flag[i] := true; pc[i] := 1; end;
  rule "yield" pc[i] = 1 ==> begin turn := i; pc[i] := 2; end;
  rule "enter" pc[i] = 2 & (!flag[1 - i] | turn != i) ==> begin pc[i] := 3; end;
  rule "critical" pc[i] = 3 ==> begin pc[i] := 4; end;
  rule "leave" pc[i] = 4 ==> begin flag[i] := false; pc[i] := 0; end;
end;
