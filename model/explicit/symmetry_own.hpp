// SPDX-License-Identifier: MIT
#pragma once
// The bits of a state that are about one interchangeable element alone, side by side as numbers: taken from the state, and
// put where a permutation has them. Internal to symmetry_packed.cpp.

#include <algorithm>
#include <vector>

#include "model/explicit/symmetry_plan.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quiesce::symmetries {

constexpr std::uint32_t most_movable = 15;  // elements, of packed canonicalisers

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

// The same bits by where they go: part of a number of the element that takes this one's place.
struct put_bits {
  word mask = 0;
  std::uint32_t index = 0;
  std::uint16_t number = 0;  // as states have fewer than 2^16 words
  std::uint8_t element = 0, left = 0;
};

// One word, from bits that begin at `o` and end before `to`. `numbers`: by element.
inline word put_own_anywhere(const put_bits* o, const put_bits* to, const word* const* numbers) {
  word out = 0;
  for (; o != to; ++o) {
    word rest = numbers[o->element][o->number] >> o->left;
    for (word mask = o->mask; mask; mask &= mask - 1, rest >>= 1) out |= (rest & 1) << __builtin_ctzll(mask);
  }
  return out;
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
__attribute__((target("bmi2"))) inline word put_own_fast(const put_bits* o, const put_bits* to, const word* const* numbers) {
  word out = 0;
  for (; o != to; ++o) out |= _pdep_u64(numbers[o->element][o->number] >> o->left, o->mask);
  return out;
}
inline const auto sign_own_fields = __builtin_cpu_supports("bmi2") ? sign_own_fast : sign_own_anywhere;
inline const auto put_own_fields = __builtin_cpu_supports("bmi2") ? put_own_fast : put_own_anywhere;
#else
inline const auto sign_own_fields = sign_own_anywhere;
inline const auto put_own_fields = put_own_anywhere;
#endif

// What a state says of each element without naming another: fields with one index that moves, and whether it is in a set
// that is no element's. Everything else that moves is a relation.
class own_fields {
 public:
  explicit own_fields(const symmetry::plan& p) : plan_(p), fixed_(p.system.state_layout().words()), range_(p.movable) {
    if (!collect(true)) collect(false);
    std::stable_sort(put_.begin(), put_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    for (std::uint32_t w = 0; w < fixed_.size(); ++w)
      put_end_.push_back(
          static_cast<std::uint32_t>(std::count_if(put_.begin(), put_.end(), [&](const auto& x) { return x.index <= w; })));
  }

  const std::vector<std::uint32_t>& relations() const { return relations_; }  // fields, by number

  // Adds to the sums of the elements what their own fields say.
  void take(const word* state, std::uint64_t* sum) { sign_own_fields(own_, state, sum, numbers_.data()); }

  // Of what was taken: are the own fields of two elements of one class the same?
  bool same(std::uint32_t a, std::uint32_t b) const {
    const auto at = [&](std::uint32_t n) { return numbers_.begin() + n; };
    const range &x = range_[a], &y = range_[b];
    return std::equal(at(x.number), at(x.number_end), at(y.number), at(y.number_end));
  }

  // Element order[k] at the place of element k; with the bits that never move, and without relations.
  void put(const std::uint32_t* order, const word* from, word* into) const {
    const word* numbers[most_movable];
    for (std::uint32_t k = 0; k < range_.size(); ++k) numbers[k] = numbers_.data() + range_[order[k]].number;
    const put_bits* at = put_.data();
    for (std::size_t w = 0; w < fixed_.size(); ++w) {
      const put_bits* end = put_.data() + put_end_[w];
      into[w] = (from[w] & fixed_[w]) | put_own_fields(at, end, numbers);
      at = end;
    }
  }

 private:
  struct field {
    std::vector<std::uint64_t> kind;  // the same for fields that permutations map to each other
    std::uint32_t index = 0, shift = 0, bits = 0, place = 0;
  };
  struct range {
    std::uint32_t number = 0, number_end = 0;
  };
  using fields_of_elements = std::vector<std::vector<field>>;

  // False: elements of a class differ in what their own fields are, maybe for the members of sets.
  bool collect(bool members) {
    fields_of_elements own(plan_.movable);
    relations_.clear();
    std::fill(fixed_.begin(), fixed_.end(), 0);
    for (std::uint32_t s = 0; s < plan_.places.size(); ++s)
      if (plan_.places[s].at.bits > 0) sort_in(s, members, own);
    for (auto& fields : own)
      std::sort(fields.begin(), fields.end(), [](const field& a, const field& b) { return a.kind < b.kind; });
    for (const auto& c : plan_.classes) {
      if (alike(own, c)) continue;
      if (members) return false;
      for (std::size_t k = 0; k < c.element.size(); ++k) {
        for (const field& f : own[c.first + k]) relations_.push_back(f.place);
        own[c.first + k].clear();
      }
    }
    for (std::uint32_t e = 0; e < plan_.movable; ++e) add(e, own[e]);
    return true;
  }

  void sort_in(std::uint32_t s, bool members, fields_of_elements& own) {
    const place& x = plan_.places[s];
    const bool names = plan_.names_values(x);
    const std::vector<std::uint32_t> owners = plan_.owners_of(x);
    if (owners.empty() && !names) {
      fixed_[x.at.index] |= x.at.mask << x.at.shift;
    } else if (owners.size() == 1 && !names) {
      own[owners[0]].push_back({plan_.kind_of(x), x.at.index, x.at.shift, x.at.bits, s});
    } else if (owners.empty() && members && x.moves.set && x.moves.options == 0) {
      const auto& all = plan_.mentions[x.moves.sort];
      for (std::uint32_t m = 0; m < all.size(); ++m) {
        if (all[m].element == ~0u) {
          fixed_[x.at.index] |= word{1} << (x.at.shift + m);
          continue;
        }
        field f{plan_.kind_of(x), x.at.index, x.at.shift + m, 1, s};
        f.kind.push_back(all[m].role);
        own[all[m].element].push_back(std::move(f));
      }
    } else {
      relations_.push_back(s);
    }
  }

  bool alike(const fields_of_elements& own, const symmetry::plan::interchangeable& c) const {
    const auto same = [](const field& a, const field& b) { return a.kind == b.kind && a.bits == b.bits; };
    const auto& one = own[c.first];
    for (std::uint32_t k = 1; k < c.element.size(); ++k) {
      const auto& other = own[c.first + k];
      if (!std::equal(one.begin(), one.end(), other.begin(), other.end(), same)) return false;
    }
    return true;
  }

  void add(std::uint32_t e, const std::vector<field>& own) {
    range& r = range_[e];
    const std::size_t first = own_.size();
    r.number = static_cast<std::uint32_t>(numbers_.size());
    std::uint32_t bits = 64;  // of the number that is being made
    for (const field& f : own) {
      const word mask = (f.bits == 64 ? ~word{0} : (word{1} << f.bits) - 1) << f.shift;
      const bool fresh = bits + f.bits > 64;
      if (fresh) {
        if (own_.size() > first) own_.back().last = true;
        numbers_.push_back(0);
        bits = 0;
      }
      // Bits are taken from a word in their order.
      if (fresh || own_.back().index != f.index || own_.back().mask >= mask)
        own_.push_back({e, f.index, mask, bits, false, static_cast<std::uint32_t>(numbers_.size() - 1)});
      else
        own_.back().mask |= mask;
      bits += f.bits;
    }
    if (own_.size() > first) own_.back().last = true;
    for (std::size_t k = first; k < own_.size(); ++k) {
      const own_bits& o = own_[k];
      put_.push_back({o.mask, o.index, static_cast<std::uint16_t>(o.number - r.number), static_cast<std::uint8_t>(e),
                      static_cast<std::uint8_t>(o.left)});
    }
    r.number_end = static_cast<std::uint32_t>(numbers_.size());
  }

  const symmetry::plan& plan_;
  std::vector<std::uint32_t> relations_;
  std::vector<word> fixed_;
  std::vector<own_bits> own_;  // of the elements one after the other
  std::vector<put_bits> put_;  // by word
  std::vector<std::uint32_t> put_end_;
  std::vector<range> range_;   // by element
  std::vector<word> numbers_;  // of the state that was taken last
};

}  // namespace quiesce::symmetries
