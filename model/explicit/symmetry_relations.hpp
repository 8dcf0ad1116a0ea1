// SPDX-License-Identifier: MIT
#pragma once
// What a state says of interchangeable elements together with others: fields that name elements by their value, or by
// several indices. Internal to symmetry_packed.cpp.

#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "model/explicit/symmetry_live.hpp"
#include "model/explicit/symmetry_moves.hpp"
#include "model/explicit/symmetry_plan.hpp"

namespace quiesce::symmetries {

class relations {
 public:
  relations(const symmetry::plan& p, const std::vector<std::uint32_t>& fields)
      : plan_(p),
        live_(p),
        moves_(p),
        nobody_(p.movable),
        several_(p.movable + 1),
        half_((p.movable + 1 + 3) / 4 * 4),
        name_(p.movable + 2, 0),
        sparse_mask_(p.system.state_layout().words()),
        base_(sparse_mask_.size()),
        field_at_(sparse_mask_.size() * 64) {
    for (std::uint32_t a = 0; a < p.movable; ++a)
      for (std::uint32_t b = 0; b < p.movable; ++b) exchanges_.push_back(exchange(a, b));
    for (const std::uint32_t s : fields) add(s);
    exchanges_.clear();
    for (std::uint32_t e = 0; e < p.movable; ++e) name_[e] = mix(e + 1, 99) | 1;
    find_rows();
    find_sparse_words();
    found_.resize(relations_.size());
  }

  // In place of an element of a fact: there is none.
  std::uint32_t nobody() const { return nobody_; }

  // Makes values 0 that nobody will read. To be called before anything else is asked of a state.
  void clear_dead(word* state) { live_.clear(state); }

