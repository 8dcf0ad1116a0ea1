/* SPDX-License-Identifier: MIT */
bool flag[2];
byte turn;

active [2] proctype peterson() {
  do
  :: flag[_pid] = 1;
     turn = _pid;
     (flag[1 - _pid] == 0 || turn != _pid);
     skip;
     flag[_pid] = 0
  od
}
