// SPDX-License-Identifier: MIT
#pragma once
// Integers as circuits: two's complement, least bit first, the last bit is the sign. A width grows with what is computed, so
// nothing overflows below `widest` bits; sets are the non-negative number of their members' bits.

#include <cstdint>
#include <vector>

#include "model/symbolic/circuit.hpp"

namespace quiesce::symbolic {

// At least one bit. A condition is a number 0 or 1.
using number = std::vector<literal>;

inline constexpr std::size_t widest = 80;

number constant(std::int64_t);
number of_condition(literal);
literal as_condition(circuit&, const number&);  // not zero
number unsigned_number(std::vector<literal> bits);
number unsigned_constant(std::uint64_t);

// Throws std::length_error where a result would be wider than `widest`.
number add(circuit&, const number&, const number&, literal carry = always_false);
number negate(circuit&, const number&);
number subtract(circuit&, const number&, const number&);
number multiply(circuit&, const number&, const number&);
// By a positive constant, of a non-negative number.
number divide(circuit&, const number&, std::uint64_t by);
number choice(circuit&, literal, const number&, const number&);
literal equal(circuit&, const number&, const number&);
literal less(circuit&, const number&, const number&);
number bitwise_and(circuit&, const number&, const number&);
number bitwise_or(circuit&, const number&, const number&);
number bitwise_not(const number&);
number count(circuit&, const std::vector<literal>&);

// Bit i; the sign where there is none.
inline literal bit(const number& a, std::size_t i) { return i < a.size() ? a[i] : a.back(); }

}  // namespace quiesce::symbolic
