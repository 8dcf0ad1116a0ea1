// SPDX-License-Identifier: MIT
#pragma once
// The hash of a packed state. Folded 128-bit multiplication, as in wyhash. W: words of the state, 0: known at run time only.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "model/system/layout.hpp"

namespace quiesce {

// f with the number of words as a constant of the compiler, where states are short: f(std::integral_constant<...>), 0: long.
template <class F>
decltype(auto) with_width(std::size_t words, F&& f) {
  switch (words) {
    case 1:
      return f(std::integral_constant<std::uint32_t, 1>{});
    case 2:
      return f(std::integral_constant<std::uint32_t, 2>{});
    case 3:
      return f(std::integral_constant<std::uint32_t, 3>{});
    case 4:
      return f(std::integral_constant<std::uint32_t, 4>{});
    default:
      return f(std::integral_constant<std::uint32_t, 0>{});
  }
}

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(p) ^ static_cast<std::uint64_t>(p >> 64);
}

template <std::uint32_t W>
inline std::uint64_t hash_state(const word* s, std::uint32_t words) {
  constexpr std::uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd6e8feb86659fd93u, k2 = 0xa0761d6478bd642fu,
                          k3 = 0xe7037ed1a0b428dbu;
  const std::uint32_t n = W ? W : words;
  std::uint64_t h = k2;
  std::uint32_t w = 0;
  for (; w + 2 <= n; w += 2) h = fold(fold(s[w] ^ k0, s[w + 1] ^ k1) ^ h, k3);
  if (w < n) h = fold(s[w] ^ k0 ^ h, k3);
  return h ^ h >> 32;
}

template <std::uint32_t W>
inline bool same_state(const word* a, const word* b, std::uint32_t words) {
  const std::uint32_t n = W ? W : words;
  word differ = 0;
  for (std::uint32_t w = 0; w < n; ++w) differ |= a[w] ^ b[w];
  return differ == 0;
}

// Lexicographic order on words.
template <std::uint32_t W>
inline bool less_state(const word* a, const word* b, std::uint32_t words) {
  const std::uint32_t n = W ? W : words;
  for (std::uint32_t w = 0; w < n; ++w)
    if (a[w] != b[w]) return a[w] < b[w];
  return false;
}

}  // namespace quiesce
