// SPDX-License-Identifier: MIT
#pragma once
// What the packed canonicaliser takes from whole words. Internal to symmetry_packed.cpp.

#include <vector>

#include "model/explicit/symmetry_plan.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quiesce::symmetries {

constexpr std::uint32_t tabulated_bits = 8;  // of a field

// Bits of an element's own fields in one word. Some of these together, up to `last`, make one number: the same fields for
// each element of a class, whatever words they are in.
struct own_bits {
  std::uint32_t element = 0, index = 0;
  word mask = 0;
  std::uint32_t left = 0;
  bool last = false;
  std::uint32_t number = 0;  // which number of all
};

// The bits under each mask, side by side. The same numbers with and without an instruction for it.
inline void sign_own_anywhere(const std::vector<own_bits>& own, const word* state, std::uint64_t* sum, word* numbers) {
  word number = 0;
  for (const own_bits& o : own) {
    unsigned n = o.left;
    for (word mask = o.mask; mask; mask &= mask - 1, ++n) number |= (state[o.index] >> __builtin_ctzll(mask) & 1) << n;
    if (!o.last) continue;
    sum[o.element] = mix(sum[o.element], number);
    numbers[o.number] = number;
    number = 0;
  }
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) inline void sign_own_fast(const std::vector<own_bits>& own, const word* state,
                                                          std::uint64_t* sum, word* numbers) {
  word number = 0;
  for (const own_bits& o : own) {
    number |= _pext_u64(state[o.index], o.mask) << o.left;
    if (!o.last) continue;
    sum[o.element] = mix(sum[o.element], number);
    numbers[o.number] = number;
    number = 0;
  }
}
inline const auto sign_own_fields = __builtin_cpu_supports("bmi2") ? sign_own_fast : sign_own_anywhere;
#else
inline const auto sign_own_fields = sign_own_anywhere;
#endif

}  // namespace quiesce::symmetries
