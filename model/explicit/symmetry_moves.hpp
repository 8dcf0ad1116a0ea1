// SPDX-License-Identifier: MIT
#pragma once
// What permutations of the elements do to fields of several elements, compiled and kept. Internal to symmetry_packed.cpp.

#include <algorithm>
#include <unordered_map>

#include "model/explicit/symmetry_plan.hpp"

namespace quiesce::symmetries {

constexpr std::uint32_t tabulated_bits = 8;  // of a field

// A permutation of the elements, as far as these fields go.
struct packed_move {
  std::vector<slot> targets;         // where the fields go, by number
  std::vector<std::uint8_t> images;  // of the codes of each kind of fields whose value moves
  sort_images to;                    // only for those without a table
};

class packed_moves {
 public:
  explicit packed_moves(const symmetry::plan& p) : plan_(p), recent_(most_recent) {}

  // A field that is to be moved: its number among them.
  std::uint32_t enter(std::uint32_t s) {
    const place& x = plan_.places[s];
    moved_.push_back({s, plan_.names_values(x), plan_.names_values(x) ? table_of(x) : ~0u});
    return static_cast<std::uint32_t>(moved_.size() - 1);
  }

  // To an order of the movable elements. Good until the next call.
  const packed_move& to(const std::uint32_t* order) {
    std::uint64_t key = 0;
    for (std::uint32_t k = 0; k < plan_.movable; ++k) key |= std::uint64_t{k} << (4 * order[k]);
    recent& r = recent_[mix(key, 1) % recent_.size()];
    if (r.key == key && r.move) return *r.move;
    auto it = moves_.find(key);
    if (it == moves_.end()) {
      if (moves_.size() > most_kept) {
        moves_.clear();
        std::fill(recent_.begin(), recent_.end(), recent{});
      }
      std::vector<std::uint32_t> target(plan_.movable);
      for (std::uint32_t k = 0; k < plan_.movable; ++k) target[order[k]] = k;
      it = moves_.emplace(key, compile(plan_.images(target))).first;
    }
    r = {key, &it->second};
    return *r.move;
  }

  // Puts this code of the field, moved, where there are no bits yet.
  void put(const packed_move& m, std::uint32_t number, word code, word* into) const {
    const slot& to = m.targets[number];
    into[to.index] |= image(m, moved_[number], code) << to.shift;
  }

 private:
  struct field {
    std::uint32_t place = 0;
    bool value_moves = false;
    std::uint32_t table = ~0u;  // where in `images` those of its codes begin; ~0u: to be computed
  };
  // The values of fields of one type.
  struct table {
    moving_type moves;
    std::uint64_t codes = 0;
    std::uint32_t first = 0;
  };

  word image(const packed_move& m, const field& f, word code) const {
    if (!f.value_moves) return code;
    return f.table == ~0u ? image_of(plan_.places[f.place].moves, m.to, code) : m.images[f.table + code];
  }

  packed_move compile(sort_images to) const {
    packed_move out;
    for (const field& f : moved_) out.targets.push_back(plan_.places[plan_.place_of(f.place, to)].at);
    for (const table& t : tables_)
      for (word code = 0; code < t.codes; ++code)
        out.images.push_back(static_cast<std::uint8_t>(image_of(t.moves, to, code)));
    if (some_are_wide_) out.to = std::move(to);
    return out;
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
  std::vector<field> moved_;
  std::vector<table> tables_;
  bool some_are_wide_ = false;
  std::unordered_map<std::uint64_t, packed_move> moves_;
  struct recent {
    std::uint64_t key = 0;
    const packed_move* move = nullptr;
  };
  std::vector<recent> recent_;
};

}  // namespace quiesce::symmetries
