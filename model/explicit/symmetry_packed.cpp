// SPDX-License-Identifier: MIT
// Representatives from packed fields. The elements of a class ascend by a signature: all that the state says of an element
// without naming another one, taken together at once from the words, and who names it. Mostly that leaves one permutation,
// and often the identity. Elements of equal signature are told apart by the signatures of what they are related to; among
// those that still are equal, and not alike, the least image is taken. Where too many orders are left, the
// careful canonicaliser decides. Which of the two it is depends on the signatures alone, so it is the same for a whole
// orbit.

#include "model/explicit/symmetry_bits.hpp"
#include "model/explicit/symmetry_moves.hpp"
#include "model/explicit/symmetry_plan.hpp"

namespace quiesce {

namespace {

using symmetries::mention;
using symmetries::mix;
using symmetries::own_bits;
using symmetries::packed_move;
using symmetries::packed_moves;
using symmetries::place;
using symmetries::tabulated_bits;

constexpr std::uint32_t most_movable = 15;  // four bits each name a permutation
constexpr std::uint64_t most_orders = 24;   // images of one state

class packed_canonicaliser final : public symmetry::canonicaliser {
 public:
  packed_canonicaliser(const symmetry::plan& p, std::unique_ptr<symmetry::canonicaliser> careful)
      : plan_(p),
        careful_(std::move(careful)),
        words_(p.system.state_layout().words()),
        never_read_(words_, 0),
        dead_(words_, 0),
        sum_(p.movable),
        finer_(p.movable),
        exact_(p.movable),
        order_(p.movable),
        image_(words_),
        best_(words_),
        copy_(words_),
        exchange_(std::size_t{p.movable} * p.movable),
        moves_(p) {
    sparse_mask_.resize(words_);
    field_at_.resize(std::size_t{words_} * 64);
    numbers_of_.resize(p.movable);
    find_dead();
    sort_places();
  }

  void canonical(word* state) override {
    clear_dead(state);
    sign(state);
    bool identity = arrange();
    drop_alike();
    if (ties_) {
      refine(state);
      identity = ordered();
    }
    const std::uint64_t orders = ties_ ? find_kinds(state) : 1;
    if (orders == 1 && identity) return;
    if (orders > most_orders) return careful_->canonical(state);
    if (orders == 1) {
      moves_.apply(*moves_.to(order_), state, dead_.data(), image_.data());
      std::copy(image_.begin(), image_.end(), state);
      return;
    }
    if (ties_ == 1 && tie_[0].members.size() == 2) return lesser_of_two(state);
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
    std::vector<std::vector<word>> dead_at;  // by location, the bits of dead values
  };

  void find_dead() {
    for (std::uint32_t s : plan_.never_read) {
      const slot& at = plan_.places[s].at;
      never_read_[at.index] |= at.mask << at.shift;
    }
    for (std::uint32_t s : plan_.may_be_dead) {
      const place& x = plan_.places[s];
      const ir::process& q = plan_.p.processes[plan_.p.variables[x.variable].owner];
      const std::uint32_t instance = q.over == ir::nothing ? 0 : x.index[0];
      const std::uint32_t pc = q.pc == ir::nothing ? ~0u : plan_.p.variables[q.pc].first_slot + instance;
      const std::uint64_t key = std::uint64_t{plan_.p.variables[x.variable].owner} << 32 | pc;
      auto it = std::find_if(owners_.begin(), owners_.end(), [&](const auto& o) { return o.first == key; });
      if (it == owners_.end()) {
        it = owners_.insert(owners_.end(), {key, {}});
        it->second.moves = pc != ~0u;
        if (it->second.moves) it->second.pc = plan_.places[pc].at;
        it->second.dead_at.assign(q.locations.size(), std::vector<word>(words_));
      }
      for (std::uint32_t l = 0; l < q.locations.size(); ++l)
        if (plan_.locals.dead(x.variable, l)) it->second.dead_at[l][x.at.index] |= x.at.mask << x.at.shift;
    }
  }

  void clear_dead(word* state) {
    std::copy(never_read_.begin(), never_read_.end(), dead_.begin());
    for (const auto& [key, o] : owners_) {
      const std::vector<word>& bits = o.dead_at[o.moves ? get(state, o.pc) : 0];
      for (std::uint32_t w = 0; w < words_; ++w) dead_[w] |= bits[w];
    }
    for (std::uint32_t w = 0; w < words_; ++w) state[w] &= ~dead_[w];
  }
  bool dead(const slot& at) const { return dead_[at.index] >> at.shift & 1; }

  // --- signatures ---