  // Looks at a state: what follows is about that.
  void find(const word* state) {
    state_ = state;
    found* to = found_.data();
    for (const std::uint32_t k : untabulated_) *to++ = {k, get(state, relations_[k].at)};
    for (const std::uint32_t k : live_.alive()) *to++ = {k, get(state, relations_[k].at)};
    for (const sparse_word& x : sparse_words_) {
      // Of each field the last bit: is any in it set?
      const word bits = (state[x.index] ^ x.base) & x.mask;
      word rest = (((bits & ~x.last) + (x.mask & ~x.last)) | bits) & x.last;
      for (; rest; rest &= rest - 1) {
        const std::uint32_t k = field_at_[x.index * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest))];
        *to++ = {k, get(state, relations_[k].at)};
      }
    }
    found_end_ = to;
  }

  // Two sums for each element, the second ones from half() on: of what is said of it without telling others apart; and
  // that with the names of the others, so that it is the same only for elements with the same relations. Some facts are
  // about nobody(). Returns, as bits, those elements of which the second does not say all.
  std::uint32_t half() const { return half_; }
  std::uint32_t sign(std::uint64_t* sums) const {
    std::uint64_t *const sum = sums, *const exact = sums + half_;
    const std::uint64_t* const name = name_.data();
    for (const row_table& r : rows_) {
      const std::uint64_t* row = row_sums_.data() + (r.first + get(state_, r.at)) * 2 * half_;
      for (std::uint32_t k = 0; k < 2 * half_; ++k) sums[k] += row[k];
    }
    std::uint32_t inexact = 0;
    const auto add = [=, &inexact, several = several_](std::uint32_t e, std::uint64_t what, std::uint32_t other) {
      sum[e] += what;
      exact[e] += what ^ name[other];
      inexact |= std::uint32_t{other == several} << e;
    };
    for (const found* f = found_.data(); f != found_end_; ++f) facts(relations_[f->relation], f->code, add);
    return inexact;
  }

  // take(element, what is said of it, the other) for each fact that has one other.
  template <class taker>
  void pairs(taker&& take) const {
    const auto pair = [&](std::uint32_t e, std::uint64_t what, std::uint32_t other) {
      if (other < nobody_) take(e, what, other);
    };
    for (const std::uint32_t k : tabulated_) facts(relations_[k], get(state_, relations_[k].at), pair);
    for (const found* f = found_.data(); f != found_end_; ++f) facts(relations_[f->relation], f->code, pair);
  }

  // Adds the fields to an image that has all others. Element order[k] goes to the place of element k, which is the
  // rank of order[k].
  void put(const std::uint32_t* order, const std::uint8_t* rank, word* into) {
    for (std::size_t w = 0; w < base_.size(); ++w) into[w] |= base_[w];
    const packed_move* m = nullptr;  // of fields that are no pointers
    for (const std::uint32_t k : tabulated_) put_pointer(relations_[k], get(state_, relations_[k].at), rank, into);
    for (const found* f = found_.data(); f != found_end_; ++f) {
      const relation& n = relations_[f->relation];
      const word code = f->code;
      if (n.where == facts_from::pointers) {
        put_pointer(n, code, rank, into);
      } else {
        if (!m) m = &moves_.to(order);
        moves_.put(*m, n.moved, code, into);
      }
    }
  }

 private:
  enum class facts_from : std::uint8_t { pointers, table, nowhere };
  struct relation {
    slot at;
    facts_from where = facts_from::nowhere;
    std::uint8_t owner = 0;  // of a pointer: the element of its index, or nobody
    // Of code c: pointers_[first + c] says what there is to say of its owner and members_[members + c], or, where they are
    // the same, pointers_[first + codes + c]; or those of table_ from starts_[first + c] to starts_[first + c + 1].
    std::uint32_t first = 0, members = 0;
    std::uint32_t place = 0;
    std::uint32_t moved = 0;  // of a pointer: where its targets begin in targets_; else its number in moves_
    word base = 0;            // the code that says nothing, where it is sparse
  };
  struct target {
    std::uint32_t index = 0;
    std::uint8_t shift = 0, base = 0;
  };
  struct pointer_facts {
    std::uint64_t owner = 0, member = 0;
  };
  struct one_fact {
    std::uint64_t what = 0;
    std::uint32_t element = 0, other = 0;
  };

  void add(std::uint32_t s) {
    const place& x = plan_.places[s];
    const auto number = static_cast<std::uint32_t>(relations_.size());
    relation n;
    n.at = x.at;
    n.place = s;
    n.base = own_index(s).value_or(0);
    // What of a field of elements is 0 may be one of them.
    if (!own_index(s) && plan_.names_values(x) && x.moves.options == 0 && !x.moves.set) {
      if (live_.may_die(s))
        live_.list(s, number);
      else
        untabulated_.push_back(number);
    } else {
      base_[x.at.index] |= n.base << x.at.shift;
      sparse_mask_[x.at.index] |= x.at.mask << x.at.shift;
      for (std::uint32_t b = x.at.shift; b < x.at.shift + x.at.bits; ++b) field_at_[x.at.index * 64 + b] = number;
    }
    if (is_pointer(x)) {
      add_pointer(n);
    } else {
      n.moved = moves_.enter(s);
      if (x.at.bits <= tabulated_bits) add_table(n);
    }
    relations_.push_back(n);
  }

  // Of a table from elements to elements, such as the links of a list: where an entry has the value of its index, that is
  // nothing to say, as it is so of their images.
  std::optional<word> own_index(std::uint32_t s) const {
    const place& x = plan_.places[s];
    const auto& sorts = plan_.p.variables[x.variable].index;
    const bool links = sorts.size() == 1 && x.moves.sort == sorts[0] && x.moves.options == 0 && is_pointer(x);
    if (!links || live_.may_die(s)) return std::nullopt;
    return x.index[0];
  }

  // The sparse relations of one word.
  struct sparse_word {
    std::uint32_t index = 0;
    word mask = 0, base = 0;
    word last = 0;  // of each field the last bit
  };

  void find_sparse_words() {
    for (std::uint32_t w = 0; w < base_.size(); ++w)
      if (sparse_mask_[w]) sparse_words_.push_back({w, sparse_mask_[w], base_[w], 0});
    for (const relation& n : relations_)
      for (sparse_word& x : sparse_words_)
        if (n.at.index == x.index && x.mask >> n.at.shift & 1) x.last |= word{1} << (n.at.shift + n.at.bits - 1);
  }

  // --- rows ---

  // Fields that always say something and stand side by side, such as a table from elements to elements: of all their codes
  // together, what they add to the sums.
  struct row_table {
    slot at;
    std::size_t first = 0;
  };

  void find_rows() {
    const std::vector<std::uint32_t> steady = sorted_by_bits(std::move(untabulated_));
    untabulated_.clear();
    const auto at = [&](std::uint32_t k) -> const slot& { return relations_[k].at; };
    for (std::size_t k = 0, end = 0; k < steady.size(); k = end) {
      std::uint32_t bits = 0;
      for (end = k; end < steady.size() && relations_[steady[end]].where == facts_from::pointers &&
                    follows(at(steady[k]), at(steady[end]), bits);
           ++end)
        bits += at(steady[end]).bits;
      if (end < k + 2) {
        untabulated_.push_back(steady[k]);
        end = k + 1;
        continue;
      }
      add_rows({steady.begin() + static_cast<std::ptrdiff_t>(k), steady.begin() + static_cast<std::ptrdiff_t>(end)}, bits);
    }
  }

  std::vector<std::uint32_t> sorted_by_bits(std::vector<std::uint32_t> all) const {
    const auto bit = [&](std::uint32_t k) { return relations_[k].at.index * 64 + relations_[k].at.shift; };
    std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) { return bit(a) < bit(b); });
    return all;
  }

  static bool follows(const slot& first, const slot& next, std::uint32_t bits) {
    return next.index == first.index && next.shift == first.shift + bits && bits + next.bits <= tabulated_bits;
  }

  void add_rows(const std::vector<std::uint32_t>& fields, std::uint32_t bits) {
    slot all = relations_[fields[0]].at;
    all.bits = static_cast<std::uint8_t>(bits);
    all.mask = (word{1} << bits) - 1;
    rows_.push_back({all, row_sums_.size() / (2 * half_)});
    tabulated_.insert(tabulated_.end(), fields.begin(), fields.end());
    for (word codes = 0; codes <= all.mask; ++codes) {
      std::uint64_t* const row = &*row_sums_.insert(row_sums_.end(), 2 * half_, 0);
      for (const std::uint32_t k : fields) {
        const slot& at = relations_[k].at;
        facts(relations_[k], codes >> (at.shift - all.shift) & at.mask,
              [&](std::uint32_t e, std::uint64_t what, std::uint32_t other) {
                row[e] += what;
                row[half_ + e] += what ^ name_[other];
              });
      }
    }
  }

  // --- facts ---

  // One element by its value, at most one by its indices: most relations are so. For these, one short table for all fields
  // that permutations map to each other: tables of each field would be too much for the processor's cache.
  bool is_pointer(const place& x) const {
    return x.at.bits <= tabulated_bits && plan_.names_values(x) && !x.moves.set && x.moves.options <= 1 &&
           plan_.owners_of(x).size() <= 1;
  }

  void add_pointer(relation& n) {
    const place& x = plan_.places[n.place];
    const auto owners = plan_.owners_of(x);
    n.where = facts_from::pointers;
    n.owner = static_cast<std::uint8_t>(owners.empty() ? nobody_ : owners[0]);
    const auto codes = static_cast<std::size_t>(n.at.mask + 1);
    const auto [kind, fresh] = kinds_.try_emplace(plan_.kind_of(x), static_cast<std::uint32_t>(pointers_.size()));
    if (fresh) pointers_.resize(pointers_.size() + 2 * codes);
    n.first = kind->second;
    n.members = codes_of(x);
    for (word code = 0; code < codes; ++code) {
      const std::uint32_t m = members_[n.members + code];
      pointer_facts& f = pointers_[n.first + code + (m == n.owner ? codes : 0)];
      contributions(n, code,
                    [&](std::uint32_t e, std::uint64_t what, std::uint32_t) { (e == n.owner ? f.owner : f.member) = what; });
    }
    n.moved = static_cast<std::uint32_t>(targets_.size());
    for (std::uint32_t k = 0; k <= plan_.movable; ++k) {
      const bool moves = !owners.empty() && k != nobody_;
      const std::uint32_t s = moves ? plan_.place_of(n.place, exchanges_[owners[0] * plan_.movable + k]) : n.place;
      const slot& at = plan_.places[s].at;
      targets_.push_back({at.index, at.shift, static_cast<std::uint8_t>(own_index(s).value_or(0))});
    }
  }

  // Where the codes of this type begin in members_, and in images_ what they become by the rank of the member.
  std::uint32_t codes_of(const place& x) {
    const auto key = std::tuple(x.moves.sort, x.moves.options, x.at.mask);
    const auto [it, fresh] = types_.try_emplace(key, static_cast<std::uint32_t>(members_.size()));
    if (!fresh) return it->second;
    for (word code = 0; code <= x.at.mask; ++code) {
      const std::uint32_t m = member(x, code);
      members_.push_back(static_cast<std::uint8_t>(m));
      for (std::uint32_t k = 0; k <= plan_.movable; ++k) {
        const bool moves = m != nobody_ && k != nobody_;
        const word image = moves ? image_of(x.moves, exchanges_[m * plan_.movable + k], code) : code;
        images_.push_back(static_cast<std::uint8_t>(image));
      }
    }
    return it->second;
  }

  // The exchange of two movable elements of one class; of others, nothing is.
  sort_images exchange(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::uint32_t> target(plan_.movable);
    std::iota(target.begin(), target.end(), 0u);
    if (class_of(a) == class_of(b)) std::swap(target[a], target[b]);
    return plan_.images(target);
  }

  void put_pointer(const relation& n, word code, const std::uint8_t* rank, word* into) const {
    const target& to = targets_[n.moved + rank[n.owner]];
    const word image = images_[(n.members + code) * (plan_.movable + 1) + rank[members_[n.members + code]]];
    into[to.index] ^= (image ^ to.base) << to.shift;
  }

  // The movable element that this code of a pointer names.
  std::uint32_t member(const place& x, word code) const {
    const auto& all = plan_.mentions[x.moves.sort];
    if (code < x.moves.options || code - x.moves.options >= all.size()) return nobody_;
    const std::uint32_t e = all[code - x.moves.options].element;
    return e == ~0u ? nobody_ : e;
  }

  void add_table(relation& n) {
    n.where = facts_from::table;
    n.first = static_cast<std::uint32_t>(starts_.size());
    for (word code = 0; code <= n.at.mask; ++code) {
      starts_.push_back(static_cast<std::uint32_t>(table_.size()));
      contributions(n, code, [&](std::uint32_t e, std::uint64_t what, std::uint32_t other) {
        table_.push_back({what, e, other});
      });
    }
    starts_.push_back(static_cast<std::uint32_t>(table_.size()));
  }

  template <class taker>
  void facts(const relation& n, word code, taker&& take) const {
    if (n.where == facts_from::pointers) {
      const std::uint32_t m = members_[n.members + code];
      const bool itself = m == n.owner;
      const pointer_facts& f = pointers_[n.first + code + (itself ? n.at.mask + 1 : 0)];
      take(n.owner, f.owner, itself ? nobody_ : m);
      take(m, f.member, n.owner);
    } else if (n.where == facts_from::table) {
      const one_fact* end = table_.data() + starts_[n.first + code + 1];
      for (const one_fact* f = table_.data() + starts_[n.first + code]; f != end; ++f) take(f->element, f->what, f->other);
    } else {
      contributions(n, code, take);
    }
  }

  // What this code of the field says of each movable element.
  template <class adder>
  void contributions(const relation& n, word code, adder&& add) const {
    if (code == n.base && sparse_mask_[n.at.index] >> n.at.shift & 1) return;
    const place& x = plan_.places[n.place];
    const bool named = plan_.names_values(x) && code >= x.moves.options;
    if (!named) {
      if (code) fact(x, code, ~0u, add);
    } else if (!x.moves.set) {
      const word member = code - x.moves.options;
      if (member < plan_.mentions[x.moves.sort].size()) fact(x, x.moves.options, static_cast<std::uint32_t>(member), add);
    } else {
      for (word rest = code - x.moves.options; rest; rest &= rest - 1) {
        const auto member = static_cast<std::uint32_t>(__builtin_ctzll(rest));
        if (member < plan_.mentions[x.moves.sort].size()) fact(x, x.moves.options, member, add);
      }
    }
  }

  // add(element, what is said of it, the other)
  template <class adder>
  void fact(const place& x, word scalar, std::uint32_t member, adder&& add) const {
    std::vector<mention> about;
    const auto& sorts = plan_.p.variables[x.variable].index;
    for (std::size_t k = 0; k < sorts.size(); ++k) about.push_back(plan_.mentions[sorts[k]][x.index[k]]);
    if (member != ~0u) about.push_back(plan_.mentions[x.moves.sort][member]);
    for (std::size_t k = 0; k < about.size(); ++k) {
      const std::uint32_t e = about[k].element;
      const auto before = about.begin() + static_cast<std::ptrdiff_t>(k);
      if (e == ~0u || std::any_of(about.begin(), before, [&](const mention& m) { return m.element == e; })) continue;
      std::uint64_t h = mix(x.variable + 1, scalar + 1);
      std::uint32_t other = nobody_;
      for (const mention& m : about) {
        h = mix(h, m.role + (m.element == ~0u ? 1 : m.element == e ? 2 : 3 + class_of(m.element)));
        if (m.element != ~0u && m.element != e && m.element != other) other = other == nobody_ ? m.element : several_;
      }
      add(e, h, other);
    }
  }
  std::uint64_t class_of(std::uint32_t e) const {
    std::uint64_t n = 0;
    while (n + 1 < plan_.classes.size() && plan_.classes[n + 1].first <= e) ++n;
    return n;
  }

  const symmetry::plan& plan_;
  live_fields live_;
  packed_moves moves_;
  const std::uint32_t nobody_, several_, half_;
  std::vector<std::uint64_t> name_;  // of an element; 0: of nobody
  std::vector<relation> relations_;
  std::vector<word> sparse_mask_, base_;  // relations of which a code says nothing, and those codes
  std::vector<sparse_word> sparse_words_;
  std::vector<std::uint32_t> field_at_;  // by bit of the state, the relation
  std::vector<sort_images> exchanges_;   // by pair of elements, while fields are added
  std::map<std::vector<std::uint64_t>, std::uint32_t> kinds_;
  std::map<std::tuple<ir::sort_id, std::uint32_t, word>, std::uint32_t> types_;
  std::vector<pointer_facts> pointers_;
  std::vector<std::uint8_t> members_, images_;
  std::vector<target> targets_;
  std::vector<std::uint32_t> starts_;
  std::vector<one_fact> table_;
  struct found {
    std::uint32_t relation = 0;
    word code = 0;
  };
  std::vector<std::uint32_t> tabulated_, untabulated_;  // relations that always say something, those in rows_ and others
  std::vector<row_table> rows_;
  std::vector<std::uint64_t> row_sums_;
  const word* state_ = nullptr;  // the state at hand, and what was found in it
  std::vector<found> found_;
  found* found_end_ = nullptr;
};

}  // namespace quiesce::symmetries
