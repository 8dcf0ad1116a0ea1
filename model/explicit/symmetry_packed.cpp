// SPDX-License-Identifier: MIT
// Representatives from packed fields. The elements of a class ascend by a signature: all that the state says of an element
// without naming another one, taken together at once from the words, and who names it. Mostly that leaves one permutation,
// and often the identity; among elements of equal signature the least image is taken. Where too many orders are left, the
// careful canonicaliser decides. Which of the two it is depends on the signatures alone, so it is the same for a whole
// orbit.

#include <unordered_map>

#include "model/explicit/symmetry_plan.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quiesce {

namespace {

using symmetries::mention;
using symmetries::mix;
using symmetries::place;

constexpr std::uint32_t most_movable = 15;   // four bits each name a permutation
constexpr std::uint32_t most_orders = 24;    // images of one state
constexpr std::uint32_t tabulated_bits = 8;  // of a field

word extract_slowly(word value, word mask) {
  word out = 0;
  for (unsigned n = 0; mask; mask &= mask - 1, ++n) out |= (value >> __builtin_ctzll(mask) & 1) << n;
  return out;
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) word extract_fast(word value, word mask) { return _pext_u64(value, mask); }
const auto extract = __builtin_cpu_supports("bmi2") ? extract_fast : extract_slowly;
#else
const auto extract = extract_slowly;
#endif

// A permutation of the elements as moves of bits.
struct packed_move {
  struct shift {
    std::uint32_t from = 0, to = 0;
    word mask = 0;
    std::int32_t left = 0;  // negative: to the right
  };
  struct field {
    std::uint32_t number = 0;  // of the place that it comes from
    slot from, to;
    std::vector<word> table;  // the image of each code; empty: to be computed
  };
  std::vector<shift> shifts;
  std::vector<field> fields;
  sort_images to;
};

class packed_canonicaliser final : public symmetry::canonicaliser {
 public:
  packed_canonicaliser(const symmetry::plan& p, std::unique_ptr<symmetry::canonicaliser> careful)
      : plan_(p),
        careful_(std::move(careful)),
        words_(p.system.state_layout().words()),
        dead_(p.places.size(), 0),
        sum_(p.movable),
        order_(p.movable),
        image_(words_),
        best_(words_),
        copy_(words_) {
    find_dead();
    sort_places();
  }

  void canonical(word* state) override {
    clear_dead(state);
    sign(state);
    std::uint64_t orders = 1;
    bool identity = arrange(orders);
    if (orders == 1 && identity) return;
    if (orders > most_orders) return careful_->canonical(state);
    if (orders == 1) {
      apply(move_to(), state, image_.data());
      std::copy(image_.begin(), image_.end(), state);
      return;
    }
    std::copy_n(state, words_, copy_.begin());
    first_ = true;
    try_orders(0);
    std::copy(best_.begin(), best_.end(), state);
  }

 private:
  // --- values that nobody will read ---

  struct owner {
    bool moves = false;  // it has a pc
    slot pc;
    std::vector<std::uint32_t> places;
    std::vector<std::vector<std::uint32_t>> dead_at;  // by location
  };

  void find_dead() {
    for (std::uint32_t s : plan_.may_be_dead) {
      const place& x = plan_.places[s];
      const ir::process& q = plan_.p.processes[plan_.p.variables[x.variable].owner];
      const std::uint32_t instance = q.over == ir::nothing ? 0 : x.index[0];
      const std::uint32_t pc = q.pc == ir::nothing ? ~0u : plan_.p.variables[q.pc].first_slot + instance;
      auto it = std::find_if(owners_.begin(), owners_.end(), [&](const auto& o) { return o.first == pc; });
      if (it == owners_.end()) {
        owners_.push_back({pc, {}});
        it = owners_.end() - 1;
        it->second.moves = pc != ~0u;
        if (it->second.moves) it->second.pc = plan_.places[pc].at;
        it->second.dead_at.resize(q.locations.size());
      }
      it->second.places.push_back(s);
      it->second.dead_at.resize(std::max(it->second.dead_at.size(), q.locations.size()));
      for (std::uint32_t l = 0; l < q.locations.size(); ++l)
        if (plan_.locals.dead(x.variable, l)) it->second.dead_at[l].push_back(s);
    }
  }

