// SPDX-License-Identifier: MIT
#include "model/export/step_code.hpp"

#include <algorithm>

namespace quiesce::exporting {

using ir::operation;

std::vector<std::uint32_t> behind(const std::vector<ir::instruction>& code, std::uint32_t at) {
  switch (code[at].code) {
    case operation::jump:
      return {code[at].target};
    case operation::jump_if:
      return {at + 1, code[at].target};
    case operation::error:
    case operation::bound:
    case operation::stuck:
    case operation::stop:
      return {};
    default:
      return {at + 1};
  }
}

step_code code_of_step(const std::vector<ir::instruction>& code, std::uint32_t entry) {
  std::set<std::uint32_t> seen{entry};
  std::vector<std::uint32_t> todo{entry};
  step_code out;
  while (!todo.empty()) {
    const std::uint32_t at = todo.back();
    todo.pop_back();
    const ir::instruction& i = code[at];
    out.chooses = out.chooses || i.code == operation::choose;
    if (i.code == operation::jump || i.code == operation::jump_if) out.targets.insert(i.target);
    for (const std::uint32_t next : behind(code, at))
      if (seen.insert(next).second) todo.push_back(next);
  }
  out.at.assign(seen.begin(), seen.end());
  return out;
}

std::set<std::uint32_t> on_cycles(const std::vector<ir::instruction>& code, const step_code& step) {
  std::set<std::uint32_t> out;
  for (const std::uint32_t from : step.at) {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> todo = behind(code, from);
    while (!todo.empty() && !seen.count(from)) {
      const std::uint32_t at = todo.back();
      todo.pop_back();
      if (!seen.insert(at).second) continue;
      for (const std::uint32_t next : behind(code, at)) todo.push_back(next);
    }
    if (seen.count(from)) out.insert(from);
  }
  return out;
}

namespace {

bool same(const ir::program& p, ir::expr_id a, ir::expr_id b) {
  const ir::expr &x = p.exprs[a], &y = p.exprs[b];
  if (a == b) return true;
  if (x.code != y.code || x.value != y.value || x.var != y.var || x.temp != y.temp || x.sort != y.sort) return false;
  if (x.kids.size() != y.kids.size()) return false;
  for (std::size_t k = 0; k < x.kids.size(); ++k)
    if (!same(p, x.kids[k], y.kids[k])) return false;
  return true;
}

// Does the await only say that what was chosen is in a set that is known not to be empty? `if set is empty jump away; choose
// t; await set has t`: some choice passes.
bool harmless(const ir::program& p, const std::vector<ir::instruction>& code, const step_code& step, std::uint32_t at) {
  if (at < 2 || step.targets.count(at) || step.targets.count(at - 1)) return false;
  const ir::instruction &wait = code[at], &choice = code[at - 1], &test = code[at - 2];
  if (wait.code != operation::await || choice.code != operation::choose || test.code != operation::jump_if) return false;
  const ir::expr &has = p.exprs[wait.a], &empty = p.exprs[test.a];
  if (has.code != ir::op::contains || empty.code != ir::op::equal || choice.sort == ir::nothing) return false;
  const ir::expr& member = p.exprs[has.kids[1]];
  const ir::expr& none = p.exprs[empty.kids[1]];
  return member.code == ir::op::temp && member.temp == choice.temp && none.code == ir::op::constant && none.value == 0 &&
         same(p, has.kids[0], empty.kids[0]) && p.types[p.exprs[has.kids[0]].type].sort == choice.sort;
}

constexpr std::size_t most_nodes = 4000;    // of a condition
constexpr std::size_t most_visits = 20000;  // instructions looked at for one condition

class condition {
 public:
  condition(const ir::program& p, const std::vector<ir::instruction>& code, std::uint32_t entry)
      : p_(p), build_(p), code_(code) {
    const step_code step = code_of_step(code, entry);
    std::set<std::uint32_t> waits;
    for (bool more = true; more;) {
      more = false;
      for (const std::uint32_t at : step.at) {
        bool yes = code[at].code == operation::await && !harmless(p, code, step, at);
        for (const std::uint32_t next : behind(code, at)) yes = yes || waits.count(next);
        if (yes && waits.insert(at).second) more = true;
      }
    }
    waits_ = std::move(waits);
  }

  std::optional<term> run(std::uint32_t entry, const term& self) {
    knowledge k;
    k.temps[0] = self;
    return from(entry, std::move(k));
  }