  static constexpr std::uint32_t nobody = ~0u, several = ~0u - 1;
  struct contribution {
    std::uint32_t element = 0, other = nobody;
    std::uint64_t what = 0;
  };
  // A field that names elements, by its value or by several indices.
  struct naming {
    std::uint32_t number = 0;
    slot at;
    bool may_die = false;
    // Of code c, contributions_ from starts_[first + c] to starts_[first + c + 1]; ~0u: too wide for a table.
    std::uint32_t first = ~0u;
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
      const bool names = plan_.names_values(x);
      const std::uint32_t e = owner_of(x);
      if (!names && e != ~0u)
        own[e].emplace_back(x.at.index * 64 + x.at.shift, s);
      else if (names || of_several(x))
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

  bool of_several(const place& x) const {
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
    numbers_of_[e].first = numbers_.size();
    for (const auto& [bit, s] : own) {
      const slot& at = plan_.places[s].at;
      const word mask = at.mask << at.shift;
      const bool fresh = bits + at.bits > 64;
      if (fresh) bits = 0;
      if (fresh || own_.back().index != at.index) {
        if (!fresh) own_.back().last = false;
        if (fresh) numbers_.push_back(0);
        own_.push_back({e, at.index, mask, bits, true, static_cast<std::uint32_t>(numbers_.size() - 1)});
      } else {
        own_.back().mask |= mask;
      }
      bits += at.bits;
    }
    numbers_of_[e].second = numbers_.size();
  }

  void add_naming(std::uint32_t s) {
    const place& x = plan_.places[s];
    naming n;
    n.number = s;
    n.at = x.at;
    n.may_die = std::find(plan_.may_be_dead.begin(), plan_.may_be_dead.end(), s) != plan_.may_be_dead.end();
    if (x.at.bits <= tabulated_bits) {
      n.first = static_cast<std::uint32_t>(starts_.size());
      for (word code = 0; code <= x.at.mask; ++code) {
        starts_.push_back(static_cast<std::uint32_t>(contributions_.size()));
        contributions(x, code, [&](std::uint32_t e, std::uint64_t what, std::uint32_t other) {
          contributions_.push_back({e, other, what});
        });
      }
      starts_.push_back(static_cast<std::uint32_t>(contributions_.size()));
    }
    const bool zero_says_nothing =
        n.first == ~0u ? x.moves.options > 0 || x.moves.set : starts_[n.first] == starts_[n.first + 1];
    if (!zero_says_nothing || n.may_die) {
      always_.push_back(std::move(n));
      return;
    }
    sparse_mask_[x.at.index] |= x.at.mask << x.at.shift;
    for (std::uint32_t b = x.at.shift; b < x.at.shift + x.at.bits; ++b)
      field_at_[x.at.index * 64 + b] = static_cast<std::uint32_t>(sparse_.size());
    sparse_.push_back(std::move(n));
  }

  // What this code of the field says of each movable element, without telling the others apart.
  template <class adder>
  void contributions(const place& x, word code, adder&& add) const {
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

  // add(element, what is said of it, the only other movable element in the fact; `nobody` or `several`)
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
      std::uint32_t other = nobody;
      for (const mention& m : about) {
        h = mix(h, m.role + (m.element == ~0u ? 1 : m.element == e ? 2 : 3 + class_of(m.element)));
        if (m.element != ~0u && m.element != e && m.element != other) other = other == nobody ? m.element : several;
      }
      add(e, h, other);
    }
  }
  std::uint64_t class_of(std::uint32_t e) const {
    std::uint64_t n = 0;
    while (n + 1 < plan_.classes.size() && plan_.classes[n + 1].first <= e) ++n;
    return n;
  }

  void sign(const word* state) {
    std::fill(sum_.begin(), sum_.end(), 0);
    symmetries::sign_own_fields(own_, state, sum_.data(), numbers_.data());
    named_ = 0;
    contributions_of(state, [&](const contribution& c) {
      sum_[c.element] += c.what;
      named_ |= 1u << c.element;
    });
  }

  template <class taker>
  void contributions_of(const word* state, taker&& take) {
    for (const naming& n : always_)
      if (!dead(n.at)) take_named(n, get(state, n.at), take);
    for (std::uint32_t w = 0; w < words_; ++w)
      for (word rest = state[w] & sparse_mask_[w]; rest;) {
        const naming& n = sparse_[field_at_[w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(rest))]];
        take_named(n, get(state, n.at), take);
        rest &= ~(n.at.mask << n.at.shift);
      }
  }

  template <class taker>
  void take_named(const naming& n, word code, taker&& take) {
    if (n.first == ~0u) {
      contributions(plan_.places[n.number], code, [&](std::uint32_t e, std::uint64_t what, std::uint32_t other) {
        take(contribution{e, other, what});
      });
      return;
    }
    const contribution* end = contributions_.data() + starts_[n.first + code + 1];
    for (const contribution* c = contributions_.data() + starts_[n.first + code]; c != end; ++c) take(*c);
  }

