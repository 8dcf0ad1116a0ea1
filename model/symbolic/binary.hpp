// SPDX-License-Identifier: MIT
#pragma once
// Two's complement, least bit first, the last bit the sign; at least one bit. What number.hpp uses for its second form.

#include <cstdint>
#include <vector>

#include "model/symbolic/circuit.hpp"

namespace quiesce::symbolic {

using binary = std::vector<literal>;

binary narrowed(binary);  // without copies of the sign; throws std::length_error beyond `widest` bits
binary inverted(binary);
binary add(circuit&, const binary&, const binary&, literal carry);
binary subtract(circuit&, const binary&, const binary&);
binary multiply(circuit&, const binary&, const binary&);
binary divide(circuit&, const binary&, std::uint64_t by);
binary choice(circuit&, literal, const binary&, const binary&);
binary both(circuit&, const binary&, const binary&);
literal equal(circuit&, const binary&, const binary&);

}  // namespace quiesce::symbolic
