// SPDX-License-Identifier: MIT
#pragma once
// An and-inverter graph: what a finite system's states and steps become for the solvers. Nodes are hashed by structure and
// constants are folded, so equal conditions are one node (Kuehlmann et al., "Robust Boolean Reasoning", TCAD 2002).

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace quiesce::symbolic {

// A node, or its negation where the lowest bit is set. Node 0 is the constant false.
using literal = std::uint32_t;
inline constexpr literal always_false = 0, always_true = 1;
inline std::uint32_t node_of(literal a) { return a >> 1; }
inline bool negated(literal a) { return (a & 1u) != 0; }

class circuit {
 public:
  circuit() : nodes_(1) {}

  literal input();
  // O(1) each.
  literal both(literal a, literal b);
  literal either(literal a, literal b) { return both(a ^ 1u, b ^ 1u) ^ 1u; }
  literal same(literal a, literal b) { return choice(a, b, b ^ 1u); }
  literal choice(literal c, literal yes, literal no);

  struct gate {
    literal a = 0, b = 0;
    bool is_input = false;
  };
  // Gates are in topological order: both operands of a gate come before it.
  const gate& at(std::uint32_t node) const { return nodes_[node]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  std::vector<gate> nodes_;
  std::unordered_map<std::uint64_t, literal> gates_;
};

literal any_of(circuit&, const std::vector<literal>&);
// True where exactly one holds. O(n).
literal exactly_one(circuit&, const std::vector<literal>&);

// Copies parts of one circuit into another, with the inputs replaced. Each node is copied once.
class substitution {
 public:
  substitution(const circuit& from, circuit& to) : from_(from), to_(to), image_(from.size(), unknown) {
    image_[0] = always_false;
  }
  void set(literal input, literal image) { image_[node_of(input)] = negated(input) ? image ^ 1u : image; }
  // Inputs without an image get a fresh input.
  literal of(literal);

 private:
  static constexpr literal unknown = 0xffffffffu;
  const circuit& from_;
  circuit& to_;
  std::vector<literal> image_;
};

}  // namespace quiesce::symbolic