  // --- elements of one signature ---

  // Elements of one signature, first in order_. Exchanging two of one kind changes nothing.
  struct tie {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> members, kinds, labels;
  };

  // Tells them apart by the signatures of what the state relates them to, and notes what it relates each to exactly: where
  // that is the same for two, exchanging them changes nothing.
  void refine(const word* state) {
    std::fill(finer_.begin(), finer_.end(), 0);
    std::fill(exact_.begin(), exact_.end(), 0);
    inexact_ = 0;
    contributions_of(state, [&](const contribution& c) {
      if (c.other == nobody) return;
      if (c.other == several) {
        inexact_ |= 1u << c.element;
        return;
      }
      finer_[c.element] += mix(c.what, sum_[c.other]);
      exact_[c.element] += mix(c.what, c.other);
    });
    const std::size_t before = ties_;
    ties_ = 0;
    coarse_.swap(tie_);
    for (std::size_t t = 0; t < before; ++t) split(coarse_[t]);
  }

  void split(tie& x) {
    const auto n = static_cast<std::uint32_t>(x.members.size());
    for (std::uint32_t k = 1; k < n; ++k)
      for (std::uint32_t at = k; at > 0 && finer_[x.members[at - 1]] > finer_[x.members[at]]; --at)
        std::swap(x.members[at - 1], x.members[at]);
    std::copy(x.members.begin(), x.members.end(), order_.begin() + x.first);
    for (std::uint32_t k = 0, end = 0; k < n; k = end) {
      for (end = k + 1; end < n && finer_[x.members[end]] == finer_[x.members[k]];) ++end;
      if (end - k > 1) add_tie(x.first + k, x.members.data() + k, x.members.data() + end);
    }
  }

  void add_tie(std::uint32_t first, const std::uint32_t* from, const std::uint32_t* to) {
    if (ties_ == tie_.size()) tie_.emplace_back();
    tie_[ties_].first = first;
    tie_[ties_++].members.assign(from, to);
  }

  // Ties whose order makes no difference.
  void drop_alike() {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < ties_; ++t) {
      if (alike(tie_[t])) continue;
      if (kept != t) std::swap(tie_[kept], tie_[t]);
      ++kept;
    }
    ties_ = kept;
  }

  bool ordered() const {
    for (std::uint32_t k = 0; k < order_.size(); ++k)
      if (order_[k] != k) return false;
    return true;
  }

  bool alike(const tie& x) const {
    return std::all_of(x.members.begin() + 1, x.members.end(),
                       [&](std::uint32_t e) { return plainly_alike(x.members[0], e); });
  }

  // --- orders ---

