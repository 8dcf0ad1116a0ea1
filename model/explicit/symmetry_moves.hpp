// SPDX-License-Identifier: MIT
#pragma once
// What permutations of the elements do to packed states, compiled to moves of bits and kept. Internal to
// symmetry_packed.cpp.

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "model/explicit/symmetry_bits.hpp"
#include "model/explicit/symmetry_plan.hpp"

namespace quiesce::symmetries {

// A permutation of the elements as moves of bits. Small, so that many stay in the processor's cache.
struct packed_move {
  struct shift {
    std::uint32_t from = 0, to = 0;
    word mask = 0;
    std::uint32_t left = 0;  // rotated
  };
  struct target {
    std::uint16_t index = 0;
    std::uint8_t shift = 0;
  };
  std::vector<shift> shifts;             // by target
  std::vector<std::uint32_t> shift_end;  // by word, of those into it
  std::vector<target> targets;           // where the fields go whose value moves
  std::vector<std::uint8_t> images;      // of the codes of each kind of such fields
  sort_images to;                        // only for fields without a table
};

class packed_moves {
 public:
  explicit packed_moves(const symmetry::plan& p) : plan_(p), words_(p.system.state_layout().words()), recent_(most_recent) {
    for (std::uint32_t k = 0; k < p.movable; ++k) identity_ |= std::uint64_t{k} << (4 * k);
    find_moved();
  }

  // To an order of the movable elements; null: nothing moves. Good until the next call.
  const packed_move* to(const std::vector<std::uint32_t>& order) {
    std::uint64_t key = 0;
    for (std::uint32_t k = 0; k < plan_.movable; ++k) key |= std::uint64_t{k} << (4 * order[k]);
    if (key == identity_) return nullptr;
    recent& r = recent_[mix(key, 1) % recent_.size()];
    if (r.key == key && r.move) return r.move;
    auto it = moves_.find(key);
    if (it == moves_.end()) {
      if (moves_.size() > most_kept) {
        moves_.clear();
        std::fill(recent_.begin(), recent_.end(), recent{});
      }
      std::vector<std::uint32_t> target(plan_.movable);
      for (std::uint32_t k = 0; k < plan_.movable; ++k) target[order[k]] = k;
      it = moves_.emplace(key, compile(plan_.move_of(plan_.images(target)))).first;
    }
    r = {key, &it->second};
    return r.move;
  }

