// SPDX-License-Identifier: MIT
#pragma once
// Sets of states for systems that the full store has no room for. One thread.
//
// quotient_set keeps full states by quotienting: an invertible function mixes the first word; its leading part is the place
// of the state in the table and need not be stored (Cleary, "Compact hash tables using bidirectional linear probing", 1984;
// here with buckets of 64 and the few that do not fit apart). Parts of the table grow one after the other by a seventh.
// hash_set keeps 64 bits of hash (Wolper & Leroy, 1993): a state with the hash of another is taken for seen. The probability
// that this happened at all is at most n^2 / 2^65.

#include <cstdint>
#include <memory>
#include <vector>

#include "model/system/layout.hpp"

namespace quiesce {

class compact_set {
 public:
  virtual ~compact_set() = default;
  virtual bool insert(const word* state) = 0;  // true: it was not there
  virtual std::uint64_t memory_bytes() const = 0;
  std::uint64_t size() const { return size_; }

 protected:
  std::uint64_t size_ = 0;
};

std::vector<std::uint32_t> used_bits(const layout&);

class quotient_set final : public compact_set {
 public:
  explicit quotient_set(std::vector<std::uint32_t> used_bits);  // of each word
  bool insert(const word* state) override;
  std::uint64_t memory_bytes() const override;

 private:
  static constexpr std::uint32_t slots = 64;
  // A state as it is placed and stored: `y` of key_bits_ bits is quotiented, `rest` are the used bits of all other words.
  struct shard {
    std::uint64_t buckets = 1, used = 0;
    std::uint32_t rest_of_key = 0;           // bits of a key that are stored
    std::vector<std::uint8_t> counts, tags;  // tags: the first 8 bits of each entry
    std::vector<std::uint8_t> bits;          // the others, packed
    std::vector<word> beside;                // keys and rests of full buckets, open addressing; a key of all ones: free
    std::uint64_t beside_used = 0;
  };
  void mix(const word* state, word* into) const;
  bool put(shard&, const word* mixed);
  bool put_beside(shard&, const word* mixed);
  void grow(shard&);
  void shape(shard&, std::uint64_t buckets) const;
  std::uint32_t entry_bits(const shard& s) const { return s.rest_of_key + rest_bits_; }
  void encode(const word* mixed, std::uint64_t rest_of_key, const shard&, word* entry) const;
  bool same(const shard&, std::uint64_t bucket, std::uint32_t slot, const word* entry) const;

  std::vector<std::uint32_t> used_;
  std::uint32_t shard_bits_ = 0, key_bits_ = 0, rest_bits_ = 0;
  std::vector<shard> shards_;
  std::vector<word> mixed_, entry_;
};

class hash_set final : public compact_set {
 public:
  explicit hash_set(std::uint32_t words);
  bool insert(const word* state) override;
  std::uint64_t memory_bytes() const override;
  double omission_probability() const;  // a bound

 private:
  struct shard {
    std::vector<std::uint64_t> at;
    std::uint64_t used = 0;
  };
  void grow(shard&);
  const std::uint32_t words_;
  std::vector<shard> shards_;
};

}  // namespace quiesce
