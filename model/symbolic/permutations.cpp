// SPDX-License-Identifier: MIT
#include "model/symbolic/permutations.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace quiesce::symbolic {

namespace {

// What a permutation does to one slot: where it goes, and what becomes of a value.
class moved_slot {
 public:
  moved_slot(const transition_system& t, const std::function<void(word*)>& permute, std::size_t slot)
      : places_(t.state_layout().slots()), permute_(permute), slot_(slot), state_(t.state_layout().words(), 0) {
    none_ = moved(0);
    const std::vector<word> one = moved(1);
    for (std::size_t s = 0; s < places_.size(); ++s)
      if (places_[s].bits != 0 && get(none_.data(), places_[s]) != get(one.data(), places_[s])) to_ = s;
  }
  std::optional<std::size_t> to() const { return to_; }
  word value(word code) { return get(moved(code).data(), places_[*to_]); }

 private:
  std::vector<word> moved(word code) {
    put(state_.data(), places_[slot_], code);
    std::vector<word> out = state_;
    permute_(out.data());
    return out;
  }

  const std::vector<quiesce::slot>& places_;
  const std::function<void(word*)>& permute_;
  const std::size_t slot_;
  std::vector<word> state_, none_;
  std::optional<std::size_t> to_;
};

}  // namespace

permutations::permutations(const transition_system& t, const finite_system& s, const symmetry& group, std::uint64_t most)
    : s_(s), group_(group) {
  map identity = s.state;
  const std::uint64_t order = group_.trivial() ? 1 : group_.order();
  for (std::uint64_t g = 0; order <= most && order > 1 && g < order; ++g) {
    map m(s.state.size());
    permute_.push_back(group_.permutation(g));
    if (!move(t, permute_.back(), m)) {
      maps_.clear();
      permute_.clear();
      break;
    }
    maps_.push_back(std::move(m));
  }
  if (maps_.empty()) maps_.push_back(std::move(identity));
}

// Of bit fields each bit must go to a bit, or to its negation.
bool permutations::move(const transition_system& t, const std::function<void(word*)>& permute, map& out) const {
  for (std::size_t slot = 0; slot < s_.fields.size(); ++slot) {
    const field& f = s_.fields[slot];
    if (t.state_layout().slots()[slot].bits == 0) {
      for (std::uint32_t b = 0; b < f.width; ++b) out[f.first + b] = s_.state[f.first + b];
      continue;
    }
    moved_slot here(t, permute, slot);
    if (!here.to()) return false;
    const field& g = s_.fields[*here.to()];
    if (g.width != f.width || g.one_hot != f.one_hot) return false;
    const word zero = f.one_hot ? 0 : here.value(0);
    for (std::uint32_t b = 0; b < f.width; ++b) {
      const word value = here.value(f.one_hot ? b : word{1} << b) ^ zero;
      if (!f.one_hot && (value == 0 || (value & (value - 1)) != 0)) return false;
      const std::uint32_t bit =
          f.one_hot ? static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(__builtin_ctzll(value));
      if (bit >= g.width) return false;
      out[f.first + b] = s_.state[g.first + bit] ^ (f.one_hot ? 0u : static_cast<literal>(zero >> bit & 1));
    }
  }
  return true;
}

cube permutations::image(const cube& c, std::size_t which) const {
  cube out;
  for (literal l : c) out.push_back(maps_[which][node_of(l) - node_of(s_.state[0])] ^ (l & 1u));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<cube> permutations::images(const cube& c) const {
  std::vector<cube> out{c};
  for (std::size_t w = 0; w < maps_.size(); ++w) out.push_back(image(c, w));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<word> permutations::image(std::vector<word> state, std::size_t which) const {
  if (!permute_.empty()) permute_[which](state.data());
  return state;
}

}  // namespace quiesce::symbolic
