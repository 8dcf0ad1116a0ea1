// SPDX-License-Identifier: MIT
#pragma once
// What both canonicalisers know of a program: its fields, its interchangeable elements, what permutations do. Internal to
// symmetry*.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "model/explicit/dead_locals.hpp"
#include "model/explicit/equivariance.hpp"
#include "model/explicit/permutation.hpp"
#include "model/explicit/symmetry.hpp"

namespace quiesce {

namespace symmetries {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 p = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
  return static_cast<std::uint64_t>(p) ^ static_cast<std::uint64_t>(p >> 64);
}

// One field of the state, with everything about it that permuting needs.
struct place {
  slot at;
  ir::variable_id variable = 0;
  moving_type moves;                 // of its value
  std::vector<std::uint32_t> index;  // elements
};

// An element that a field is about: its number among all movable elements and how it is related to it.
struct mention {
  std::uint32_t element = 0;  // ~0u: does not move
  std::uint64_t role = 0;
};

// What a permutation does to fields.
struct move {
  sort_images to;
  std::vector<std::uint32_t> slot_to;
  std::vector<word> stays;                   // the bits of the fields of which neither the place nor the value moves
  std::vector<std::uint32_t> moving_fields;  // the others
};

inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::numeric_limits<std::uint64_t>::max() : r;
}

inline std::uint64_t factorial(std::size_t n) {
  std::uint64_t r = 1;
  for (std::size_t i = 2; i <= n; ++i) r = times(r, i);
  return r;
}

}  // namespace symmetries

struct symmetry::plan {
  using place = symmetries::place;
  using mention = symmetries::mention;
  using move = symmetries::move;

  explicit plan(const transition_system& s, bool with_initial) : system(s), p(s.program()), orbits(p), locals(p) {
    collect_places();
    try {
      find_classes(with_initial ? initial_steps() : std::vector<std::vector<std::uint64_t>>());
    } catch (const too_many&) {
      initial = {};
      initial_states = {};
      why_ = fmt::format("not used: more than {} initial states\n", most_initial_steps);
    }
    number_elements();
  }

  // Elements of one base sort that may be exchanged with each other.
  struct interchangeable {
    ir::sort_id sort = 0;
    std::vector<std::uint32_t> element;  // ascending
    std::uint32_t first = 0;             // number of the first among all movable elements
  };

  // Variables that steps read or write, or properties read.
  std::vector<bool> used_variables() const {
    std::vector<bool> out(p.variables.size());
    std::vector<bool> done(p.exprs.size());
    const auto look = [&](auto&& self, ir::expr_id id) -> void {
      if (id == ir::nothing || done[id]) return;
      done[id] = true;
      const ir::expr& e = p.exprs[id];
      if (e.code == ir::op::load) out[e.var] = true;
      for (ir::expr_id k : e.kids) self(self, k);
    };
    for (const ir::process& q : p.processes) {
      if (q.pc != ir::nothing) out[q.pc] = true;
      for (const ir::instruction& i : q.code) {
        if (i.code == ir::operation::set) out[i.var] = true;
        look(look, i.a);
        for (ir::expr_id e : i.index) look(look, e);
        for (ir::expr_id e : i.args) look(look, e);
      }
    }
    for (const ir::checked_property& c : p.properties) look(look, c.invariant);
    return out;
  }

  void collect_places() {
    const std::vector<bool> used = used_variables();
    for (ir::variable_id v = 0; v < p.variables.size(); ++v) {
      const ir::variable& x = p.variables[v];
      moving_type m = moving(p, x.type);
      if (m.sort != ir::nothing && !orbits.moves(m.sort)) m = {};
      std::uint64_t n = ir::element_count(p, x);
      bool resettable =
          m.sort != ir::nothing && !m.set && m.options == 0 && x.kind == ir::variable_kind::local && x.owner != ir::nothing;
      for (std::uint64_t i = 0; i < n; ++i) {
        std::vector<std::uint32_t> index(x.index.size());
        std::uint64_t rest = i;
        for (std::size_t k = index.size(); k-- > 0; rest /= p.sorts[x.index[k]].element.size())
          index[k] = static_cast<std::uint32_t>(rest % p.sorts[x.index[k]].element.size());
        if (m.sort != ir::nothing && !used[v]) never_read.push_back(static_cast<std::uint32_t>(places.size()));
        if (resettable && used[v]) may_be_dead.push_back(static_cast<std::uint32_t>(places.size()));
        places.push_back({system.state_layout().slots()[x.first_slot + i], v, m, std::move(index)});
      }
    }
  }