  packed_move compile(symmetries::move m) const {
    packed_move out;
    for (std::uint32_t s = 0; s < plan_.places.size(); ++s) {
      const place& x = plan_.places[s];
      if (x.at.bits > 0 && !plan_.names_values(x)) add_shift(out, x.at, plan_.places[m.slot_to[s]].at);
    }
    for (const field& f : moved_) {
      const slot& to = plan_.places[m.slot_to[f.number]].at;
      out.targets.push_back({static_cast<std::uint16_t>(to.index), to.shift});
    }
    for (const table& t : tables_)
      for (word code = 0; code < t.codes; ++code)
        out.images.push_back(static_cast<std::uint8_t>(image_of(t.moves, m.to, code)));
    std::stable_sort(out.shifts.begin(), out.shifts.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    for (std::uint32_t w = 0; w < words_; ++w)
      out.shift_end.push_back(static_cast<std::uint32_t>(
          std::count_if(out.shifts.begin(), out.shifts.end(), [&](const auto& x) { return x.to <= w; })));
    if (some_are_wide_) out.to = std::move(m.to);
    return out;
  }

  // `dead`: the bits of `from` that nobody will read.
  void apply(const packed_move& m, const word* from, const word* dead, word* into) const {
    const packed_move::shift* s = m.shifts.data();
    for (std::uint32_t w = 0; w < words_; ++w) {
      word bits = 0;
      for (const packed_move::shift* end = m.shifts.data() + m.shift_end[w]; s != end; ++s)
        bits |= std::rotl(from[s->from] & s->mask, static_cast<int>(s->left));
      into[w] = bits;
    }
    for (std::uint32_t k = 0; k < always_; ++k)
      if (!(dead[moved_[k].from.index] >> moved_[k].from.shift & 1)) place_image(m, k, from, into);
    for (std::uint32_t w = 0; w < words_; ++w)
      for (word rest = from[w] & moved_mask_[w]; rest;) {
        const std::uint32_t k = moved_at_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest))];
        place_image(m, k, from, into);
        rest &= ~(moved_[k].from.mask << moved_[k].from.shift);
      }
  }

 private:
  static void add_shift(packed_move& m, const slot& from, const slot& to) {
    const std::uint32_t left = (64u + to.shift - from.shift) % 64;
    const word mask = from.mask << from.shift;
    for (packed_move::shift& s : m.shifts)
      if (s.from == from.index && s.to == to.index && s.left == left) {
        s.mask |= mask;
        return;
      }
    m.shifts.push_back({from.index, to.index, mask, left});
  }

  // A field whose value moves.
  struct field {
    std::uint32_t number = 0;  // of its place
    slot from;
    std::uint32_t table = ~0u;  // where in `images` those of its codes begin; ~0u: to be computed
  };
  // The values of fields of one type.
  struct table {
    moving_type moves;
    std::uint64_t codes = 0;
    std::uint32_t first = 0;
  };

  void place_image(const packed_move& m, std::uint32_t k, const word* from, word* into) const {
    const field& f = moved_[k];
    const word code = get(from, f.from);
    const word image = f.table == ~0u ? image_of(plan_.places[f.number].moves, m.to, code) : m.images[f.table + code];
    into[m.targets[k].index] |= image << m.targets[k].shift;
  }

  static bool zero_stays(const place& x) { return x.moves.options > 0 || x.moves.set; }

  void find_moved() {
    moved_mask_.resize(words_);
    moved_at_.resize(std::size_t{words_} * 64);
    for (const bool zero_may_move : {true, false})
      for (std::uint32_t s = 0; s < plan_.places.size(); ++s) {
        const place& x = plan_.places[s];
        if (x.at.bits == 0 || !plan_.names_values(x) || zero_stays(x) == zero_may_move) continue;
        if (!zero_may_move) {
          moved_mask_[x.at.index] |= x.at.mask << x.at.shift;
          for (std::uint32_t b = x.at.shift; b < x.at.shift + x.at.bits; ++b)
            moved_at_[x.at.index * 64 + b] = static_cast<std::uint32_t>(moved_.size());
        }
        moved_.push_back({s, x.at, table_of(x)});
        always_ += zero_may_move;
      }
  }

  std::uint32_t table_of(const place& x) {
    if (x.at.bits > tabulated_bits) {
      some_are_wide_ = true;
      return ~0u;
    }
    const std::uint64_t codes = ir::max_code(plan_.p, plan_.p.variables[x.variable].type) + 1;
    for (const table& t : tables_)
      if (t.moves == x.moves && t.codes == codes) return t.first;
    const std::uint32_t first =
        tables_.empty() ? 0 : tables_.back().first + static_cast<std::uint32_t>(tables_.back().codes);
    tables_.push_back({x.moves, codes, first});
    return first;
  }

  static constexpr std::size_t most_kept = 16384, most_recent = 4096;  // permutations

  const symmetry::plan& plan_;
  const std::uint32_t words_;
  std::vector<field> moved_;  // first those of which 0 may move
  std::uint32_t always_ = 0;  // so many of them
  std::vector<table> tables_;
  bool some_are_wide_ = false;
  std::vector<word> moved_mask_;         // of the fields of which 0 stays 0
  std::vector<std::uint32_t> moved_at_;  // by bit of the state, its number among the fields
  std::unordered_map<std::uint64_t, packed_move> moves_;
  struct recent {
    std::uint64_t key = 0;
    const packed_move* move = nullptr;
  };
  std::vector<recent> recent_;
  std::uint64_t identity_ = 0;
};

}  // namespace quiesce::symmetries
