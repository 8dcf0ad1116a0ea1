-- SPDX-License-Identifier: MIT
type
  dev: scalarset(3);
  position: 0 .. 2;
var
  todo: array[position] of dev;
  length: 0 .. 3;
  freed: array[dev] of boolean;
  pc: array[dev] of 0 .. 2;

startstate begin
  length := 0;
  for i: position do undefine todo[i]; end;
  for d: dev do
    freed[d] := false;
    pc[d] := 0;
  end;
end;

ruleset d: dev do
  rule "enqueue" pc[d] = 0 ==> begin todo[length] := d; length := length + 1; pc[d] := 1; end;
  rule "wait" pc[d] = 1 & freed[d] ==> begin pc[d] := 2; end;
  rule "again" pc[d] = 2 ==> begin freed[d] := false; pc[d] := 0; end;
end;

rule "free" length > 0 ==> begin
  freed[todo[0]] := true;
  for i: 0 .. 1 do
    if i + 1 < length then todo[i] := todo[i + 1]; end;
  end;
  undefine todo[length - 1];
  length := length - 1;
end;