 private:
  std::optional<term> from(std::uint32_t at, knowledge k) {
    term guard = build_.truth(true);
    for (;;) {
      if (!waits_.count(at)) return guard;
      if (++visits_ > most_visits) return std::nullopt;
      const ir::instruction& i = code_[at];
      if (i.code == operation::choose || i.code == operation::jump_if) {
        const auto rest = i.code == operation::choose ? chosen(i, at, k) : branched(i, at, k);
        if (!rest) return std::nullopt;
        return limited(build_.both(guard, *rest));
      }
      if (i.code == operation::await) {
        guard = build_.both(guard, build_.build(i.a, k));
        if ((guard->constant() && !guard->low) || size(guard, most_nodes) >= most_nodes) return limited(guard);
      } else if (i.code == operation::set_temp) {
        k.temps[i.temp] = build_.build(i.a, k);
        if (size(k.temps[i.temp], most_nodes) >= most_nodes) return std::nullopt;
      } else if (i.code == operation::set) {
        const term value = build_.build(i.a, k), fits = build_.fits(value, p_.variables[i.var].type);
        if (!fits->constant()) return std::nullopt;  // the step may end here
        if (!fits->low) return guard;
        write(k, i, value);
      }
      at = i.code == operation::jump ? i.target : at + 1;
    }
  }

  std::optional<term> limited(term t) const {
    if (size(t, most_nodes) >= most_nodes) return std::nullopt;
    return t;
  }

  std::optional<term> chosen(const ir::instruction& i, std::uint32_t at, const knowledge& k) {
    const auto n = static_cast<std::int64_t>(i.sort == ir::nothing ? i.count : build_.elements(i.sort));
    term any = build_.truth(false);
    for (std::int64_t v = 0; v < n; ++v) {
      knowledge one = k;
      one.temps[i.temp] = build_.constant(v);
      const auto rest = from(at + 1, std::move(one));
      if (!rest) return std::nullopt;
      any = build_.either(any, *rest);
      if (any->constant() && any->low) break;
    }
    return any;
  }

  std::optional<term> branched(const ir::instruction& i, std::uint32_t at, const knowledge& k) {
    const term c = build_.build(i.a, k);
    if (c->constant()) return from(c->low ? i.target : at + 1, k);
    const auto yes = from(i.target, k), no = from(at + 1, k);
    if (!yes || !no) return std::nullopt;
    return build_.both(build_.either(build_.negation(c), *yes), build_.either(c, *no));
  }

  void write(knowledge& k, const ir::instruction& i, const term& value) const {
    pending w;
    for (const ir::expr_id e : i.index) w.index.push_back(build_.build(e, k));
    w.value = value;
    auto& all = k.writes[i.var];
    const auto same = [&](const pending& old) {
      for (std::size_t d = 0; d < w.index.size(); ++d)
        if (!w.index[d]->constant() || !old.index[d]->constant() || old.index[d]->low != w.index[d]->low) return false;
      return true;
    };
    all.erase(std::remove_if(all.begin(), all.end(), same), all.end());
    all.push_back(std::move(w));
  }

  const ir::program& p_;
  term_builder build_;
  const std::vector<ir::instruction>& code_;
  std::set<std::uint32_t> waits_;  // an await that may make the step impossible lies behind them
  std::size_t visits_ = 0;
};

}  // namespace

std::optional<term> exists_step(const ir::program& p, const std::vector<ir::instruction>& code, std::uint32_t entry,
                                const term& self) {
  return condition(p, code, entry).run(entry, self);
}

term everybody_rests(const ir::program& p) {
  const term_builder build(p);
  term out = build.truth(true);
  for (const ir::process& q : p.processes) {
    const std::size_t n = q.over == ir::nothing ? 1 : build.elements(q.over);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<term> self;
      if (q.over != ir::nothing) self.push_back(build.constant(static_cast<std::int64_t>(k)));
      term here = build.truth(q.pc == ir::nothing && (q.locations[0].resting || q.locations[0].ended));
      for (std::size_t l = 0; q.pc != ir::nothing && l < q.locations.size(); ++l)
        if (q.locations[l].resting || q.locations[l].ended)
          here = build.either(here, build.equality(build.load(q.pc, self, p.variables[q.pc].type, {}),
                                                   build.constant(static_cast<std::int64_t>(l))));
      out = build.both(out, here);
    }
  }
  return out;
}

}  // namespace quiesce::exporting
