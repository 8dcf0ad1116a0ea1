// SPDX-License-Identifier: MIT
#include "model/symbolic/sweep.hpp"

#include <algorithm>
#include <map>

namespace quiesce::symbolic {

namespace {

constexpr std::size_t most_questions = 400;  // about one state

std::uint64_t next_random(std::uint64_t& x) {
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return x;
}

}  // namespace

sweeper::sweeper(const transition_system& t, const finite_system& s)
    : t_(t), s_(s), stepper_(t.make_stepper()), matters_(s.state.size(), true) {
  for (const ir::process& p : t.program().processes) {
    if (p.pc == ir::nothing) continue;
    const ir::variable& v = t.program().variables[p.pc];
    for (std::uint64_t e = 0; e < ir::element_count(t.program(), v); ++e) {
      const field& f = s.fields[v.first_slot + e];
      if (f.one_hot) counters_.emplace_back(f.first, f.width);
    }
  }
}

void sweeper::only_for(const std::vector<literal>& conditions) {
  std::map<std::uint32_t, std::uint32_t> bit_of;
  for (std::uint32_t b = 0; b < s_.state.size(); ++b) bit_of.emplace(node_of(s_.state[b]), b);
  matters_.assign(s_.state.size(), false);
  std::vector<bool> seen(s_.graph.size(), false);
  std::vector<std::uint32_t> todo;
  for (literal l : conditions) todo.push_back(node_of(l));
  while (!todo.empty()) {
    const std::uint32_t n = todo.back();
    todo.pop_back();
    if (n == 0 || seen[n]) continue;
    seen[n] = true;
    const circuit::gate& g = s_.graph.at(n);
    if (!g.is_input) {
      todo.push_back(node_of(g.a));
      todo.push_back(node_of(g.b));
    } else if (const auto bit = bit_of.find(n); bit != bit_of.end()) {
      matters_[bit->second] = true;
      todo.push_back(node_of(s_.step.next[bit->second]));
    }
  }
}

void sweeper::begin(const unrolling& u, sat_solver& solver, std::size_t runs) {
  const std::vector<literal>& state = u.frames()[0].state;
  std::vector<literal> open;
  for (literal l : state)
    if (node_of(l) != 0) open.push_back(l);
  for (std::size_t i = 0; i < runs; ++i) {
    std::vector<literal> wanted;
    for (std::size_t n = open.empty() ? 0 : 1 + next_random(random_) % 12; n > 0; --n)
      wanted.push_back(open[next_random(random_) % open.size()] ^ (next_random(random_) >> 20 & 1u));
    if (solver.solve(wanted) == sat_answer::satisfiable) runs_.push_back(state_of(t_, s_, solver, state));
    if (open.empty()) break;
  }
}

sweeper::pattern sweeper::bits_of(const std::vector<word>& state) const {
  pattern out(s_.state.size(), false);
  for (std::size_t slot = 0; slot < s_.fields.size(); ++slot) {
    const field& f = s_.fields[slot];
    const auto& place = t_.state_layout().slots()[slot];
    const word code = place.bits == 0 ? 0 : get(state.data(), place);
    for (std::uint32_t b = 0; b < f.width; ++b) out[f.first + b] = f.one_hot ? code == b : (code >> b & 1) != 0;
  }
  return out;
}

void sweeper::advance() {
  std::vector<std::vector<word>> further, choices;
  for (const std::vector<word>& at : runs_) {
    choices.clear();
    stepper_->successors(at.data(), [&](const step& x) {
      if (x.outcome == step_outcome::state) choices.emplace_back(x.state, x.state + stepper_->words_of_state());
    });
    if (!choices.empty()) further.push_back(choices[next_random(random_) % choices.size()]);
  }
  runs_ = std::move(further);
}

std::vector<sweeper::claim> sweeper::suggestions(const std::vector<literal>& state, const std::vector<pattern>& seen) const {
  std::vector<claim> out;
  std::map<std::vector<bool>, std::uint32_t> classes;
  std::vector<bool> free(state.size(), false);
  for (std::uint32_t b = 0; b < state.size(); ++b) {
    if (node_of(state[b]) == 0 || !matters_[b]) continue;
    std::vector<bool> column;
    for (const pattern& p : seen) column.push_back(p[b]);
    const bool first = column[0];
    if (std::all_of(column.begin(), column.end(), [&](bool x) { return x == first; })) {
      out.push_back({claim::kind::constant, b, 0, first});
      continue;
    }
    if (first) column.flip();
    const auto [at, fresh] = classes.emplace(std::move(column), b);
    free[b] = fresh;
    if (!fresh && state[b] != (state[at->second] ^ (first != seen[0][at->second] ? 1u : 0u)))
      out.push_back({claim::kind::same, b, at->second, first == seen[0][at->second]});
  }
  for (const auto& [begin, width] : counters_)
    for (std::uint32_t l = begin; l < begin + width; ++l) {
      if (!free[l]) continue;
      for (std::uint32_t b = 0; b < state.size(); ++b) {
        if (!free[b] || (b >= begin && b < begin + width)) continue;
        bool some = false, value = false, constant = true;
        for (const pattern& p : seen) {
          if (!p[l]) continue;
          constant = constant && (!some || p[b] == value);
          value = p[b];
          some = true;
        }
        if (some && constant) out.push_back({claim::kind::under, b, l, value});
      }
    }
  return out;
}

bool sweeper::confirmed(const claim& c, const pattern& p) const {
  switch (c.what) {
    case claim::kind::constant:
      return p[c.bit] == c.value;
    case claim::kind::same:
      return (p[c.bit] == p[c.other]) == c.value;
    case claim::kind::under:
      return !p[c.other] || p[c.bit] == c.value;
  }
  return false;
}

literal sweeper::contradicted(circuit& g, const claim& c, const std::vector<literal>& state) const {
  const literal bit = state[c.bit];
  switch (c.what) {
    case claim::kind::constant:
      return c.value ? bit ^ 1u : bit;
    case claim::kind::same:
      return g.same(bit, state[c.other]) ^ (c.value ? 1u : 0u);
    case claim::kind::under:
      return g.both(state[c.other], c.value ? bit ^ 1u : bit);
  }
  return always_true;
}

std::vector<literal> sweeper::simplify(unrolling& u, sat_solver& solver, std::vector<literal> state) {
  advance();
  std::vector<pattern> seen;
  for (const std::vector<word>& at : runs_) seen.push_back(bits_of(at));
  if (seen.empty()) return state;
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  std::vector<claim> claims = suggestions(state, seen);
  circuit& g = u.graph();
  for (std::size_t questions = 0; !claims.empty(); ++questions) {
    std::vector<literal> wrong;
    for (const claim& c : claims) wrong.push_back(contradicted(g, c, state));
    const sat_answer answer = questions >= most_questions ? sat_answer::stopped : solver.solve({any_of(g, wrong)});
    if (answer == sat_answer::stopped) return state;
    if (answer == sat_answer::unsatisfiable) break;
    pattern p;
    for (literal l : state) p.push_back(solver.value(l));
    runs_.push_back(state_of(t_, s_, solver, state));  // a run that was not among the samples: from here on it is
    claims.erase(std::remove_if(claims.begin(), claims.end(), [&](const claim& c) { return !confirmed(c, p); }),
                 claims.end());
  }
  std::vector<literal> out = state;
  for (const claim& c : claims) {
    solver.require(contradicted(g, c, state) ^ 1u);
    if (c.what == claim::kind::under) continue;
    out[c.bit] =
        c.what == claim::kind::constant ? (c.value ? always_true : always_false) : state[c.other] ^ (c.value ? 0u : 1u);
  }
  return out;
}

}  // namespace quiesce::symbolic