  // Sorts each class. Is the order found the identity?
  bool arrange() {
    bool identity = true;
    ties_ = 0;
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
        if (end - k > 1) add_tie(c.first + k, order + k, order + end);
        for (; k < end; ++k) identity = identity && order[k] == c.first + k;
      }
    }
    return identity;
  }

  // How many orders of the tied elements may give different images. Ties of one kind are dropped.
  std::uint64_t find_kinds(const word* state) {
    if (ties_ == 1 && tie_[0].members.size() == 2) {  // trying both costs no more than a look
      if (related_alike(tie_[0].members[0], tie_[0].members[1])) return ties_ = 0, 1;
      tie_[0].kinds = {0, 1};
      return 2;
    }
    std::uint64_t orders = 1;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < ties_; ++t) {
      tie& x = tie_[t];
      std::vector<std::uint32_t>& leaders = leaders_;
      leaders.clear();
      x.kinds.clear();
      for (const std::uint32_t e : x.members) {
        std::uint32_t kind = 0;
        while (kind < leaders.size() && !unchanged(state, leaders[kind], e)) ++kind;
        if (kind == leaders.size()) leaders.push_back(e);
        x.kinds.push_back(kind);
      }
      if (leaders.size() == 1) continue;
      orders = symmetries::times(orders, symmetries::factorial(x.members.size()));
      for (std::uint32_t kind = 0; kind < leaders.size(); ++kind)
        orders /= symmetries::factorial(static_cast<std::size_t>(std::count(x.kinds.begin(), x.kinds.end(), kind)));
      if (kept != t) std::swap(tie_[kept], x);
      ++kept;
    }
    ties_ = kept;
    return orders;
  }

  // Nothing names either of them, and their own fields are the same.
  bool plainly_alike(std::uint32_t a, std::uint32_t b) const {
    if (named_ >> a & 1 || named_ >> b & 1) return false;
    const auto at = [&](std::size_t n) { return numbers_.begin() + static_cast<std::ptrdiff_t>(n); };
    const auto &x = numbers_of_[a], &y = numbers_of_[b];
    return std::equal(at(x.first), at(x.second), at(y.first), at(y.second));
  }

  // Of elements with equal signatures: behind refine().
  bool related_alike(std::uint32_t a, std::uint32_t b) const {
    return exact_[a] == exact_[b] && !(inexact_ >> a & 1) && !(inexact_ >> b & 1);
  }

  bool unchanged(const word* state, std::uint32_t a, std::uint32_t b) {
    if (related_alike(a, b)) return true;
    const packed_move& m = exchange_[a * plan_.movable + b];
    if (m.shift_end.empty()) {
      std::vector<std::uint32_t> target(plan_.movable);
      std::iota(target.begin(), target.end(), 0u);
      std::swap(target[a], target[b]);
      exchange_[a * plan_.movable + b] = moves_.compile(plan_.move_of(plan_.images(target)));
    }
    moves_.apply(m, state, dead_.data(), image_.data());
    return std::equal(image_.begin(), image_.end(), state);
  }

  void lesser_of_two(word* state) {
    arranged(state, best_.data());
    std::swap(order_[tie_[0].first], order_[tie_[0].first + 1]);
    arranged(state, image_.data());
    const bool second = std::lexicographical_compare(image_.begin(), image_.end(), best_.begin(), best_.end());
    std::copy_n((second ? image_ : best_).begin(), words_, state);
  }

  void arranged(const word* state, word* into) {
    if (const packed_move* m = moves_.to(order_))
      moves_.apply(*m, state, dead_.data(), into);
    else
      std::copy_n(state, words_, into);
  }

  // The members of each kind in their order, the kinds in all orders.
  void try_orders(std::size_t k) {
    if (k == ties_) {
      arranged(copy_.data(), image_.data());
      if (first_ || std::lexicographical_compare(image_.begin(), image_.end(), best_.begin(), best_.end()))
        best_.swap(image_);
      first_ = false;
      return;
    }
    tie& t = tie_[k];
    t.labels = t.kinds;
    std::sort(t.labels.begin(), t.labels.end());
    do {
      for (std::size_t j = 0; j < t.labels.size(); ++j) {
        // The member number n of its kind, where n members of the kind stand before.
        auto n = std::count(t.labels.begin(), t.labels.begin() + static_cast<std::ptrdiff_t>(j), t.labels[j]);
        std::size_t m = 0;
        while (t.kinds[m] != t.labels[j] || n-- > 0) ++m;
        order_[t.first + j] = t.members[m];
      }
      try_orders(k + 1);
    } while (std::next_permutation(t.labels.begin(), t.labels.end()));
  }

  const symmetry::plan& plan_;
  std::unique_ptr<symmetry::canonicaliser> careful_;
  const std::uint32_t words_;
  std::vector<std::pair<std::uint64_t, owner>> owners_;  // by process and place of their pc
  std::vector<word> never_read_;
  std::vector<word> dead_;  // the bits of dead values of the state at hand
  std::vector<own_bits> own_;
  std::vector<word> numbers_;                                    // what own fields of the state at hand say
  std::vector<std::pair<std::size_t, std::size_t>> numbers_of_;  // from, to: by element
  std::uint32_t named_ = 0;                                      // elements that other fields say something of, as bits
  std::vector<naming> always_, sparse_;                          // sparse: of these 0 says nothing
  std::vector<std::uint32_t> starts_;
  std::vector<contribution> contributions_;
  std::vector<word> sparse_mask_;
  std::vector<std::uint32_t> field_at_;  // by bit of the state, its number among the sparse ones
  std::vector<std::uint64_t> sum_, finer_, exact_;
  std::uint32_t inexact_ = 0;  // elements of which exact_ does not say all, as bits
  std::vector<std::uint32_t> order_;
  std::vector<tie> tie_, coarse_;  // the first `ties_` of them
  std::size_t ties_ = 0;
  std::vector<std::uint32_t> leaders_;
  std::vector<word> image_, best_, copy_;
  std::vector<packed_move> exchange_;  // by pair of elements, made when wanted
  bool first_ = true;
  packed_moves moves_;
};

}  // namespace

std::unique_ptr<symmetry::canonicaliser> make_packed_canonicaliser(const symmetry::plan& p,
                                                                   std::unique_ptr<symmetry::canonicaliser> careful) {
  if (p.movable > most_movable) return careful;
  return std::make_unique<packed_canonicaliser>(p, std::move(careful));
}

}  // namespace quiesce
