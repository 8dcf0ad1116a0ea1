// SPDX-License-Identifier: MIT
#pragma once
// Full states in little more than their bits, by quotienting: an invertible function mixes the first word; its leading part
// is the place of the state in the table and need not be stored (Cleary, "Compact hash tables using bidirectional linear
// probing", 1984; here with buckets, and the few states that do not fit apart).
//
// The table has 32 parts that grow by a tenth, one after the other, so that all of it is about 0.9 full at any time. A part
// grows in place: it is read in the order of its keys, which is the order of the new places, and what was read is given
// back. Memory is in chunks of huge pages.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/explicit/compact_set.hpp"
#include "model/explicit/huge_block.hpp"

namespace quiesce {

// Bits of each word that some slot uses.
std::vector<std::uint32_t> used_bits(const layout&);

// Equal pieces of memory. Not cleared.
class chunk_pool {
 public:
  explicit chunk_pool(std::size_t bytes);
  std::uint8_t* take();
  void give(std::uint8_t* chunk) { free_.push_back(chunk); }
  std::size_t chunk_bytes() const { return bytes_; }
  std::uint64_t memory_bytes() const { return total_; }

 private:
  const std::size_t bytes_;
  std::size_t left_ = 0;  // chunks of the last block
  std::uint64_t total_ = 0;
  std::vector<std::unique_ptr<huge_block>> blocks_;
  std::vector<std::uint8_t*> free_;
};

class quotient_set final : public compact_set {
 public:
  explicit quotient_set(std::vector<std::uint32_t> used_bits);  // of each word
  void insert_many(const word* states, std::uint32_t count, bool* fresh) override;
  std::uint64_t memory_bytes() const override;

 private:
  // A bucket: how many states it has, 8 bits of each, then all other bits.
  static constexpr std::uint32_t slots = 63,  // at most
      tag_bits = 8, part_bits = 5, batch = 128;
  struct part {
    std::uint32_t buckets = 0, in_chunk = 1, bucket_bytes = 0, bucket_slots = slots;
    std::uint32_t rest_of_key = 0, stored_of_key = 0;  // bits; without place, and without tag too
    std::uint64_t used = 0, enough = 0;                // it grows beyond
    double target = 1;                                 // buckets
    std::vector<std::uint8_t*> chunks;
    std::vector<word> beside;  // mixed states of full buckets, open addressing; a key of all ones: free
    std::uint64_t beside_used = 0;
    std::uint64_t reciprocal = 0;  // of in_chunk
  };
  struct place {
    part* in;
    std::uint8_t* bucket;
    word rest;
  };
  template <std::uint32_t W>
  void insert_all(const word* states, std::uint32_t count, bool* fresh);
  template <std::uint32_t W>
  void some(const word* states, std::uint32_t count, bool* fresh);
  template <std::uint32_t W>
  void mix(const word* state, word* into) const;
  template <std::uint32_t W>
  bool put(const place&, const word* mixed);
  template <std::uint32_t W>
  bool append(const place&, const word* mixed);
  template <std::uint32_t W>
  bool same(const place&, std::uint32_t slot, const word* mixed) const;
  template <std::uint32_t W>
  void write(const place&, std::uint32_t slot, const word* mixed);
  template <std::uint32_t W>
  void grow(part&);
  void shape(part&) const;
  place find(part&, word key) const;
  std::uint8_t* bucket(const part&, std::uint32_t number) const;
  void need_chunk(part&, std::uint32_t number);
  std::size_t beside_home(const part&, const word* mixed) const;
  bool put_beside(part&, const word* mixed);

  const std::vector<std::uint32_t> used_;
  std::uint32_t key_bits_ = 0, rest_bits_ = 0;
  std::unique_ptr<chunk_pool> pool_;
  std::array<part, std::size_t{1} << part_bits> parts_;
  std::vector<word> mixed_;
  std::array<place, batch> places_;
};

}  // namespace quiesce
