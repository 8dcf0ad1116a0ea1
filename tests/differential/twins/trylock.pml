/* SPDX-License-Identifier: MIT */
byte owner;   /* 0: free */

active [3] proctype worker() {
  do
  :: d_step { owner == 0; owner = _pid + 1 };
     skip;
     owner = 0
  :: owner != 0;
     skip
  od
}
