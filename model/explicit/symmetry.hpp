// SPDX-License-Identifier: MIT
#pragma once
// Symmetry reduction: states that differ only by a permutation of interchangeable elements are one.
//
// The group is the product of the symmetric groups of the classes of interchangeable base elements. The representative of an
// orbit is its lexicographically least member (on words); it is exact, and found by enumerating only those permutations that
// sort the elements by a signature which no permutation changes (Ip & Dill, "Better verification through symmetry", 1996).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/system/system.hpp"

namespace quiesce {

class symmetry {
 public:
  // Elements that the program names (constants, initial values that no statement chose) are taken out of the group. A program that orders
  // or computes with elements of a sort has no symmetry in it; why() says so.
  explicit symmetry(const transition_system&);
  ~symmetry();

  bool trivial() const;
  std::uint64_t order() const;              // of the group; saturates
  const std::string& why() const;           // what was taken out of the group, one reason a line; empty: nothing

  // Scratch space of one thread.
  class canonicaliser {
   public:
    virtual ~canonicaliser() = default;
    virtual void canonical(word* state) = 0;   // in place
  };
  std::unique_ptr<canonicaliser> make_canonicaliser() const;

  // Applies the group element number `which` (0 .. order - 1, any fixed numbering). For tests. In place.
  void permute(word* state, std::uint64_t which) const;

 private:
  struct plan;
  std::unique_ptr<plan> plan_;
};

}  // namespace quiesce
