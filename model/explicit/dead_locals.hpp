// SPDX-License-Identifier: MIT
#pragma once
// Which locals have a value that nobody will read, by backward data flow over a process's code.

#include <cstdint>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce {

class dead_locals {
 public:
  explicit dead_locals(const ir::program&);
  // The local `v` of the process standing at `location` is written before it is read on every path.
  bool dead(ir::variable_id v, std::uint32_t location) const;
  // What instruction `i` of process `q` stores there is never read.
  bool dead_store(std::uint32_t q, std::uint32_t i) const;
  // The value of temp `t` is read after instruction `i` before it is written again.
  bool temp_live_after(std::uint32_t q, std::uint32_t i, ir::temp_id t) const;
  bool temp_live_before(std::uint32_t q, std::uint32_t i, ir::temp_id t) const;

 private:
  using facts = std::vector<std::uint64_t>;  // bits: the candidates of the process, then its temps
  struct flow {
    std::vector<facts> before, after;
  };
  void find_candidates();
  void disqualify(ir::expr_id, std::uint32_t owner, std::vector<bool>& done);
  const facts& reads(ir::expr_id);
  void solve(std::uint32_t q);
  facts leaving(std::uint32_t q, std::uint32_t i) const;
  facts entering(const ir::process&, const ir::instruction&, facts);
  bool kills(const ir::process&, const ir::instruction&) const;
  bool has(const facts& f, std::uint32_t bit) const { return f[bit / 64] >> (bit % 64) & 1; }

  const ir::program& p_;
  std::vector<bool> candidate_;            // locals that only their own process and instance touches
  std::vector<std::uint32_t> bit_;         // of a candidate
  std::vector<std::uint32_t> first_temp_;  // for each process, its bit
  std::uint32_t width_ = 0, owner_ = 0;    // of the process being solved
  std::vector<facts> reads_;               // for it, by expression; empty: not computed
  std::vector<flow> flows_;
};

}  // namespace quiesce
