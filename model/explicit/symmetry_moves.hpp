// SPDX-License-Identifier: MIT
#pragma once
// What permutations of the elements do to packed states, compiled to moves of bits and kept. Internal to
// symmetry_packed.cpp.

#include <array>
#include <bit>
#include <unordered_map>

#include "model/explicit/symmetry_bits.hpp"
#include "model/explicit/symmetry_plan.hpp"

namespace quiesce::symmetries {

// A permutation of the elements as moves of bits.
struct packed_move {
  struct shift {
    std::uint32_t from = 0, to = 0;
    word mask = 0;
    std::uint32_t left = 0;  // rotated
  };
  struct field {
    std::uint32_t number = 0;  // of the place that it comes from
    slot from, to;
    std::uint32_t table = ~0u;  // where in `images` those of its codes begin; ~0u: to be computed
  };
  std::vector<shift> shifts;             // by target
  std::vector<std::uint32_t> shift_end;  // by word, of those into it
  std::vector<word> images;
  std::vector<field> always, sparse;  // fields whose value moves; of the sparse ones 0 stays 0
  sort_images to;
};

class packed_moves {
 public:
  explicit packed_moves(const symmetry::plan& p) : plan_(p), words_(p.system.state_layout().words()) {
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
        recent_.fill({});
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
      if (x.at.bits == 0) continue;
      const slot& to = plan_.places[m.slot_to[s]].at;
      if (!plan_.names_values(x)) {
        add_shift(out, x.at, to);
        continue;
      }
      packed_move::field f{s, x.at, to};
      const std::uint64_t greatest = ir::max_code(plan_.p, plan_.p.variables[x.variable].type);
      if (x.at.bits <= tabulated_bits) {
        f.table = static_cast<std::uint32_t>(out.images.size());
        for (word code = 0; code <= x.at.mask; ++code)
          out.images.push_back(code <= greatest ? image_of(x.moves, m.to, code) << to.shift : 0);
      }
      (zero_stays(x) ? out.sparse : out.always).push_back(f);
    }
    std::stable_sort(out.shifts.begin(), out.shifts.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    for (std::uint32_t w = 0; w < words_; ++w)
      out.shift_end.push_back(static_cast<std::uint32_t>(
          std::count_if(out.shifts.begin(), out.shifts.end(), [&](const auto& x) { return x.to <= w; })));
    out.to = std::move(m.to);
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
    for (const packed_move::field& f : m.always)
      if (!(dead[f.from.index] >> f.from.shift & 1)) place_image(m, f, from, into);
    for (std::uint32_t w = 0; w < words_; ++w)
      for (word rest = from[w] & moved_mask_[w]; rest;) {
        const packed_move::field& f = m.sparse[moved_at_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest))]];
        place_image(m, f, from, into);
        rest &= ~(f.from.mask << f.from.shift);
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

  void place_image(const packed_move& m, const packed_move::field& f, const word* from, word* into) const {
    const word code = get(from, f.from);
    into[f.to.index] |=
        f.table == ~0u ? image_of(plan_.places[f.number].moves, m.to, code) << f.to.shift : m.images[f.table + code];
  }

  static bool zero_stays(const place& x) { return x.moves.options > 0 || x.moves.set; }

  // Numbers the sparse fields as compile() does.
  void find_moved() {
    std::uint32_t n = 0;
    moved_mask_.resize(words_);
    moved_at_.resize(std::size_t{words_} * 64);
    for (const place& x : plan_.places) {
      if (x.at.bits == 0 || !plan_.names_values(x) || !zero_stays(x)) continue;
      moved_mask_[x.at.index] |= x.at.mask << x.at.shift;
      for (std::uint32_t b = x.at.shift; b < x.at.shift + x.at.bits; ++b) moved_at_[x.at.index * 64 + b] = n;
      ++n;
    }
  }

  static constexpr std::size_t most_kept = 4096;  // permutations

  const symmetry::plan& plan_;
  const std::uint32_t words_;
  std::vector<word> moved_mask_;         // of the fields whose value moves, and of which 0 stays 0
  std::vector<std::uint32_t> moved_at_;  // by bit of the state, its number among those
  std::unordered_map<std::uint64_t, packed_move> moves_;
  struct recent {
    std::uint64_t key = 0;
    const packed_move* move = nullptr;
  };
  std::array<recent, 64> recent_{};
  std::uint64_t identity_ = 0;
};

}  // namespace quiesce::symmetries
