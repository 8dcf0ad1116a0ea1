// SPDX-License-Identifier: MIT
#pragma once
// Full states and nothing else, in a table that is made once where the number of states is known: what a search written for
// one system would use. One access to memory for each state, met again or not. One thread.
//
// Open addressing with linear probing. The table has 64 parts; where more states come than were expected, a part that is
// 9/10 full is made larger, a large one by a third, one at a time, so that growing has no long pause and no peak.

#include <array>
#include <cstdint>
#include <memory>

#include "model/explicit/compact_set.hpp"
#include "model/explicit/huge_block.hpp"

namespace quiesce {

class bare_set final : public compact_set {
 public:
  // `expected`: states there is room for at once, at 5/8 of the table; 0: not known. Throws std::bad_alloc.
  bare_set(std::uint32_t words, std::uint64_t expected);
  void insert_many(const word* states, std::uint32_t count, bool* fresh) override;
  std::uint64_t memory_bytes() const override;

 private:
  static constexpr std::uint32_t part_bits = 6;
  struct part {
    word* at = nullptr;  // all words zero: free
    std::uint64_t capacity = 0, used = 0, enough = 0;
    std::unique_ptr<huge_block> own;  // nothing: in whole_
  };
  template <std::uint32_t W>
  void insert_all(const word* states, std::uint32_t count, bool* fresh);
  template <std::uint32_t W>
  bool put(part&, std::uint64_t hash, const word* state);
  template <std::uint32_t W>
  void grow(part&);
  static std::uint64_t place(const part& p, std::uint64_t hash) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash << part_bits) * p.capacity >> 64);
  }

  const std::uint32_t words_;
  std::unique_ptr<huge_block> whole_;
  std::array<part, std::size_t{1} << part_bits> parts_;
  std::uint64_t slots_ = 0;  // of all parts
  bool zero_seen_ = false;   // the state whose words are all zero
};

}  // namespace quiesce
