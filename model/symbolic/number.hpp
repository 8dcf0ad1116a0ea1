// SPDX-License-Identifier: MIT
#pragma once
// Integers as circuits, in one of two forms. As cases: the values that it can have, each with its condition, exactly one of
// them true. Few values are kept so: what is compared, chosen or used as an index is mostly an element, a label or a small
// counter, and "it is element 3" is then one literal. Everything else is two's complement, least bit first, the last bit
// the sign; its width grows with what is computed, so that nothing overflows below `widest` bits. Sets are the
// non-negative number of their members' bits, always in the second form.

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/symbolic/circuit.hpp"

namespace quiesce::symbolic {

inline constexpr std::size_t widest = 80, most_cases = 64;

// Of an expression whose value may have more bits, whatever values it really has.
struct too_wide : std::length_error {
  too_wide() : std::length_error("a number of more than 80 bits") {}
};

struct number {
  std::vector<std::pair<std::int64_t, literal>> cases;  // ascending values; empty: `bits` counts
  std::vector<literal> bits;
  bool operator==(const number&) const = default;
};

number constant(std::int64_t);
number of_condition(literal);
literal as_condition(circuit&, const number&);  // not zero
number of_bits(std::vector<literal>);           // not negative
number of_mask(std::uint64_t);                  // a constant set
// The same values as cases, where there are at most most_cases of the codes 0..codes-1.
number of_code(circuit&, const std::vector<literal>& bits, std::uint64_t codes);
std::vector<literal> bits_of(circuit&, const number&);

// Throws too_wide where a result would be wider than `widest`.
number add(circuit&, const number&, const number&);
number negate(circuit&, const number&);
number subtract(circuit&, const number&, const number&);
number multiply(circuit&, const number&, const number&);
number divide(circuit&, const number&, std::uint64_t by);  // of a non-negative number, by a positive constant
number choice(circuit&, literal, const number&, const number&);
literal equal(circuit&, const number&, const number&);
literal is(circuit&, const number&, std::int64_t);
literal less(circuit&, const number&, const number&);
number count(circuit&, const std::vector<literal>&);

number unite(circuit&, const number&, const number&);
number intersect(circuit&, const number&, const number&);
number complement(circuit&, const number&);  // only to intersect with
literal contains(circuit&, const number& set, const number& element);
number singleton(circuit&, const number& element);

}  // namespace quiesce::symbolic
