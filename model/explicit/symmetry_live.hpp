// SPDX-License-Identifier: MIT
#pragma once
// Values that nobody will read, from the locations of their processes. Internal to symmetry_packed.cpp.

#include <algorithm>
#include <vector>

#include "model/explicit/symmetry_plan.hpp"

namespace quiesce::symmetries {

class live_fields {
 public:
  explicit live_fields(const symmetry::plan& p) : plan_(p), never_read_(p.system.state_layout().words(), ~word{0}) {
    for (std::uint32_t s : p.never_read) {
      const slot& at = p.places[s].at;
      never_read_[at.index] &= ~(at.mask << at.shift);
    }
    for (std::uint32_t s : p.may_be_dead) enter(s);
  }

  bool may_die(std::uint32_t s) const { return among(plan_.never_read, s) || among(plan_.may_be_dead, s); }

  // Call it with fields that may die, and the numbers to tell them by.
  void list(std::uint32_t s, std::uint32_t number) {
    if (among(plan_.never_read, s)) return;
    owner& o = owner_of(s);
    for (std::uint32_t l = 0; l < o.at.size(); ++l)
      if (!plan_.locals.dead(plan_.places[s].variable, l)) o.at[l].alive.push_back(number);
  }

  // Makes dead values 0.
  void clear(word* state) {
    alive_.clear();
    for (std::size_t w = 0; w < never_read_.size(); ++w) state[w] &= never_read_[w];
    for (const owner& o : owners_) {
      const location& l = o.at[o.moves ? get(state, o.pc) : 0];
      for (const auto& [w, dead] : l.dead) state[w] &= ~dead;
      alive_.insert(alive_.end(), l.alive.begin(), l.alive.end());
    }
  }

  // Of what was listed, that which is not dead in the state that was cleared last.
  const std::vector<std::uint32_t>& alive() const { return alive_; }

 private:
  struct location {
    std::vector<std::pair<std::uint32_t, word>> dead;  // word, bits
    std::vector<std::uint32_t> alive;
  };
  struct owner {
    std::uint32_t process = 0, pc_place = 0;
    bool moves = false;  // it has a pc
    slot pc;
    std::vector<location> at;
  };

  static bool among(const std::vector<std::uint32_t>& all, std::uint32_t s) {
    return std::find(all.begin(), all.end(), s) != all.end();
  }

  void enter(std::uint32_t s) {
    const place& x = plan_.places[s];
    owner& o = owner_of(s);
    for (std::uint32_t l = 0; l < o.at.size(); ++l) {
      if (!plan_.locals.dead(x.variable, l)) continue;
      auto& dead = o.at[l].dead;
      auto it = std::find_if(dead.begin(), dead.end(), [&](const auto& d) { return d.first == x.at.index; });
      if (it == dead.end()) it = dead.insert(dead.end(), {x.at.index, 0});
      it->second |= x.at.mask << x.at.shift;
    }
  }

  // The instance of a process whose local the field is.
  owner& owner_of(std::uint32_t s) {
    const place& x = plan_.places[s];
    const std::uint32_t process = plan_.p.variables[x.variable].owner;
    const ir::process& q = plan_.p.processes[process];
    const std::uint32_t instance = q.over == ir::nothing ? 0 : x.index[0];
    const std::uint32_t pc = q.pc == ir::nothing ? ~0u : plan_.p.variables[q.pc].first_slot + instance;
    for (owner& o : owners_)
      if (o.process == process && o.pc_place == pc) return o;
    owner o{process, pc, pc != ~0u, {}, std::vector<location>(std::max<std::size_t>(1, q.locations.size()))};
    if (o.moves) o.pc = plan_.places[pc].at;
    return owners_.emplace_back(std::move(o));
  }

  const symmetry::plan& plan_;
  std::vector<word> never_read_;  // the bits of all other fields
  std::vector<owner> owners_;
  std::vector<std::uint32_t> alive_;
};

}  // namespace quiesce::symmetries
