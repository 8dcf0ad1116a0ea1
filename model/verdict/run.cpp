// SPDX-License-Identifier: MIT
#include "model/verdict/run.hpp"

#include <algorithm>
#include <cassert>

#include "model/verdict/range_error.hpp"

namespace quiesce {
namespace {

bool wants(const ir::checked_property& p) { return p.sometimes; }

// Goals of `sometimes` reached by `s`: marks, or state formulas that are true.
std::uint64_t goals(const transition_system& system, stepper& steps, const step& s) {
  std::uint64_t reached = s.marked;
  if (s.outcome != step_outcome::state) return reached;
  const std::uint64_t states = steps.failing_invariants(s.state);
  const auto& properties = system.program().properties;
  for (std::size_t i = 0; i < properties.size(); ++i)
    if (wants(properties[i]) && properties[i].invariant != ir::nothing) reached |= states & (std::uint64_t{1} << i);
  return reached;
}

}  // namespace

std::uint64_t broken_by(const transition_system& system, stepper& steps, const step& s) {
  std::uint64_t broken = s.violated;
  const auto& properties = system.program().properties;
  const std::uint64_t failing = s.outcome == step_outcome::state ? steps.failing_invariants(s.state) : 0;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const auto& errors = properties[i].errors;
    const bool named = s.outcome == step_outcome::error &&
                       std::find(errors.begin(), errors.end(), static_cast<ir::error_kind>(s.kind)) != errors.end();
    if (named || (failing & bit && !wants(properties[i]))) broken |= bit;
  }
  return broken;
}

run::run(const transition_system& system) : system_(system), stepper_(system.make_stepper()) { look(); }

void run::look() {
  enabled_.clear();
  if (ended_) return;
  const std::size_t words = system_.state_layout().words();
  const record_visitor keep = [&](const step& s, const step_record& record) {
    enabled_.push_back({{s.state, s.state + words}, s, record});
  };
  if (states_.empty())
    stepper_->initial_recorded(keep);
  else
    stepper_->successors_recorded(states_.back().data(), keep);
  for (enabled_step& e : enabled_) e.done.state = e.state.data();
}

step_text run::words(const enabled_step& e, bool locals) const {
  return describe(system_, state(), e.done, e.record, locals);
}

void run::take(std::size_t number) {
  assert(number < enabled_.size());
  const enabled_step& e = enabled_[number];
  taken_.push_back(words(e));
  violated_.push_back(broken_by(system_, *stepper_, e.done));
  marked_.push_back(goals(system_, *stepper_, e.done));
  if (e.done.outcome != step_outcome::state) {
    ending_ = describe_ending(system_.program(), e.done) + range_error_text(system_, state(), e.done, e.record);
    ended_ = e.done;
    ended_->state = nullptr;
  }
  states_.push_back(e.state);
  look();
}

bool run::undo() {
  if (states_.empty()) return false;
  states_.pop_back();
  taken_.pop_back();
  violated_.pop_back();
  marked_.pop_back();
  ended_.reset();
  ending_.clear();
  look();
  return true;
}

std::uint64_t run::marked() const {
  std::uint64_t all = 0;
  for (const std::uint64_t m : marked_) all |= m;
  return all;
}

bool run::deadlocked() {
  return !ended_ && !states_.empty() && enabled_.empty() && !stepper_->resting(states_.back().data());
}

}  // namespace quiesce
