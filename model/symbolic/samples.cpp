// SPDX-License-Identifier: MIT
#include "model/symbolic/samples.hpp"

#include <algorithm>
#include <string>

#include "model/symbolic/unrolling.hpp"

namespace quiesce::symbolic {

bool state_columns::add(const word* state) {
  const std::size_t words = t_.state_layout().words();
  if (!known_.emplace(reinterpret_cast<const char*>(state), words * sizeof(word)).second) return false;
  const std::size_t at = states_.size();
  states_.emplace_back(state, state + words);
  if (at % 64 == 0)
    for (set& column : columns_) column.push_back(0);
  for (std::size_t slot = 0; slot < s_.fields.size(); ++slot) {
    const field& f = s_.fields[slot];
    const auto& place = t_.state_layout().slots()[slot];
    const word code = place.bits == 0 ? 0 : get(state, place);
    for (std::uint32_t b = 0; b < f.width; ++b)
      if (f.one_hot ? code == b : (code >> b & 1) != 0) columns_[f.first + b][at / 64] |= std::uint64_t{1} << at % 64;
  }
  return true;
}

state_columns::set state_columns::all() const {
  set out(states_.size() / 64, ~std::uint64_t{0});
  if (states_.size() % 64 != 0) out.push_back((std::uint64_t{1} << states_.size() % 64) - 1);
  return out;
}

state_columns::set state_columns::with(literal l) const {
  const set& column = columns_[node_of(l) - node_of(s_.state[0])];
  if (!negated(l)) return column;
  set out = all();
  for (std::size_t w = 0; w < out.size(); ++w) out[w] &= ~column[w];
  return out;
}

std::size_t state_columns::first_of(const set& some) {
  for (std::size_t w = 0; w < some.size(); ++w)
    if (some[w] != 0) return w * 64 + static_cast<std::size_t>(__builtin_ctzll(some[w]));
  return some.size() * 64;
}

bool state_columns::holds(const word* state, const cube& c) const {
  state_columns one(t_, s_);
  one.add(state);
  return one.in(c) == 0;
}

std::size_t state_columns::in(const cube& c) const {
  set left = all();
  for (literal l : c) {
    const set& column = columns_[node_of(l) - node_of(s_.state[0])];
    for (std::size_t w = 0; w < left.size(); ++w) left[w] &= negated(l) ? ~column[w] : column[w];
  }
  return std::min(first_of(left), size());
}

samples::samples(const transition_system& t, const finite_system& s, std::uint32_t property, const symmetry& group,
                 std::size_t states, const std::function<bool()>& stop)
    : t_(t),
      property_(property),
      stepper_(t.make_stepper()),
      states_(t, s),
      group_(group),
      canonical_(group_.make_canonicaliser()) {
  start(s);
  std::size_t known_before = 0, unchanged = 0;
  for (std::size_t runs = 0; !initial_.empty() && states_.size() < states && unchanged < 100 && runs < states && !stop();
       ++runs) {
    add_run_from(initial_[random(initial_.size())], 0, false);
    unchanged = states_.size() > known_before ? 0 : unchanged + 1;
    known_before = states_.size();
  }
}

// The solver finds them faster than the interpreter does where they are few among many choices.
void samples::start(const finite_system& s) {
  constexpr std::size_t most = 2000;
  sat_solver solver(s.graph);
  solver.require(s.initial.valid);
  while (initial_.size() < most && solver.solve() == sat_answer::satisfiable) {
    initial_.push_back(state_of(t_, s, solver, s.initial.next));
    std::vector<literal> another;
    for (literal l : s.initial.next)
      if (node_of(l) != 0) another.push_back(solver.value(l) ? l ^ 1u : l);
    if (another.empty()) return;
    solver.require_any(another);
  }
}

std::uint64_t samples::random(std::uint64_t below) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return (random_ >> 16) % below;
}

void samples::note(const step& x, std::size_t depth) {
  triggered_ = triggered_ || (x.marked >> property_ & 1) != 0;
  const bool sometimes = t_.program().properties[property_].sometimes;
  if (((sometimes ? x.marked : x.violated) >> property_ & 1) != 0 || x.outcome == step_outcome::error ||
      x.outcome == step_outcome::bound)
    broken_at(depth);
}

bool samples::add(const word* state, std::size_t depth, bool whole) {
  std::vector<word> least(state, state + t_.state_layout().words());
  if (!group_.trivial()) canonical_->canonical(least.data());
  const bool fresh = orbits_.emplace(reinterpret_cast<const char*>(least.data()), least.size() * sizeof(word)).second;
  if ((!fresh && !whole) || !states_.add(state)) return false;
  depths_.push_back(depth);
  if ((stepper_->failing_invariants(state) >> property_ & 1) != 0) broken_at(depth);
  return true;
}

const std::vector<std::vector<word>>& samples::after(const std::vector<word>& at, std::size_t depth) {
  const std::string key(reinterpret_cast<const char*>(at.data()), at.size() * sizeof(word));
  const auto [found, fresh] = after_.try_emplace(key);
  std::vector<std::vector<word>>& states = found->second;
  if (fresh)
    stepper_->successors(at.data(), [&](const step& x) {
      note(x, depth + 1);
      if (x.outcome == step_outcome::state) states.emplace_back(x.state, x.state + at.size());
    });
  return states;
}

bool samples::advance(std::vector<word>& at, std::size_t depth) {
  const auto& next = after(at, depth);
  if (next.empty()) return false;
  at = std::vector<word>(next[random(next.size())]);
  return true;
}

void samples::add_run_from(const std::vector<word>& state, std::size_t depth, bool whole) {
  constexpr std::size_t longest = 400;
  std::vector<word> at = state;
  add(at.data(), depth, whole);
  // What follows a state that is known is mostly known, too.
  for (std::size_t k = 0; k < longest && advance(at, depth + k); ++k)
    if (!add(at.data(), depth + k + 1, whole) && random(4) == 0) return;
}

void samples::add_runs_from(std::size_t sample, const cube& through) {
  std::vector<std::vector<word>> next;
  const std::size_t depth = depths_[sample];
  for (const std::vector<word>& n : after(states_.state(sample), depth))
    if (states_.holds(n.data(), through)) next.push_back(n);
  for (const std::vector<word>& n : next) add_run_from(n, depth + 1);
}

}  // namespace quiesce::symbolic
