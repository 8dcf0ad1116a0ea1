// SPDX-License-Identifier: MIT
#pragma once
// Exchanges of interchangeable elements, as they move the literals of a finite system's state. What one cube says, its
// images say of other elements. For guessing only: nothing that is answered rests on it.

#include <vector>

#include "model/explicit/symmetry.hpp"
#include "model/symbolic/invariant.hpp"

namespace quiesce::symbolic {

class permutations {
 public:
  // None but the identity where the group has more than `most` elements, or moves values otherwise than bit by bit.
  permutations(const transition_system&, const finite_system&, const symmetry&, std::uint64_t most = 1000);

  std::size_t size() const { return maps_.size(); }
  cube image(const cube&, std::size_t which) const;
  // Different from one another, the cube itself among them.
  std::vector<cube> images(const cube&) const;
  std::vector<word> image(std::vector<word> state, std::size_t which) const;

 private:
  using map = std::vector<literal>;  // by bit of the state: where its positive literal goes
  bool move(const transition_system&, const std::function<void(word*)>& permute, map& out) const;

  const finite_system& s_;
  const symmetry& group_;
  std::vector<map> maps_;
  std::vector<std::function<void(word*)>> permute_;  // of each map
};

}  // namespace quiesce::symbolic