  void clear_dead(word* state) {
    for (const auto& [pc, o] : owners_) {
      for (std::uint32_t s : o.places) dead_[s] = 0;
      for (std::uint32_t s : o.dead_at[o.moves ? get(state, o.pc) : 0]) {
        dead_[s] = 1;
        put(state, plan_.places[s].at, 0);
      }
    }
  }

  // --- signatures ---

  struct contribution {
    std::uint32_t element = 0;
    std::uint64_t what = 0;
  };
  // A field that names elements, by its value or by several indices.
  struct naming {
    std::uint32_t number = 0;
    slot at;
    bool may_die = false;
    std::vector<std::uint32_t> first;  // by code: contributions from first[code] to first[code + 1]; empty: too wide
    std::vector<contribution> all;
  };
  // Bits of an element's own fields in one word. Some of these together, up to `last`, make one number: the same fields for
  // each element of a class, whatever words they are in.
  struct own_bits {
    std::uint32_t element = 0, word = 0;
    quiesce::word mask = 0;
    std::uint32_t left = 0;
    bool last = false;
  };

  bool movable(ir::sort_id s, std::uint32_t i) const { return plan_.mentions[s][i].element != ~0u; }

  // The movable element that all movable indices of the place are made of, if it is one and in one place.
  std::uint32_t owner_of(const place& x) const {
    const auto& sorts = plan_.p.variables[x.variable].index;
    std::uint32_t found = ~0u;
    for (std::size_t k = 0; k < sorts.size(); ++k) {
      if (!movable(sorts[k], x.index[k])) continue;
      if (found != ~0u) return ~0u;
      found = plan_.mentions[sorts[k]][x.index[k]].element;
    }
    return found;
  }

  bool names_values(const place& x) const {
    if (x.moves.sort == ir::nothing) return false;
    const auto& all = plan_.mentions[x.moves.sort];
    return std::any_of(all.begin(), all.end(), [](const mention& m) { return m.element != ~0u; });
  }

  // Which field of its element a place is: the same for the places that permutations map to each other.
  std::vector<std::uint64_t> kind_of(const place& x) const {
    std::vector<std::uint64_t> out{x.variable};
    const auto& sorts = plan_.p.variables[x.variable].index;
    for (std::size_t k = 0; k < sorts.size(); ++k) out.push_back(plan_.mentions[sorts[k]][x.index[k]].role);
    return out;
  }

  void sort_places() {
    // Own fields of each element in the order of their bits.
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> own(plan_.movable);  // bit, place
    for (std::uint32_t s = 0; s < plan_.places.size(); ++s) {
      const place& x = plan_.places[s];
      if (x.at.bits == 0) continue;
      const bool names = names_values(x);
      const std::uint32_t e = owner_of(x);
      if (!names && e != ~0u)
        own[e].emplace_back(x.at.index * 64 + x.at.shift, s);
      else if (names || several(x))
        add_naming(s);
    }
    for (auto& fields : own) std::sort(fields.begin(), fields.end());
    for (const auto& c : plan_.classes) {
      if (!alike(own, c)) {
        for (std::size_t k = 0; k < c.element.size(); ++k)
          for (const auto& [bit, s] : own[c.first + k]) add_naming(s);
        continue;
      }
      for (std::uint32_t k = 0; k < c.element.size(); ++k) add_own(c.first + k, own[c.first + k]);
    }
  }

  bool several(const place& x) const {
    const auto& sorts = plan_.p.variables[x.variable].index;
    std::size_t n = 0;
    for (std::size_t k = 0; k < sorts.size(); ++k) n += movable(sorts[k], x.index[k]);
    return n > 1;
  }

  // The bits of all elements of the class stand for the same fields in the same order.
  template <class table>
  bool alike(const table& own, const symmetry::plan::interchangeable& c) const {
    const auto& one = own[c.first];
    for (std::uint32_t k = 1; k < c.element.size(); ++k) {
      const auto& other = own[c.first + k];
      if (one.size() != other.size()) return false;
      for (std::size_t f = 0; f < one.size(); ++f)
        if (kind_of(plan_.places[one[f].second]) != kind_of(plan_.places[other[f].second])) return false;
    }
    return true;
  }