  // Where field s goes.
  std::uint32_t place_of(std::uint32_t s, const sort_images& to) const {
    const ir::variable& x = p.variables[places[s].variable];
    std::uint64_t f = 0;
    for (std::size_t k = 0; k < x.index.size(); ++k)
      f = f * p.sorts[x.index[k]].element.size() + to[x.index[k]][places[s].index[k]];
    return x.first_slot + static_cast<std::uint32_t>(f);
  }

  move move_of(sort_images to) const {
    move m{std::move(to), std::vector<std::uint32_t>(places.size()), std::vector<word>(system.state_layout().words()), {}};
    for (std::uint32_t s = 0; s < places.size(); ++s) {
      m.slot_to[s] = place_of(s, m.to);
      const slot& at = places[s].at;
      if (m.slot_to[s] != s || (places[s].moves.sort != ir::nothing && !stay(m.to[places[s].moves.sort])))
        m.moving_fields.push_back(s);
      else
        m.stays[at.index] |= at.mask << at.shift;
    }
    return m;
  }

  static bool stay(const std::vector<std::uint32_t>& images) {
    for (std::uint32_t i = 0; i < images.size(); ++i)
      if (images[i] != i) return false;
    return true;
  }

  // Values that nobody reads any more are 0, so that they do not tell states apart.
  void clear_dead(word* state, std::vector<std::uint8_t>& dead) const {
    for (std::uint32_t s : never_read) {
      dead[s] = 1;
      put(state, places[s].at, 0);
    }
    for (std::uint32_t s : may_be_dead) {
      const place& x = places[s];
      const ir::process& q = p.processes[p.variables[x.variable].owner];
      std::uint32_t instance = q.over == ir::nothing ? 0 : x.index[0];
      std::uint64_t at = q.pc == ir::nothing ? 0 : get(state, places[p.variables[q.pc].first_slot + instance].at);
      dead[s] = locals.dead(x.variable, static_cast<std::uint32_t>(at));
      if (dead[s]) put(state, x.at, 0);
    }
  }

  // Then the same values are dead.
  bool same_locations(const word* a, const word* b) const {
    for (const ir::process& q : p.processes) {
      if (q.pc == ir::nothing) continue;
      for (std::uint64_t k = 0; k < ir::element_count(p, p.variables[q.pc]); ++k) {
        const slot& at = places[p.variables[q.pc].first_slot + k].at;
        if (get(a, at) != get(b, at)) return false;
      }
    }
    return true;
  }

  // `dead` is of `from`.
  void apply(const move& m, const word* from, const std::vector<std::uint8_t>& dead, word* into) const {
    for (std::size_t w = 0; w < m.stays.size(); ++w) into[w] = from[w] & m.stays[w];
    for (const std::uint32_t s : m.moving_fields) {
      word code = get(from, places[s].at);
      if (places[s].moves.sort != ir::nothing && !dead[s]) code = image_of(places[s].moves, m.to, code);
      if (code) put(into, places[m.slot_to[s]].at, code);
    }
  }

  sort_images exchange(ir::sort_id s, std::uint32_t a, std::uint32_t b) const {
    sort_images base(p.sorts.size());
    base[s].resize(p.sorts[s].element.size());
    std::iota(base[s].begin(), base[s].end(), 0u);
    std::swap(base[s][a], base[s][b]);
    return base;
  }

