// SPDX-License-Identifier: MIT
#include "model/explicit/independence.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace quiesce {

namespace {
constexpr std::size_t most_holdings = 64;
}

independence::independence(const transition_system& s)
    : system_(s), p_(s.program()), visible_(slot_count(p_)), slots_(slot_count(p_)) {
  for (std::uint32_t q = 0; q < p_.processes.size(); ++q) {
    const ir::process& x = p_.processes[q];
    const std::size_t n = x.over == ir::nothing ? 1 : p_.sorts[x.over].element.size();
    for (std::uint32_t k = 0; k < n; ++k) instances_.push_back({q, k, x.only_when_stuck});
  }
  for (std::uint32_t i = 0; i < instances_.size(); ++i) instances_data_.push_back(reach_of(i, std::nullopt));
  for (const ir::checked_property& c : p_.properties)
    if (c.invariant != ir::nothing) visible_.unite(reads_of(p_, c.invariant));
  find_holdings();
}

std::uint32_t independence::locations(std::uint32_t i) const {
  return static_cast<std::uint32_t>(p_.processes[instances_[i].process].locations.size());
}

std::uint32_t independence::location(const word* state, std::uint32_t i) const {
  const ir::process& q = p_.processes[instances_[i].process];
  if (q.pc == ir::nothing) return 0;
  const auto at = static_cast<std::uint32_t>(
      get(state, system_.state_layout().slots()[p_.variables[q.pc].first_slot + instances_[i].instance]));
  if (at >= q.locations.size()) throw std::logic_error("program counter of " + q.name + " out of range");
  return at;
}

// A step that does not touch the known slot is as it was without.
independence::reach independence::reach_of(std::uint32_t i, const std::optional<known_slot>& known) const {
  reach out;
  const std::uint32_t n = locations(i);
  for (std::uint32_t l = 0; l < n; ++l) {
    if (known) {
      const footprint& plain = instances_data_[i].next[l];
      if (!plain.reads.has(known->slot) && !plain.writes.has(known->slot)) {
        out.next.push_back(plain);
        continue;
      }
    }
    out.next.push_back(footprint_of(p_, instances_[i].process, instances_[i].instance, l, known));
  }
  for (const footprint& f : out.next) {
    out.reads.push_back(f.reads);
    out.writes.push_back(f.writes);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t l = n; l-- > 0;)
      for (std::uint32_t to : out.next[l].next) {
        const bool reads = out.reads[l].unite(out.reads[to]), writes = out.writes[l].unite(out.writes[to]);
        changed = changed || reads || writes;
      }
  }
  return out;
}

// Candidates: a place that one instance, and no other, sets to a value of its own, a value that is not the least one.
// Whether the others respect it is looked up state by state.
void independence::find_holdings() {
  std::set<std::pair<std::uint32_t, std::uint64_t>> taken;
  for (std::uint32_t i = 0; i < instances_.size() && holdings_.size() < most_holdings; ++i) {
    if (instances_[i].late) continue;
    for (const known_slot& k : constants_stored(p_, instances_[i].process, instances_[i].instance)) {
      if (k.code == 0 || !taken.insert({k.slot, k.code}).second || holdings_.size() >= most_holdings) continue;
      holding h{k, i, {}};
      bool stops_somebody = false;
      for (std::uint32_t j = 0; j < instances_.size(); ++j) {
        if (j == i || instances_[j].late) {
          h.others.emplace_back();
          continue;
        }
        h.others.push_back(reach_of(j, k));
        stops_somebody = stops_somebody || !h.others[j].writes[0].has(k.slot);
      }
      if (stops_somebody) holdings_.push_back(std::move(h));
    }
  }
}

bool independence::holds(const word* state, const holding& h, std::uint32_t i) const {
  if (h.holder != i || get(state, system_.state_layout().slots()[h.at.slot]) != h.at.code) return false;
  for (std::uint32_t j = 0; j < instances_.size(); ++j)
    if (j != i && !instances_[j].late && h.others[j].writes[location(state, j)].has(h.at.slot)) return false;
  return true;
}

bool independence::undisturbed(const word* state, std::uint32_t i) const {
  const footprint& mine = instances_data_[i].next[location(state, i)];
  const holding* held[4];
  std::size_t n = 0;
  for (const holding& h : holdings_)
    if (n < 4 && holds(state, h, i)) held[n++] = &h;
  const std::size_t words = (slots_ + 63) / 64;
  for (std::uint32_t j = 0; j < instances_.size(); ++j) {
    if (j == i || instances_[j].late) continue;
    const std::uint32_t at = location(state, j);
    const auto& reads = instances_data_[j].reads[at].words();
    const auto& writes = instances_data_[j].writes[at].words();
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t r = reads[w], x = writes[w];
      for (std::size_t k = 0; k < n; ++k) {
        r &= held[k]->others[j].reads[at].words()[w];
        x &= held[k]->others[j].writes[at].words()[w];
      }
      if ((x & (mine.reads.words()[w] | mine.writes.words()[w])) || (r & mine.writes.words()[w])) return false;
    }
  }
  return true;
}

}  // namespace quiesce