  template <class fields>
  void add_own(std::uint32_t e, const fields& own) {
    std::uint32_t bits = 64;  // of the number that is being made
    for (const auto& [bit, s] : own) {
      const slot& at = plan_.places[s].at;
      const word mask = at.mask << at.shift;
      const bool fresh = bits + at.bits > 64;
      if (fresh) bits = 0;
      if (fresh || own_.back().word != at.index) {
        if (!fresh) own_.back().last = false;
        own_.push_back({e, at.index, mask, bits, true});
      } else {
        own_.back().mask |= mask;
      }
      bits += at.bits;
    }
  }

  void add_naming(std::uint32_t s) {
    const place& x = plan_.places[s];
    naming n;
    n.number = s;
    n.at = x.at;
    n.may_die = std::find(plan_.may_be_dead.begin(), plan_.may_be_dead.end(), s) != plan_.may_be_dead.end();
    if (x.at.bits <= tabulated_bits) {
      for (word code = 0; code <= x.at.mask; ++code) {
        n.first.push_back(static_cast<std::uint32_t>(n.all.size()));
        contributions(x, code, [&](std::uint32_t e, std::uint64_t what) { n.all.push_back({e, what}); });
      }
      n.first.push_back(static_cast<std::uint32_t>(n.all.size()));
    }
    naming_.push_back(std::move(n));
  }

  // What this code of the field says of each movable element, without telling the others apart.
  template <class adder>
  void contributions(const place& x, word code, adder&& add) const {
    const bool named = names_values(x) && code >= x.moves.options;
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
      for (const mention& m : about)
        h = mix(h, m.role + (m.element == ~0u ? 1 : m.element == e ? 2 : 3 + class_of(m.element)));
      add(e, h);
    }
  }
  std::uint64_t class_of(std::uint32_t e) const {
    std::uint64_t n = 0;
    while (n + 1 < plan_.classes.size() && plan_.classes[n + 1].first <= e) ++n;
    return n;
  }

  void sign(const word* state) {
    std::fill(sum_.begin(), sum_.end(), 0);
    word number = 0;
    for (const own_bits& o : own_) {
      number |= extract(state[o.word], o.mask) << o.left;
      if (!o.last) continue;
      sum_[o.element] = mix(sum_[o.element], number);
      number = 0;
    }
    for (const naming& n : naming_) {
      if (n.may_die && dead_[n.number]) continue;
      const word code = get(state, n.at);
      if (n.first.empty()) {
        contributions(plan_.places[n.number], code, [&](std::uint32_t e, std::uint64_t what) { sum_[e] += what; });
        continue;
      }
      for (std::uint32_t k = n.first[code]; k < n.first[code + 1]; ++k) sum_[n.all[k].element] += n.all[k].what;
    }
  }

  // --- orders ---

  // Sorts each class. Is the order found the identity? `orders`: how many are as good.
  bool arrange(std::uint64_t& orders) {
    bool identity = true;
    ties_.clear();
    for (const auto& c : plan_.classes) {
      const auto n = static_cast<std::uint32_t>(c.element.size());
      std::uint32_t* order = order_.data() + c.first;
      for (std::uint32_t k = 0; k < n; ++k) {
        std::uint32_t at = k;
        for (; at > 0 && sum_[order[at - 1]] > sum_[c.first + k]; --at) order[at] = order[at - 1];
        order[at] = c.first + k;
      }
      for (std::uint32_t k = 0; k < n;) {
        std::uint32_t end = k + 1;
        while (end < n && sum_[order[end]] == sum_[order[k]]) ++end;
        if (end - k > 1) {
          ties_.push_back({c.first + k, c.first + end});
          orders = symmetries::times(orders, symmetries::factorial(end - k));
        }
        for (; k < end; ++k) identity = identity && order[k] == c.first + k;
      }
    }
    return identity;
  }

