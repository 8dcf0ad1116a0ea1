// SPDX-License-Identifier: MIT
#pragma once
// Symmetry reduction: states that differ only by a permutation of interchangeable elements are one.
//
// The group is the product of the symmetric groups of the classes of interchangeable base elements. The representative is
// exact: two states have the same one iff a permutation maps one to the other. It is the lexicographically least (on words)
// of the images in which the elements ascend by a signature that no permutation changes (colour refinement on what the state
// says of each element), so only elements of equal signature are tried in every order (Ip & Dill, "Better verification
// through symmetry", 1996; McKay's refinement). Values of element-typed locals that nobody will read are set to 0 in it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/system/system.hpp"

namespace quiesce {

class symmetry {
 public:
  // Decides which elements the program treats alike (equivariance.hpp) and the initial states do not tell apart; those that
  // it names or orders are taken out of the group, and why() says so; with more than 2^21 initial states, all of them.
  // Without a look at the initial states, of which there may be many to go through, the group is one of the steps alone:
  // good for guesses only.
  explicit symmetry(const transition_system&, bool with_initial_states = true);
  ~symmetry();

  bool trivial() const;
  std::uint64_t order() const;     // of the group; saturates
  const std::string& why() const;  // what was taken out of the group, one reason a line; empty: nothing

  // The initial steps that it looked at, in their order, so that they need not be taken again. Once; nothing afterwards, and
  // not of a trivial group.
  void initial(const step_visitor&);

  // Any two elements of the sort may be exchanged, and there are at least two.
  bool interchangeable(ir::sort_id) const;

  // Scratch space of one thread.
  class canonicaliser {
   public:
    virtual ~canonicaliser() = default;
    virtual void canonical(word* state) = 0;  // in place
  };
  std::unique_ptr<canonicaliser> make_canonicaliser() const;

  // Applies the group element number `which` (0 .. order - 1, any fixed numbering). For tests. In place.
  void permute(word* state, std::uint64_t which) const;
  // The same as a function, for many states; values that nobody will read move like all others. Lives as long as this.
  std::function<void(word*)> permutation(std::uint64_t which) const;

  struct plan;

 private:
  std::unique_ptr<plan> plan_;
};

}  // namespace quiesce
