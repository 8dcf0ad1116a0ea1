// SPDX-License-Identifier: MIT
#pragma once
// Sets of states for systems that the full store has no room for. One thread. quotient_set.hpp has the one with full states.
//
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
  // For each of the states that stand one after the other: whether it was not there. At once is faster than one by one.
  virtual void insert_many(const word* states, std::uint32_t count, bool* fresh) = 0;
  bool insert(const word* state) {
    bool fresh = false;
    insert_many(state, 1, &fresh);
    return fresh;
  }
  virtual std::uint64_t memory_bytes() const = 0;
  std::uint64_t size() const { return size_; }

 protected:
  std::uint64_t size_ = 0;
};

class hash_set final : public compact_set {
 public:
  explicit hash_set(std::uint32_t words);
  void insert_many(const word* states, std::uint32_t count, bool* fresh) override;
  std::uint64_t memory_bytes() const override;
  double omission_probability() const;  // a bound

 private:
  struct shard {
    std::vector<std::uint64_t> at;
    std::uint64_t used = 0;
  };
  static std::size_t place(const shard& s, std::uint64_t hash) {
    return static_cast<std::size_t>(static_cast<unsigned __int128>(hash << 10) * s.at.size() >> 64);
  }
  bool insert_hash(std::uint64_t);
  void grow(shard&);
  const std::uint32_t words_;
  std::vector<shard> shards_;
};

}  // namespace quiesce
