// SPDX-License-Identifier: MIT
#pragma once
// What invariants may speak of: conditions over a few variables that the language can say.
//
// They are the atoms that the functions of the core give (`owner(p1, k1)`, `p1 == first(k1)`, `inside(run(t1), critical)`,
// `now_serving <= run(t1).mine`), and conditions with quantifiers that the guards of the actions contain, closed over some
// of their parameters: what an actor had to see before it acted.

#include "model/inference/words.hpp"

namespace quiesce::inference {

struct variable {
  std::string name;
  std::size_t sort = 0;
};

struct atom {
  node condition;
  std::string text;
  std::uint64_t variables = 0;  // bits: those that it speaks of
  unsigned weight = 1;          // how much it says
};

struct vocabulary {
  std::vector<variable> variables;
  std::vector<atom> atoms;
};

// `count`: variables of each sort.
vocabulary make_vocabulary(const core&, const words&, const std::vector<std::size_t>& count);

// (all (v sort) …) over those of the variables that are in `used`.
node universally(const core&, const std::vector<variable>&, std::uint64_t used, node body);

}  // namespace quiesce::inference