  struct outcome_hash {
    std::size_t operator()(const std::vector<std::uint64_t>& v) const {
      std::uint64_t h = 1;
      for (std::uint64_t x : v) h = symmetries::mix(h, x);
      return h;
    }
  };
  using outcome_set = std::unordered_set<std::vector<std::uint64_t>, outcome_hash>;

  // Each permutation is tried on all of them; where there are more than fit into memory, no element is interchangeable.
  static constexpr std::size_t most_initial_steps = std::size_t{1} << 21;
  struct too_many {};

  // The initial steps, normal form, with their outcome. Leaves in never_read what is the same in all of them.
  std::vector<std::vector<std::uint64_t>> initial_steps() {
    std::vector<std::vector<std::uint64_t>> out;
    system.make_stepper()->initial([&](const step& x) {
      if (out.size() == most_initial_steps) throw too_many{};
      initial.push_back(x);
      initial_states.insert(initial_states.end(), x.state, x.state + system.state_layout().words());
      std::vector<std::uint64_t> one(x.state, x.state + system.state_layout().words());
      one.insert(one.end(), {static_cast<std::uint64_t>(x.outcome), x.kind, x.violated, x.marked});
      out.push_back(std::move(one));
    });
    std::erase_if(never_read, [&](std::uint32_t s) {
      const slot& at = places[s].at;
      return std::any_of(out.begin(), out.end(), [&](const auto& x) { return get(x.data(), at) != get(out[0].data(), at); });
    });
    std::vector<std::uint8_t> dead(places.size(), 0);
    for (auto& one : out) clear_dead(one.data(), dead);
    return out;
  }

  // `known`: the outcomes of all initial steps.
  std::optional<std::string> breaks(const outcome_set& known, const sort_images& base) const {
    auto to = orbits.induced(base);
    if (!to) return "an element made of one has no counterpart made of the other";
    if (auto why = breaks_symmetry(p, locals, *to)) return why;
    move m = move_of(*to);
    std::vector<std::uint64_t> image, state;
    std::vector<std::uint8_t> dead(places.size(), 0);
    for (const auto& one : known) {
      if (state.empty() || !same_locations(state.data(), one.data())) clear_dead((state = one).data(), dead);
      image = one;
      apply(m, one.data(), dead, image.data());
      if (!known.count(image)) return "initial states tell them apart";
    }
    return std::nullopt;
  }

  // Classes are the components of "may be exchanged": the exchanges that a program allows generate a group.
  void find_classes(const std::vector<std::vector<std::uint64_t>>& initial) {
    const outcome_set known(initial.begin(), initial.end());
    for (ir::sort_id s = 0; s < p.sorts.size(); ++s) {
      std::vector<std::uint32_t> base;
      for (std::uint32_t i = 0; i < p.sorts[s].element.size(); ++i)
        if (orbits.root_of(s, i).sort == s && orbits.root_of(s, i).element == i) base.push_back(i);
      std::vector<std::vector<std::uint32_t>> found;
      for (std::uint32_t e : base) {
        bool placed = false;
        std::string reason;
        for (auto& c : found) {
          auto why = breaks(known, exchange(s, c[0], e));
          if (!why) {
            c.push_back(e);
            placed = true;
            break;
          }
          if (reason.empty())
            reason = fmt::format("{} and {} differ: {}\n", p.sorts[s].element[c[0]], p.sorts[s].element[e], *why);
        }
        if (placed) continue;
        why_ += reason;
        found.push_back({e});
      }
      for (auto& c : found)
        if (c.size() > 1) classes.push_back({s, std::move(c), 0});
    }
  }