  void try_orders(std::size_t k) {
    if (k < ties_.size()) {
      const auto from = order_.begin() + ties_[k].first, to = order_.begin() + ties_[k].second;
      std::sort(from, to);
      do try_orders(k + 1);
      while (std::next_permutation(from, to));
      return;
    }
    apply(move_to(), copy_.data(), image_.data());
    if (first_ || std::lexicographical_compare(image_.begin(), image_.end(), best_.begin(), best_.end())) best_.swap(image_);
    first_ = false;
  }

  // --- moves ---

  const packed_move& move_to() {
    std::uint64_t key = 0;
    for (std::uint32_t k = 0; k < plan_.movable; ++k) key |= std::uint64_t{k} << (4 * order_[k]);
    if (last_ && key == last_key_) return *last_;
    auto it = moves_.find(key);
    if (it == moves_.end()) {
      if (moves_.size() > most_kept) moves_.clear();
      std::vector<std::uint32_t> target(plan_.movable);
      for (std::uint32_t k = 0; k < plan_.movable; ++k) target[order_[k]] = k;
      it = moves_.emplace(key, compile(plan_.move_of(plan_.images(target)))).first;
    }
    last_ = &it->second;
    last_key_ = key;
    return it->second;
  }

  packed_move compile(symmetries::move m) const {
    packed_move out;
    for (std::uint32_t s = 0; s < plan_.places.size(); ++s) {
      const place& x = plan_.places[s];
      if (x.at.bits == 0) continue;
      const slot& to = plan_.places[m.slot_to[s]].at;
      if (!names_values(x)) {
        add_shift(out, x.at, to);
        continue;
      }
      packed_move::field f{s, x.at, to, {}};
      const std::uint64_t greatest = ir::max_code(plan_.p, plan_.p.variables[x.variable].type);
      if (x.at.bits <= tabulated_bits)
        for (word code = 0; code <= x.at.mask; ++code)
          f.table.push_back(code <= greatest ? image_of(x.moves, m.to, code) << to.shift : 0);
      out.fields.push_back(std::move(f));
    }
    out.to = std::move(m.to);
    return out;
  }

  static void add_shift(packed_move& m, const slot& from, const slot& to) {
    const std::int32_t left = static_cast<std::int32_t>(to.shift) - static_cast<std::int32_t>(from.shift);
    const word mask = from.mask << from.shift;
    for (packed_move::shift& s : m.shifts)
      if (s.from == from.index && s.to == to.index && s.left == left) {
        s.mask |= mask;
        return;
      }
    m.shifts.push_back({from.index, to.index, mask, left});
  }

  void apply(const packed_move& m, const word* from, word* into) const {
    std::fill_n(into, words_, 0);
    for (const packed_move::shift& s : m.shifts) {
      const word bits = from[s.from] & s.mask;
      into[s.to] |= s.left >= 0 ? bits << s.left : bits >> -s.left;
    }
    for (const packed_move::field& f : m.fields) {
      if (dead_[f.number]) continue;
      const word code = get(from, f.from);
      into[f.to.index] |= f.table.empty() ? image_of(plan_.places[f.number].moves, m.to, code) << f.to.shift : f.table[code];
    }
  }

  static constexpr std::size_t most_kept = 4096;  // permutations

  const symmetry::plan& plan_;
  std::unique_ptr<symmetry::canonicaliser> careful_;
  const std::uint32_t words_;
  std::vector<std::pair<std::uint32_t, owner>> owners_;  // by place of their pc
  std::vector<std::uint8_t> dead_;                       // by place
  std::vector<own_bits> own_;
  std::vector<naming> naming_;
  std::vector<std::uint64_t> sum_;
  std::vector<std::uint32_t> order_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ties_;
  std::vector<word> image_, best_, copy_;
  bool first_ = true;
  std::unordered_map<std::uint64_t, packed_move> moves_;
  const packed_move* last_ = nullptr;
  std::uint64_t last_key_ = 0;
};

}  // namespace

std::unique_ptr<symmetry::canonicaliser> make_packed_canonicaliser(const symmetry::plan& p,
                                                                   std::unique_ptr<symmetry::canonicaliser> careful) {
  if (p.movable > most_movable) return careful;
  return std::make_unique<packed_canonicaliser>(p, std::move(careful));
}

}  // namespace quiesce
