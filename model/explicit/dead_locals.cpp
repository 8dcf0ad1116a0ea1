// SPDX-License-Identifier: MIT
#include "model/explicit/dead_locals.hpp"

namespace quiesce {

namespace {
using ir::op;
using ir::operation;

bool is_self(const ir::program& p, const ir::process& q, const std::vector<ir::expr_id>& index) {
  if (q.over == ir::nothing) return true;
  return !index.empty() && p.exprs[index[0]].code == op::temp && p.exprs[index[0]].temp == 0;
}
}  // namespace

dead_locals::dead_locals(const ir::program& p)
    : p_(p), bit_(p.variables.size(), 0), first_temp_(p.processes.size(), 0), flows_(p.processes.size()) {
  find_candidates();
  for (std::uint32_t q = 0; q < p.processes.size(); ++q) solve(q);
  reads_.clear();
}

// A local stays a candidate while nobody but its owner, at its own instance, mentions it.
void dead_locals::find_candidates() {
  candidate_.assign(p_.variables.size(), false);
  for (std::size_t v = 0; v < p_.variables.size(); ++v) {
    const ir::variable& x = p_.variables[v];
    if (x.kind != ir::variable_kind::local || x.owner >= p_.processes.size()) continue;
    const ir::process& q = p_.processes[x.owner];
    candidate_[v] = q.over == ir::nothing || (!x.index.empty() && x.index[0] == q.over);
  }
  auto code = [&](const std::vector<ir::instruction>& all, std::uint32_t owner) {
    std::vector<bool> done(p_.exprs.size(), false);
    for (const ir::instruction& i : all) {
      if (i.a != ir::nothing) disqualify(i.a, owner, done);
      for (ir::expr_id e : i.index) disqualify(e, owner, done);
      if (i.code != operation::set || owner == ir::nothing || !candidate_[i.var]) continue;
      if (p_.variables[i.var].owner != owner || !is_self(p_, p_.processes[owner], i.index)) candidate_[i.var] = false;
    }
  };
  for (std::uint32_t q = 0; q < p_.processes.size(); ++q) code(p_.processes[q].code, q);
  code(p_.init, ir::nothing);  // may write them, must not read them
  std::vector<bool> done(p_.exprs.size(), false);
  for (const ir::checked_property& c : p_.properties)
    if (c.invariant != ir::nothing) disqualify(c.invariant, ir::nothing, done);
}

void dead_locals::disqualify(ir::expr_id id, std::uint32_t owner, std::vector<bool>& done) {
  if (done[id]) return;
  done[id] = true;
  const ir::expr& e = p_.exprs[id];
  if (e.code == op::load && candidate_[e.var])
    if (p_.variables[e.var].owner != owner || !is_self(p_, p_.processes[owner], e.kids)) candidate_[e.var] = false;
  for (ir::expr_id k : e.kids) disqualify(k, owner, done);
}

const dead_locals::facts& dead_locals::reads(ir::expr_id id) {
  if (!reads_[id].empty()) return reads_[id];
  facts out((width_ + 63) / 64, 0);
  const ir::expr& e = p_.exprs[id];
  std::uint32_t bit = ~0u;
  if (e.code == op::load && candidate_[e.var] && p_.variables[e.var].owner == owner_) bit = bit_[e.var];
  if (e.code == op::temp) bit = first_temp_[owner_] + e.temp;
  if (bit < width_) out[bit / 64] |= std::uint64_t{1} << (bit % 64);
  for (ir::expr_id k : e.kids) {
    const facts& inner = reads(k);
    for (std::size_t w = 0; w < out.size(); ++w) out[w] |= inner[w];
  }
  return reads_[id] = std::move(out);
}

bool dead_locals::kills(const ir::process& q, const ir::instruction& i) const {
  std::size_t self = q.over == ir::nothing ? 0 : 1;
  return i.code == operation::set && candidate_[i.var] && p_.variables[i.var].index.size() == self;
}

// What is live behind an instruction. Temps do not outlive a step.
dead_locals::facts dead_locals::leaving(std::uint32_t number, std::uint32_t at) const {
  const ir::process& q = p_.processes[number];
  const flow& f = flows_[number];
  const ir::instruction& i = q.code[at];
  facts out((width_ + 63) / 64, 0);
  auto join = [&](std::size_t from) {
    for (std::size_t w = 0; w < out.size(); ++w) out[w] |= f.before[from][w];
  };
  if (i.code == operation::error || i.code == operation::bound || i.code == operation::stuck) return out;
  if (i.code == operation::stop) {
    if (!q.locations[i.which].ended) join(q.locations[i.which].entry);
    for (std::uint32_t t = first_temp_[number]; t < width_; ++t) out[t / 64] &= ~(std::uint64_t{1} << (t % 64));
    return out;
  }
  if (i.code == operation::jump || i.code == operation::jump_if) join(i.target);
  if (i.code != operation::jump && at + 1 < q.code.size()) join(at + 1);
  return out;
}

dead_locals::facts dead_locals::entering(const ir::process& q, const ir::instruction& i, facts live) {
  std::uint32_t written = ~0u;
  if (kills(q, i)) written = bit_[i.var];
  if (i.code == operation::set_temp || i.code == operation::choose) written = first_temp_[owner_] + i.temp;
  if (written < width_) live[written / 64] &= ~(std::uint64_t{1} << (written % 64));
  auto read = [&](ir::expr_id e) {
    const facts& r = reads(e);
    for (std::size_t w = 0; w < live.size(); ++w) live[w] |= r[w];
  };
  if (i.a != ir::nothing) read(i.a);
  for (ir::expr_id e : i.index) read(e);
  return live;
}

void dead_locals::solve(std::uint32_t number) {
  const ir::process& q = p_.processes[number];
  owner_ = number;
  width_ = 0;
  for (std::size_t v = 0; v < p_.variables.size(); ++v)
    if (candidate_[v] && p_.variables[v].owner == number) bit_[v] = width_++;
  first_temp_[number] = width_;
  width_ += q.temps;
  reads_.assign(p_.exprs.size(), {});
  flow& f = flows_[number];
  f.before.assign(q.code.size(), facts((width_ + 63) / 64, 0));
  f.after = f.before;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto k = static_cast<std::uint32_t>(q.code.size()); k-- > 0;) {
      facts out = leaving(number, k);
      facts in = entering(q, q.code[k], out);
      changed = changed || in != f.before[k] || out != f.after[k];
      f.before[k] = std::move(in);
      f.after[k] = std::move(out);
    }
  }
}

bool dead_locals::dead(ir::variable_id v, std::uint32_t location) const {
  if (!candidate_[v]) return false;
  const ir::variable& x = p_.variables[v];
  const ir::location& l = p_.processes[x.owner].locations[location];
  return l.ended || !has(flows_[x.owner].before[l.entry], bit_[v]);
}

bool dead_locals::dead_store(std::uint32_t q, std::uint32_t i) const {
  const ir::instruction& x = p_.processes[q].code[i];
  return x.code == operation::set && candidate_[x.var] && !has(flows_[q].after[i], bit_[x.var]);
}

bool dead_locals::temp_live_after(std::uint32_t q, std::uint32_t i, ir::temp_id t) const {
  return has(flows_[q].after[i], first_temp_[q] + t);
}
bool dead_locals::temp_live_before(std::uint32_t q, std::uint32_t i, ir::temp_id t) const {
  return has(flows_[q].before[i], first_temp_[q] + t);
}

}  // namespace quiesce
