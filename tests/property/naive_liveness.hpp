// SPDX-License-Identifier: MIT
#pragma once
// `P leads to Q` by definition, on small graphs: a fair run in which an answer is due for ever visits some set of states
// again and again, and every set of states is tried. The graph comes from the naive enumerator.

#include <cstdint>
#include <map>
#include <vector>

#include "model/system/response.hpp"
#include "tests/support/naive_enumerator.hpp"

namespace quiesce::test {

class naive_liveness {
 public:
  static constexpr std::size_t most_due = 13;  // states in which an answer is due, for trying every set of them

  // Throws std::length_error beyond `most_states`.
  naive_liveness(const ir::program& p, std::size_t most_states) : program_(p), naive_(p) {
    std::vector<naive_state> todo;
    const auto meet = [&](const naive_step& s) {
      if (s.end != naive_end::state) return -1;
      const auto [at, fresh] = numbers_.emplace(s.state, static_cast<int>(numbers_.size()));
      if (fresh) todo.push_back(s.state);
      if (numbers_.size() > most_states) throw std::length_error("too many states");
      return at->second;
    };
    for (const naive_step& s : naive_.initial()) meet(s);
    for (std::size_t i = 0; i < todo.size(); ++i) {
      states_.push_back(todo[i]);
      steps_.emplace_back();
      for (const naive_step& s : naive_.successors(states_[i])) {
        const int to = meet(s);
        steps_[i].push_back({to, s.process, s.instance});
      }
    }
  }

  std::size_t size() const { return states_.size(); }

  // The states from which an answer may stay due for ever.
  std::vector<bool> due(const obligation& o) const {
    const auto has = [&](std::size_t i, std::uint32_t condition) { return naive_.invariants(states_[i]) >> condition & 1; };
    std::vector<bool> in(size(), false);
    for (std::size_t i = 0; i < size(); ++i) in[i] = has(i, o.due) && (o.answered == ir::nothing || !has(i, o.answered));
    if (o.answered == ir::nothing) return in;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t i = 0; i < size(); ++i)
        for (const auto& s : steps_[i])
          if (in[i] && s.to >= 0 && !in[static_cast<std::size_t>(s.to)] && !has(static_cast<std::size_t>(s.to), o.answered))
            in[static_cast<std::size_t>(s.to)] = grows = true;
    }
    return in;
  }

  // Is there a fair run that stays in `in` for ever? At most most_due states are in it.
  bool fair_for_ever(const std::vector<bool>& in, const std::vector<fair_process>& fair) const {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < size(); ++i)
      if (in[i]) members.push_back(i);
    for (std::uint32_t set = 1; set < std::uint32_t{1} << members.size(); ++set) {
      std::vector<std::size_t> visited;
      for (std::size_t k = 0; k < members.size(); ++k)
        if (set >> k & 1) visited.push_back(members[k]);
      if (recurs(visited) && is_fair(visited, fair)) return true;
    }
    return false;
  }

 private:
  struct edge {
    int to = -1;
    std::uint32_t process = 0, instance = 0;
  };

  static bool holds(const std::vector<std::size_t>& set, int i) {
    for (const std::size_t s : set)
      if (static_cast<int>(s) == i) return true;
    return false;
  }

  // One can go from each to each inside, by at least one step, or nothing can ever move.
  bool recurs(const std::vector<std::size_t>& set) const {
    if (set.size() == 1 && steps_[set[0]].empty()) return true;
    for (const std::size_t from : set) {
      std::vector<std::size_t> seen;
      std::vector<std::size_t> todo{from};
      while (!todo.empty()) {
        const std::size_t i = todo.back();
        todo.pop_back();
        for (const edge& e : steps_[i])
          if (holds(set, e.to) && !holds(seen, e.to)) {
            seen.push_back(static_cast<std::size_t>(e.to));
            todo.push_back(static_cast<std::size_t>(e.to));
          }
      }
      if (seen.size() != set.size()) return false;
    }
    return true;
  }

  bool is_of(std::size_t state, const edge& e, const fair_process& f, std::uint32_t instance) const {
    if (e.process != f.process || e.instance != instance) return false;
    return f.at.empty() ||
           f.at[static_cast<std::size_t>(states_[state][naive_.place(program_.processes[e.process].pc, instance)])];
  }

  // A run may take every step inside the set again and again.
  bool is_fair(const std::vector<std::size_t>& set, const std::vector<fair_process>& fair) const {
    for (const fair_process& f : fair) {
      const ir::process& q = program_.processes[f.process];
      const std::size_t n = q.over == ir::nothing ? 1 : program_.sorts[q.over].element.size();
      for (std::uint32_t instance = 0; instance < n; ++instance) {
        std::size_t enabled = 0;
        bool taken = false;
        for (const std::size_t i : set) {
          bool here = false;
          for (const edge& e : steps_[i]) {
            if (!is_of(i, e, f, instance)) continue;
            here = true;
            taken = taken || holds(set, e.to);
          }
          enabled += here ? 1 : 0;
        }
        if (!taken && (f.strong ? enabled > 0 : enabled == set.size())) return false;
      }
    }
    return true;
  }

  const ir::program& program_;
  naive_enumerator naive_;
  std::map<naive_state, int> numbers_;
  std::vector<naive_state> states_;
  std::vector<std::vector<edge>> steps_;
};

}  // namespace quiesce::test
