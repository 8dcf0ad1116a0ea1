// SPDX-License-Identifier: MIT
#include "model/explicit/liveness.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "model/explicit/fair_cycle.hpp"
#include "model/explicit/state_graph.hpp"

namespace quiesce {

namespace {

using index = state_graph::index;
constexpr index none = state_graph::none;
constexpr std::uint64_t bytes_beside = 28;  // per state: conditions, distance, way, three numbers of Tarjan's
constexpr std::uint32_t steps_between_looks = 4096;

struct out_of_time {};

class response_search {
 public:
  response_search(const transition_system& s, const response& asked, const liveness_options& o)
      : system_(s), asked_(asked), options_(o), watch_(o.most), graph_(s), fair_(s, asked.fair) {}

  liveness_result run() {
    const bool all = graph_.explore(watch_, [this] { report(); });
    out_.ended_by = watch_.reason();
    try {
      if (all || out_.ended_by == budget::states) examine();
    } catch (const out_of_time&) {
      watch_.check(0, 0);
      out_.ended_by = watch_.reason();
    }
    out_.complete = all && out_.ended_by == budget::none;
    out_.states = graph_.size();
    out_.transitions = graph_.transitions();
    out_.depth = graph_.size() ? graph_.depth(graph_.size() - 1) : 0;
    for (const auto& [kind, e] : graph_.errors()) out_.errors[kind] = graph_.run_to(e);
    for (const auto& [kind, e] : graph_.bounds()) out_.bounds[kind] = graph_.run_to(e);
    if (graph_.deadlock()) {
      out_.deadlock = graph_.run_to(*graph_.deadlock());
      out_.deadlock_is_step = graph_.deadlock()->outcome == step_outcome::stuck;
    }
    return std::move(out_);
  }

 private:
  bool holds(index i, std::uint32_t condition) const { return conditions_[i] >> condition & 1; }

  void report() const {
    if (!options_.progress) return;
    search_progress p;
    p.states = graph_.size();
    p.transitions = graph_.transitions();
    p.depth = graph_.size() ? graph_.depth(graph_.size() - 1) : 0;
    p.memory_bytes = graph_.memory_bytes();
    p.memory_limit = options_.most.memory_bytes;
    p.state_limit = options_.most.states;
    p.elapsed_s = watch_.elapsed_s();
    options_.progress(p);
  }

  void examine() {
    conditions_.resize(graph_.size());
    for (index i = 0; i < graph_.size(); ++i) conditions_[i] = graph_.conditions(i);
    out_.triggered = graph_.marked() & 1;
    for (const obligation& o : asked_.obligations)
      for (index i = 0; i < graph_.size() && !out_.triggered; ++i) out_.triggered = holds(i, o.due);
    for (std::size_t k = 0; k < asked_.obligations.size(); ++k) {
      find_region(asked_.obligations[k]);
      find_fair_part(k);
    }
    if (best_.part.empty()) return;
    find_region(asked_.obligations[best_.obligation]);
    make_lasso();
  }

  void look() {
    if (++looks_ % steps_between_looks != 0) return;
    const std::uint64_t bytes = graph_.memory_bytes() + bytes_beside * graph_.size();
    // The number of states is no longer what can end it.
    if (watch_.check(0, bytes) && watch_.reason() != budget::states) throw out_of_time{};
    if (interrupt_flag() || (options_.most.timeout_s > 0 && watch_.elapsed_s() > options_.most.timeout_s))
      throw out_of_time{};
  }

  // The states in which an answer is due, each with its distance from an initial state on a way along which it stays due
  // once the distance counts for it.
  void find_region(const obligation& o) {
    distance_.assign(graph_.size(), none);
    way_.assign(graph_.size(), none);
    const bool remembered = o.answered == ir::nothing;
    std::vector<index> level, next;
    index seed = 0;
    for (std::uint64_t depth = 0; seed < graph_.size() || !level.empty(); ++depth) {
      for (; seed < graph_.size() && graph_.depth(seed) == depth; ++seed)
        if (distance_[seed] == none && holds(seed, o.due) && (remembered || !holds(seed, o.answered))) {
          distance_[seed] = static_cast<index>(depth);
          level.push_back(seed);
        }
      next.clear();
      if (!remembered)
        for (const index v : level) spread(v, o, depth + 1, next);
      level.swap(next);
    }
  }

