// SPDX-License-Identifier: MIT
#include "model/explicit/fair_cycle.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_map>

namespace quiesce {

fair_steps::fair_steps(const transition_system& s, const std::vector<fair_process>& fair) : system_(s) {
  for (const fair_process& f : fair) {
    const ir::process& q = s.program().processes[f.process];
    const std::size_t n = q.over == ir::nothing ? 1 : s.program().sorts[q.over].element.size();
    for (std::uint32_t i = 0; i < n; ++i) {
      const constraint_set bit = constraint_set{1} << constraints_.size();
      all_ |= bit;
      if (f.strong) strong_ |= bit;
      constraints_.push_back({f.process, i, f.at.empty() ? nullptr : &f.at});
    }
  }
}

constraint_set fair_steps::of(const word* before, std::uint32_t process, std::uint32_t instance) const {
  constraint_set out = 0;
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    const constraint& c = constraints_[k];
    if (c.process != process || c.instance != instance) continue;
    if (c.at) {
      const ir::variable& pc = system_.program().variables[system_.program().processes[process].pc];
      if (!(*c.at)[get(before, system_.state_layout().slots()[pc.first_slot + instance])]) continue;
    }
    out |= constraint_set{1} << k;
  }
  return out;
}

namespace {

using index = state_graph::index;

class walker {
 public:
  walker(state_graph& g, const fair_steps& f, const std::vector<bool>& member, index from)
      : graph_(g), fair_(f), member_(member), from_(from) {}

  // Serves `required`, nearest first, and comes back.
  std::vector<hop> walk(constraint_set required) {
    way_.clear();
    at_ = from_;
    open_ = required;
    while (open_) go([&](index v, const hop* step, constraint_set enabled) { return serves(v, step, enabled) != 0; });
    if (at_ != from_ || way_.empty()) go([&](index, const hop* step, constraint_set) { return step && step->to == from_; });
    return way_;
  }

  fair_record record(const std::vector<hop>& way) {
    fair_record r;
    index before = from_;
    for (const hop& h : way) {
      r.state(enabled(before));
      r.taken |= fair_.of(graph_.state(before), h.process, h.instance);
      before = h.to;
    }
    return r;
  }

 private:
  struct reached {
    index before = state_graph::none;
    hop by;
  };

  constraint_set enabled(index v) {
    edges_.clear();
    graph_.edges(v, edges_);
    constraint_set out = 0;
    for (const auto& e : edges_) out |= fair_.of(graph_.state(v), e.process, e.instance);
    return out;
  }

  // What of the open constraints standing in v, or this step from it, serves.
  constraint_set serves(index v, const hop* step, constraint_set enabled) const {
    if (!step) return open_ & fair_.weak() & ~enabled;
    return open_ & fair_.of(graph_.state(v), step->process, step->instance);
  }

  // Breadth first to the nearest place that is wanted: a state, or a step. Moves there.
  template <class F>
  void go(F&& wanted) {
    std::unordered_map<index, reached> seen{{at_, {}}};
    std::vector<index> queue{at_};
    for (std::size_t n = 0; n < queue.size(); ++n) {
      const index v = queue[n];
      const constraint_set can = enabled(v);
      if (wanted(v, nullptr, can)) return arrive(seen, v, nullptr, can);
      const std::vector<state_graph::edge> out = edges_;
      for (const auto& e : out) {
        if (e.to == state_graph::none || !member_[e.to]) continue;
        const hop h{e.to, e.process, e.instance};
        if (wanted(v, &h, can)) return arrive(seen, v, &h, can);
        if (seen.emplace(e.to, reached{v, h}).second) queue.push_back(e.to);
      }
    }
    throw std::logic_error("a fair part of the state graph has no fair way round");
  }

  void arrive(const std::unordered_map<index, reached>& seen, index v, const hop* last, constraint_set can) {
    std::vector<hop> way;
    for (index i = v; seen.at(i).before != state_graph::none; i = seen.at(i).before) way.push_back(seen.at(i).by);
    std::reverse(way.begin(), way.end());
    way_.insert(way_.end(), way.begin(), way.end());
    open_ &= ~serves(v, last, can);
    if (last) way_.push_back(*last);
    at_ = last ? last->to : v;
  }

  state_graph& graph_;
  const fair_steps& fair_;
  const std::vector<bool>& member_;
  const index from_;
  index at_ = state_graph::none;
  constraint_set open_ = 0;
  std::vector<hop> way_;
  std::vector<state_graph::edge> edges_;
};

}  // namespace

// Only what a way breaks is required of the next, so that it is no longer than it must be.
std::vector<hop> way_round(state_graph& g, const fair_steps& fair, const std::vector<bool>& member, index from) {
  walker w(g, fair, member, from);
  for (constraint_set required = 0;;) {
    std::vector<hop> way = w.walk(required);
    const fair_record r = w.record(way);
    const constraint_set broken = r.broken_weak(fair) | r.broken_strong(fair);
    if (!broken) return way;
    if ((required | broken) == required) throw std::logic_error("a way round breaks a constraint that it serves");
    required |= broken;
  }
}

}  // namespace quiesce
