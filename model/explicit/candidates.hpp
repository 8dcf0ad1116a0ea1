// SPDX-License-Identifier: MIT
#pragma once
// The findings of one level: for each thing that can be found, the least place where it was. Merging is commutative, so that
// the outcome does not depend on which thread saw what first.

#include <cstdint>
#include <map>
#include <vector>

#include "model/explicit/search.hpp"
#include "model/explicit/seen_set.hpp"

namespace quiesce {

struct finding_key {
  finding_kind kind = finding_kind::violation;
  std::uint32_t which = 0;  // property, error kind or bound kind; deadlock: 1 for a step that ended in `stuck`
  bool operator<(const finding_key& o) const { return kind != o.kind ? kind < o.kind : which < o.which; }
};

// Where: the last step leads from `parent` to `target`; in a state that is itself the finding, `parent` is settled at the
// end of the level.
struct candidate {
  std::vector<word> target;                 // canonical under symmetry
  seen_set::index parent = seen_set::none;  // none: an initial state, or not settled
  bool of_state = false;                    // the state itself is what was found (invariants, deadlock without steps)
  seen_set::index state = seen_set::none;   // of_state: its number
};

class candidates {
 public:
  explicit candidates(const seen_set& seen) : seen_(seen) {}

  void add_step(finding_key key, const word* target, seen_set::index parent) {
    auto [it, fresh] = found_.try_emplace(key);
    if (!fresh && !before(target, parent, it->second)) return;
    it->second = {{target, target + seen_.words()}, parent, false, seen_set::none};
  }
  void add_state(finding_key key, seen_set::index state) {
    auto [it, fresh] = states_.try_emplace(key, state);
    if (!fresh && seen_.less(seen_.state(state), seen_.state(it->second))) it->second = state;
  }
  void merge(const candidates& other) {
    for (const auto& [key, c] : other.found_) add_step(key, c.target.data(), c.parent);
    for (const auto& [key, s] : other.states_) add_state(key, s);
  }
  // Once no predecessor of the level changes any more: one candidate for each key.
  std::map<finding_key, candidate> settle() const {
    std::map<finding_key, candidate> out;
    for (const auto& [key, s] : states_) {
      out[key] = {{seen_.state(s), seen_.state(s) + seen_.words()}, seen_.parent(s), true, s};
    }
    for (const auto& [key, c] : found_) {
      auto it = out.find(key);
      if (it == out.end() || before(c.target.data(), c.parent, it->second)) out[key] = c;
    }
    return out;
  }
  void clear() {
    found_.clear();
    states_.clear();
  }
  bool empty() const { return found_.empty() && states_.empty(); }

 private:
  bool before(const word* target, seen_set::index parent, const candidate& c) const {
    if (seen_.less(target, c.target.data())) return true;
    if (seen_.less(c.target.data(), target)) return false;
    if (parent == c.parent || c.parent == seen_set::none) return false;
    return parent == seen_set::none || seen_.less(seen_.state(parent), seen_.state(c.parent));
  }

  const seen_set& seen_;
  std::map<finding_key, candidate> found_;
  std::map<finding_key, seen_set::index> states_;
};

}  // namespace quiesce