  void spread(index v, const obligation& o, std::uint64_t depth, std::vector<index>& next) {
    look();
    edges_.clear();
    graph_.edges(v, edges_);
    for (const auto& e : edges_) {
      if (e.to == none || distance_[e.to] != none || holds(e.to, o.answered)) continue;
      distance_[e.to] = static_cast<index>(depth);
      way_[e.to] = v;
      next.push_back(e.to);
    }
  }

  // --- strongly connected parts -------------------------------------------------------------------------------------------

  struct part {
    std::vector<index> states;
    bool dead_end = false;  // its one state has no step
  };

  struct frame {
    index state = none;
    std::size_t first = 0, next = 0;  // of targets_
    bool loops = false, ends = false;
  };

  // The parts of the subgraph of these states in which one can stay for ever.
  std::vector<part> parts_of(const std::vector<index>& subset) {
    std::vector<part> out;
    ++member_number_;
    for (const index v : subset) {
      member_[v] = member_number_;
      order_[v] = low_[v] = 0;
    }
    index counter = 0;
    for (const index v : subset)
      if (order_[v] == 0) tarjan(v, counter, out);
    return out;
  }

  void enter(index v, index& counter) {
    look();
    order_[v] = low_[v] = ++counter;
    stack_.push_back(v);
    edges_.clear();
    frame f{v, targets_.size(), targets_.size(), false, !graph_.edges(v, edges_)};
    for (const auto& e : edges_) {
      if (e.to == none || member_[e.to] != member_number_) continue;
      if (e.to == v) f.loops = true;
      targets_.push_back(e.to);
    }
    frames_.push_back(f);
  }

  void tarjan(index root, index& counter, std::vector<part>& out) {
    enter(root, counter);
    while (!frames_.empty()) {
      frame& f = frames_.back();
      const index v = f.state;
      if (f.next < targets_.size()) {
        const index to = targets_[f.next++];
        if (order_[to] == 0)
          enter(to, counter);
        else if (order_[to] != none)
          low_[v] = std::min(low_[v], order_[to]);
        continue;
      }
      targets_.resize(f.first);
      const frame done = f;
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().state] = std::min(low_[frames_.back().state], low_[v]);
      if (low_[v] == order_[v]) close(done, out);
    }
  }

  // A state whose part is closed has the order `none`.
  void close(const frame& root, std::vector<part>& out) {
    part p;
    p.dead_end = root.ends;
    for (index v = none; v != root.state;) {
      v = stack_.back();
      stack_.pop_back();
      order_[v] = none;
      p.states.push_back(v);
    }
    if (p.states.size() > 1 || root.loops || root.ends) out.push_back(std::move(p));
  }

  // --- fairness -----------------------------------------------------------------------------------------------------------

  fair_record record_of(const part& p, std::vector<constraint_set>& enabled) {
    ++member_number_;
    for (const index v : p.states) member_[v] = member_number_;
    fair_record r;
    enabled.clear();
    for (const index v : p.states) {
      look();
      edges_.clear();
      graph_.edges(v, edges_);
      constraint_set can = 0;
      for (const auto& e : edges_) {
        const constraint_set served = fair_.of(graph_.state(v), e.process, e.instance);
        can |= served;
        if (e.to != none && member_[e.to] == member_number_) r.taken |= served;
      }
      enabled.push_back(can);
      r.state(can);
    }
    return r;
  }

  using rank = std::tuple<index, std::size_t, index>;  // distance, obligation, state
  rank rank_of(const part& p, std::size_t obligation) const {
    rank least{none, 0, none};
    for (const index v : p.states) least = std::min(least, rank{distance_[v], obligation, v});
    return least;
  }

  void find_fair_part(std::size_t obligation) {
    order_.resize(graph_.size());
    low_.resize(graph_.size());
    member_.resize(graph_.size(), 0);
    std::vector<std::vector<index>> work(1);
    for (index i = 0; i < graph_.size(); ++i)
      if (distance_[i] != none) work[0].push_back(i);
    std::vector<constraint_set> enabled;
    while (!work.empty()) {
      const std::vector<index> subset = std::move(work.back());
      work.pop_back();
      for (part& p : parts_of(subset)) {
        const rank r = rank_of(p, obligation);
        if (!best_.part.empty() && best_.where < r) continue;  // no part of it is nearer
        const fair_record did = record_of(p, enabled);
        if (did.broken_weak(fair_)) continue;  // nor is it kept in any part of it
        const constraint_set strong = did.broken_strong(fair_);
        if (!strong) {
          best_ = {r, obligation, std::move(p.states), p.dead_end};
          continue;
        }
        std::vector<index> rest;
        for (std::size_t i = 0; i < p.states.size(); ++i)
          if (!(enabled[i] & strong)) rest.push_back(p.states[i]);
        if (!rest.empty()) work.push_back(std::move(rest));
      }
    }
  }

