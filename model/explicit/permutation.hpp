// SPDX-License-Identifier: MIT
#pragma once
// How permutations of base elements move everything else: derived elements, options, sets, table indices.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce {

// What of a type moves: nothing, an element, or a set, inside `options` layers of option.
struct moving_type {
  ir::sort_id sort = ir::nothing;  // ir::nothing: does not move
  bool set = false;
  std::uint32_t options = 0;
  bool operator==(const moving_type&) const = default;
};
moving_type moving(const ir::program&, ir::type_id);

// For each sort the image of each element.
using sort_images = std::vector<std::vector<std::uint32_t>>;

class element_orbits {
 public:
  explicit element_orbits(const ir::program&);

  // The base element that element i of sort s comes from; `sort` == nothing: it never moves.
  struct root {
    ir::sort_id sort = ir::nothing;
    std::uint32_t element = 0;
  };
  const root& root_of(ir::sort_id s, std::uint32_t i) const { return roots_[s][i]; }
  // Elements that the full group maps to each other have the same role; fixed ones have a role of their own. Never 0.
  std::uint64_t role_of(ir::sort_id s, std::uint32_t i) const { return roles_[s][i]; }
  bool moves(ir::sort_id s) const { return moves_[s]; }

  // `base`: images of base elements, for each base sort; sorts without entry stay. Nothing where an element has no image.
  std::optional<sort_images> induced(const sort_images& base) const;

 private:
  root find_root(ir::sort_id s, std::uint32_t i, int depth) const;
  const ir::program& p_;
  std::vector<std::vector<root>> roots_;
  std::vector<std::vector<std::uint64_t>> roles_;
  std::vector<bool> moves_;
};

// The image of a code under a permutation. Codes of types that do not move stay.
inline std::uint64_t image_of(const moving_type& m, const sort_images& to, std::uint64_t code) {
  if (m.sort == ir::nothing || code < m.options) return code;
  std::uint64_t inner = code - m.options;
  const auto& map = to[m.sort];
  if (!m.set) return inner < map.size() ? m.options + map[inner] : code;
  std::uint64_t out = 0;
  for (; inner; inner &= inner - 1) out |= std::uint64_t{1} << map[static_cast<unsigned>(__builtin_ctzll(inner))];
  return m.options + out;
}

}  // namespace quiesce
