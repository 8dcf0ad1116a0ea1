// SPDX-License-Identifier: MIT
#pragma once
// What a variant is known to break: claims that say so of its model, with the bug that it shows. A stack that breaks it too
// does what its model does. What the variant's own series proposes is no such rule, except where handlers of a scenario do
// what the claim's handlers do: to break that is a failure of the series.

#include <map>
#include <string>
#include <string_view>

#include "conformance/scenario.hpp"
#include "model/verdict/catalogue.hpp"

namespace quiesce::conformance {

// The variant of the stack that a claim's variant is, where the names differ too; empty: none.
std::string stack_variant(const ast::claim&);

class known_breaks {
 public:
  // Reads all claims.
  explicit known_breaks(catalogue& inputs);
  // "HB4, claim fib_neigh_J1_...: why"; empty: not known. What the scenario's variant says nothing of is known of the one
  // that it is made from.
  std::string of(std::string_view variant, const ast::property&, const scenario&) const;
  // A claim that the variant, or the one that it is made from, breaks it, whether that excuses it or not: "claim
  // J1_rebroadcast_...: why"; empty: there is none.
  std::string claimed(std::string_view variant, std::string_view property) const;

 private:
  struct about {
    std::string plainly, with_handlers;  // known, and why; empty: not known
    bool kept = false;                   // a claim says so
    std::string claimed;                 // the first claim that says the opposite
  };
  std::map<std::string, std::map<std::string, about, std::less<>>, std::less<>> by_variant_;
};

}  // namespace quiesce::conformance