  // --- the counterexample -------------------------------------------------------------------------------------------------

  void make_lasso() {
    const index entry = std::get<2>(best_.where);
    std::vector<index> stem;
    index at = entry;
    for (; way_[at] != none; at = way_[at]) stem.push_back(at);
    std::reverse(stem.begin(), stem.end());
    std::vector<index> path = graph_.path_to(at);
    path.insert(path.end(), stem.begin(), stem.end());
    std::vector<hop> loop;
    if (!best_.dead_end) {
      std::vector<bool> member(graph_.size(), false);
      for (const index v : best_.part) member[v] = true;
      loop = way_round(graph_, fair_, member, entry);
    }
    lasso found;
    found.run = run_trace(system_, filters_of(path, loop));
    found.loop_from = path.size() - 1;
    found.obligation = best_.obligation;
    std::vector<visited_state> visited;
    for (const trace_step& t : found.run.steps) visited.push_back({t.state, t.process, t.instance});
    const std::string wrong =
        replays(system_, found.run) ? not_a_lasso(system_, asked_, visited, found.loop_from) : "it does not replay";
    if (!wrong.empty()) throw std::logic_error("a counterexample of `leads to` is none: " + wrong);
    out_.violation = std::move(found);
  }

  std::vector<step_filter> filters_of(const std::vector<index>& path, const std::vector<hop>& loop) const {
    std::vector<step_filter> filters;
    const auto leads_to = [this](const step& x, index i) {
      return x.outcome == step_outcome::state && std::equal(x.state, x.state + graph_.words(), graph_.state(i));
    };
    for (const index i : path) filters.push_back([=](const step& x) { return leads_to(x, i); });
    for (const hop& h : loop)
      filters.push_back(
          [=](const step& x) { return leads_to(x, h.to) && x.process == h.process && x.instance == h.instance; });
    return filters;
  }

  struct candidate {
    rank where{none, 0, none};
    std::size_t obligation = 0;
    std::vector<index> part;
    bool dead_end = false;
  };

  const transition_system& system_;
  const response& asked_;
  const liveness_options& options_;
  budget_watch watch_;
  state_graph graph_;
  fair_steps fair_;
  liveness_result out_;
  std::vector<std::uint64_t> conditions_;
  std::vector<index> distance_, way_;  // of the states of the region; `none`: not in it, no state before it in it
  std::vector<index> order_, low_, member_, stack_, targets_;
  std::vector<frame> frames_;
  std::vector<state_graph::edge> edges_;
  index member_number_ = 0;
  std::uint32_t looks_ = 0;
  candidate best_;
};

bool stays_due(const response& asked, const std::vector<std::uint64_t>& conditions) {
  return std::any_of(asked.obligations.begin(), asked.obligations.end(), [&](const obligation& o) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](std::uint64_t c) { return o.answered == ir::nothing ? c >> o.due & 1 : !(c >> o.answered & 1); });
  });
}

}  // namespace

std::string not_a_lasso(const transition_system& s, const response& asked, const std::vector<visited_state>& run,
                        std::size_t loop_from) {
  if (loop_from >= run.size() || run[loop_from].state != run.back().state) return "its loop does not close";
  const fair_steps fair(s, asked.fair);
  const auto stepper = s.make_stepper();
  std::vector<std::uint64_t> conditions;
  fair_record did;
  for (std::size_t i = loop_from; i < run.size(); ++i) {
    const word* state = run[i].state.data();
    conditions.push_back(stepper->failing_invariants(state));
    constraint_set enabled = 0;
    bool any = false;
    stepper->successors(state, [&](const step& x) {
      any = true;
      enabled |= fair.of(state, x.process, x.instance);
    });
    if (any == (loop_from + 1 == run.size())) return any ? "it ends where a step is possible" : "it goes on where none is";
    did.state(enabled);
    if (i > loop_from) did.taken |= fair.of(run[i - 1].state.data(), run[i].process, run[i].instance);
  }
  if (!stays_due(asked, conditions)) return "no answer is due all along its loop";
  if (did.broken_weak(fair)) return "its loop is not weakly fair";
  return did.broken_strong(fair) ? "its loop is not strongly fair" : "";
}

liveness_result check_response(const transition_system& s, const response& asked, const liveness_options& o) {
  return response_search(s, asked, o).run();
}

}  // namespace quiesce