  void number_elements() {
    number.resize(p.sorts.size());
    for (ir::sort_id s = 0; s < p.sorts.size(); ++s) number[s].assign(p.sorts[s].element.size(), ~0u);
    for (interchangeable& c : classes) {
      c.first = movable;
      for (std::uint32_t e : c.element) number[c.sort][e] = movable++;
    }
    mentions.resize(p.sorts.size());
    for (ir::sort_id s = 0; s < p.sorts.size(); ++s)
      for (std::uint32_t i = 0; i < p.sorts[s].element.size(); ++i) {
        auto root = orbits.root_of(s, i);
        std::uint32_t n = root.sort == ir::nothing ? ~0u : number[root.sort][root.element];
        // An element that left the group is told apart from all others, as are those made of it.
        std::uint64_t role = n == ~0u ? symmetries::mix(s + 1, i + 1) | 1 : symmetries::mix(orbits.role_of(s, i), 77);
        mentions[s].push_back({n, role});
      }
  }

  // The movable elements that indices of the place are made of, each as often as that.
  std::vector<std::uint32_t> owners_of(const place& x) const {
    std::vector<std::uint32_t> out;
    const auto& sorts = p.variables[x.variable].index;
    for (std::size_t k = 0; k < sorts.size(); ++k) {
      const std::uint32_t e = mentions[sorts[k]][x.index[k]].element;
      if (e != ~0u) out.push_back(e);
    }
    return out;
  }

  // Which field of its elements a place is: the same for the places that permutations map to each other.
  std::vector<std::uint64_t> kind_of(const place& x) const {
    std::vector<std::uint64_t> out{x.variable};
    const auto& sorts = p.variables[x.variable].index;
    for (std::size_t k = 0; k < sorts.size(); ++k) out.push_back(mentions[sorts[k]][x.index[k]].role);
    return out;
  }

  // May its value name an element that moves?
  bool names_values(const place& x) const {
    if (x.moves.sort == ir::nothing) return false;
    const auto& all = mentions[x.moves.sort];
    return std::any_of(all.begin(), all.end(), [](const mention& m) { return m.element != ~0u; });
  }

  std::uint64_t order() const {
    std::uint64_t r = 1;
    for (const interchangeable& c : classes) r = symmetries::times(r, symmetries::factorial(c.element.size()));
    return r;
  }

  // Element number k of the class order goes to `target[k]`, both numbers among movable elements.
  sort_images images(const std::vector<std::uint32_t>& target) const {
    sort_images base(p.sorts.size());
    for (const interchangeable& c : classes) {
      auto& b = base[c.sort];
      if (b.empty()) {
        b.resize(p.sorts[c.sort].element.size());
        std::iota(b.begin(), b.end(), 0u);
      }
      for (std::size_t k = 0; k < c.element.size(); ++k) b[c.element[k]] = c.element[target[c.first + k] - c.first];
    }
    return *orbits.induced(base);
  }

  std::vector<std::uint32_t> unrank(std::uint64_t which) const {
    std::vector<std::uint32_t> target(movable);
    for (const interchangeable& c : classes) {
      std::vector<std::uint32_t> left(c.element.size());
      std::iota(left.begin(), left.end(), c.first);
      for (std::size_t k = 0; k < c.element.size(); ++k) {
        std::size_t n = left.size();
        target[c.first + k] = left[which % n];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(which % n));
        which /= n;
      }
    }
    return target;
  }

  const transition_system& system;
  const ir::program& p;
  element_orbits orbits;
  dead_locals locals;
  std::vector<step> initial;               // all initial steps, in their order
  std::vector<word> initial_states;        // and where they lead
  std::vector<place> places;               // by slot
  std::vector<std::uint32_t> may_be_dead;  // locals: it depends on where their process stands
  std::vector<std::uint32_t> never_read;   // used by the initial steps only, and the same behind all of them
  std::vector<interchangeable> classes;
  std::uint32_t movable = 0;
  std::vector<std::vector<std::uint32_t>> number;  // of base elements among the movable ones
  std::vector<std::vector<mention>> mentions;      // by sort and element
  std::string why_;
};

// Takes the representatives from packed fields where few permutations are left to try, and asks `careful` for the others.
std::unique_ptr<symmetry::canonicaliser> make_packed_canonicaliser(const symmetry::plan&,
                                                                   std::unique_ptr<symmetry::canonicaliser> careful);

}  // namespace quiesce
