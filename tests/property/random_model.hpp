// SPDX-License-Identifier: MIT
#pragma once
// Texts of small models: two processes, a few globals of every kind, procedures, every statement without kernel machinery.

#include <cstdint>
#include <string>

namespace quiesce::test {

// The same seed gives the same text (by one compiler: it chooses the order in which operands are made).
std::string random_model(std::uint64_t seed);

}  // namespace quiesce::test
