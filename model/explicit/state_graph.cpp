// SPDX-License-Identifier: MIT
#include "model/explicit/state_graph.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/explicit/state_hash.hpp"

namespace quiesce {

namespace {
constexpr std::uint32_t states_between_looks = 1024;
}

state_graph::state_graph(const transition_system& s)
    : system_(s), steps_(s.make_stepper()), words_(s.state_layout().words()), states_(words_), table_(1024, none) {}

state_graph::index state_graph::find(const word* s) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash_state<0>(s, words_) & mask;; at = (at + 1) & mask) {
    if (table_[at] == none) return none;
    if (same_state<0>(state(table_[at]), s, words_)) return table_[at];
  }
}

void state_graph::grow() {
  std::vector<index> old(table_.size() * 2, none);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const index i : old) {
    if (i == none) continue;
    std::size_t at = hash_state<0>(state(i), words_) & mask;
    while (table_[at] != none) at = (at + 1) & mask;
    table_[at] = i;
  }
}

state_graph::index state_graph::put(const word* s, index parent) {
  if (const index known = find(s); known != none) return known;
  if (size() == none - 1) throw std::length_error("more than 2^32 - 2 states");
  if ((std::size_t{size()} + 1) * 2 > table_.size()) grow();
  const index made = size();
  states_.reserve(made);
  std::copy_n(s, words_, states_.row(made));
  parents_.push_back(parent);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_state<0>(s, words_) & mask;
  while (table_[at] != none) at = (at + 1) & mask;
  return table_[at] = made;
}

void state_graph::meet(const step& x, index before) {
  if (before != none) ++transitions_;
  marked_ |= x.marked;
  const ending e{before, x.outcome, x.kind};
  switch (x.outcome) {
    case step_outcome::state:
      put(x.state, before);
      break;
    case step_outcome::error:
      errors_.emplace(static_cast<ir::error_kind>(x.kind), e);
      break;
    case step_outcome::bound:
      bounds_.emplace(static_cast<ir::bound_kind>(x.kind), e);
      break;
    case step_outcome::stuck:
      if (!deadlock_) deadlock_ = e;
      break;
  }
}

bool state_graph::explore(budget_watch& watch, const std::function<void()>& report) {
  steps_->initial([&](const step& x) { meet(x, none); });
  double reported = 0;
  levels_.push_back(0);
  for (index i = 0, level_end = size(); i < size(); ++i) {
    if (i == level_end) {
      levels_.push_back(i);
      level_end = size();
    }
    if (i % states_between_looks == 0) {
      if (watch.check(size(), memory_bytes())) return false;
      if (report && watch.elapsed_s() - reported >= 1) {
        reported = watch.elapsed_s();
        report();
      }
    }
    bool any = false;
    steps_->successors(state(i), [&](const step& x) {
      any = true;
      meet(x, i);
    });
    if (!any && !deadlock_ && !steps_->resting(state(i))) deadlock_ = ending{i, step_outcome::state, 0};
  }
  return !watch.check(size(), memory_bytes());
}

std::uint64_t state_graph::depth(index i) const {
  return static_cast<std::uint64_t>(std::upper_bound(levels_.begin(), levels_.end(), i) - levels_.begin() - 1);
}

bool state_graph::edges(index from, std::vector<edge>& out) {
  bool any = false;
  steps_->successors(state(from), [&](const step& x) {
    any = true;
    out.push_back({x.outcome == step_outcome::state ? find(x.state) : none, x.process, x.instance});
  });
  return any;
}

std::uint64_t state_graph::memory_bytes() const {
  return std::uint64_t{size()} * (8 * words_) + 4 * (parents_.capacity() + table_.size());
}

std::vector<state_graph::index> state_graph::path_to(index last) const {
  std::vector<index> path;
  for (; last != none; last = parents_[last]) path.push_back(last);
  std::reverse(path.begin(), path.end());
  return path;
}

trace state_graph::run_to(const ending& e) const {
  std::vector<step_filter> filters;
  const std::vector<index> path = path_to(e.before);
  for (const index i : path)
    filters.push_back([this, i](const step& x) {
      return x.outcome == step_outcome::state && std::equal(x.state, x.state + words_, state(i));
    });
  if (e.outcome != step_outcome::state)
    filters.push_back([&](const step& x) { return x.outcome == e.outcome && x.kind == e.kind; });
  return run_trace(system_, filters);
}

}  // namespace quiesce
