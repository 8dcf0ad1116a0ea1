/* SPDX-License-Identifier: MIT */
chan todo = [3] of { byte };
bool freed[3];

active [3] proctype unregister() {
  do
  :: todo ! _pid;
     freed[_pid];
     freed[_pid] = 0
  od
}

active proctype run_todo() {
  byte d;
  do
  :: d_step { todo ? d; freed[d] = 1; d = 0 }
  od
}
