// SPDX-License-Identifier: MIT
#pragma once
// What the step of a process instance at one location may read and write, found by abstract execution of its code.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/system/ir.hpp"

namespace quiesce {

// A set of slots (ir::variable::first_slot and what follows: one for each element of each variable).
class slot_set {
 public:
  explicit slot_set(std::size_t slots = 0) : words_((slots + 63) / 64, 0) {}
  void add(std::uint32_t s) { words_[s / 64] |= std::uint64_t{1} << (s % 64); }
  bool has(std::uint32_t s) const { return words_[s / 64] >> (s % 64) & 1; }
  // True if it grew.
  bool unite(const slot_set& o) {
    bool grew = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      grew = grew || (o.words_[i] & ~words_[i]);
      words_[i] |= o.words_[i];
    }
    return grew;
  }
  bool meets(const slot_set& o) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] & o.words_[i]) return true;
    return false;
  }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

struct footprint {
  slot_set reads, writes;
  std::vector<std::uint32_t> next;  // locations where it may end; errors, bounds and `stuck` have none
};

// A slot that has this code for as long as nobody writes it.
struct known_slot {
  std::uint32_t slot = 0;
  std::uint64_t code = 0;
};

// Over-approximates: every slot whose value the step may depend on, whether it exists, what it does and what it violates or
// marks; every slot that it may change, its own program counter included. Paths that `known` excludes are left out. The
// arguments of events are for traces only and do not count. The program must be laid out.
footprint footprint_of(const ir::program&, std::uint32_t process, std::uint32_t instance, std::uint32_t location,
                       const std::optional<known_slot>& known = std::nullopt);

// What the code of an instance stores into one known place, where that is one known value too, whatever the location.
std::vector<known_slot> constants_stored(const ir::program&, std::uint32_t process, std::uint32_t instance);

// What an expression without free temps may depend on.
slot_set reads_of(const ir::program&, ir::expr_id);

std::size_t slot_count(const ir::program&);

}  // namespace quiesce
