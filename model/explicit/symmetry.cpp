// SPDX-License-Identifier: MIT
#include "model/explicit/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "model/explicit/dead_locals.hpp"
#include "model/explicit/equivariance.hpp"
#include "model/explicit/permutation.hpp"

namespace quiesce {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
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
};

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::numeric_limits<std::uint64_t>::max() : r;
}

std::uint64_t factorial(std::size_t n) {
  std::uint64_t r = 1;
  for (std::size_t i = 2; i <= n; ++i) r = times(r, i);
  return r;
}

}  // namespace

struct symmetry::plan {
  explicit plan(const transition_system& s) : system(s), p(s.program()), orbits(p), locals(p) {
    collect_places();
    find_classes();
    number_elements();
  }

  // Elements of one base sort that may be exchanged with each other.
  struct interchangeable {
    ir::sort_id sort = 0;
    std::vector<std::uint32_t> element;  // ascending
    std::uint32_t first = 0;             // number of the first among all movable elements
  };

  void collect_places() {
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
        if (resettable) may_be_dead.push_back(static_cast<std::uint32_t>(places.size()));
        places.push_back({system.state_layout().slots()[x.first_slot + i], v, m, std::move(index)});
      }
    }
  }

  std::uint32_t flat(ir::variable_id v, const std::vector<std::uint32_t>& index) const {
    std::uint64_t f = 0;
    for (std::size_t k = 0; k < index.size(); ++k) f = f * p.sorts[p.variables[v].index[k]].element.size() + index[k];
    return p.variables[v].first_slot + static_cast<std::uint32_t>(f);
  }

  move move_of(sort_images to) const {
    move m{std::move(to), std::vector<std::uint32_t>(places.size())};
    std::vector<std::uint32_t> index;
    for (std::size_t s = 0; s < places.size(); ++s) {
      index = places[s].index;
      for (std::size_t k = 0; k < index.size(); ++k) index[k] = m.to[p.variables[places[s].variable].index[k]][index[k]];
      m.slot_to[s] = flat(places[s].variable, index);
    }
    return m;
  }

  // Values that nobody reads any more are 0, so that they do not tell states apart.
  void clear_dead(word* state, std::vector<std::uint8_t>& dead) const {
    for (std::uint32_t s : may_be_dead) {
      const place& x = places[s];
      const ir::process& q = p.processes[p.variables[x.variable].owner];
      std::uint32_t instance = q.over == ir::nothing ? 0 : x.index[0];
      std::uint64_t at = q.pc == ir::nothing ? 0 : get(state, places[p.variables[q.pc].first_slot + instance].at);
      dead[s] = locals.dead(x.variable, static_cast<std::uint32_t>(at));
      if (dead[s]) put(state, x.at, 0);
    }
  }

  // `dead` is of `from`.
  void apply(const move& m, const word* from, const std::vector<std::uint8_t>& dead, word* into) const {
    std::fill_n(into, system.state_layout().words(), 0);
    for (std::size_t s = 0; s < places.size(); ++s) {
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

  using outcome_set = std::set<std::vector<std::uint64_t>>;

  // The initial steps, normal form, with their outcome.
  std::vector<std::vector<std::uint64_t>> initial_steps() const {
    std::vector<std::vector<std::uint64_t>> out;
    system.make_stepper()->initial([&](const step& x) {
      std::vector<std::uint64_t> one(x.state, x.state + system.state_layout().words());
      std::vector<std::uint8_t> dead(places.size(), 0);
      clear_dead(one.data(), dead);
      one.insert(one.end(), {static_cast<std::uint64_t>(x.outcome), x.kind, x.violated, x.marked});
      out.push_back(std::move(one));
    });
    return out;
  }

  std::optional<std::string> breaks(const std::vector<std::vector<std::uint64_t>>& initial, const outcome_set& known,
                                    const sort_images& base) const {
    auto to = orbits.induced(base);
    if (!to) return "an element made of one has no counterpart made of the other";
    if (auto why = breaks_symmetry(p, locals, *to)) return why;
    move m = move_of(*to);
    std::vector<std::uint64_t> image(initial.empty() ? 0 : initial[0].size());
    std::vector<std::uint8_t> dead(places.size(), 0);
    for (const auto& one : initial) {
      image = one;
      std::vector<word> state(one.begin(), one.begin() + system.state_layout().words());
      clear_dead(state.data(), dead);
      apply(m, state.data(), dead, image.data());
      if (!known.count(image)) return "initial states tell them apart";
    }
    return std::nullopt;
  }

  // Classes are the components of "may be exchanged": the exchanges that a program allows generate a group.
  void find_classes() {
    auto initial = initial_steps();
    outcome_set known(initial.begin(), initial.end());
    for (ir::sort_id s = 0; s < p.sorts.size(); ++s) {
      std::vector<std::uint32_t> base;
      for (std::uint32_t i = 0; i < p.sorts[s].element.size(); ++i)
        if (orbits.root_of(s, i).sort == s && orbits.root_of(s, i).element == i) base.push_back(i);
      std::vector<std::vector<std::uint32_t>> found;
      for (std::uint32_t e : base) {
        bool placed = false;
        std::string reason;
        for (auto& c : found) {
          auto why = breaks(initial, known, exchange(s, c[0], e));
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
        std::uint64_t role = n == ~0u ? mix(s + 1, i + 1) | 1 : mix(orbits.role_of(s, i), 77);
        mentions[s].push_back({n, role});
      }
  }

  std::uint64_t order() const {
    std::uint64_t r = 1;
    for (const interchangeable& c : classes) r = times(r, factorial(c.element.size()));
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
  std::vector<place> places;  // by slot
  std::vector<std::uint32_t> may_be_dead;
  std::vector<interchangeable> classes;
  std::uint32_t movable = 0;
  std::vector<std::vector<std::uint32_t>> number;  // of base elements among the movable ones
  std::vector<std::vector<mention>> mentions;      // by sort and element
  std::string why_;
};

namespace {

struct vector_hash {
  std::size_t operator()(const std::vector<std::uint32_t>& v) const {
    std::uint64_t h = 1;
    for (std::uint32_t x : v) h = mix(h, x + 1);
    return h;
  }
};

}  // namespace

// Finds the representative of one state after the other.
class orbit_canonicaliser final : public symmetry::canonicaliser {
 public:
  explicit orbit_canonicaliser(const symmetry::plan& p)
      : plan_(p),
        dead_(p.places.size(), 0),
        sum_(p.movable),
        colour_(p.movable),
        order_(p.movable),
        words_(p.system.state_layout().words()),
        image_(words_),
        best_(words_) {}

  void canonical(word* state) override {
    plan_.clear_dead(state, dead_);
    collect_facts(state);
    refine();
    arrange(state);
    std::copy(best_.begin(), best_.end(), state);
  }

 private:
  // A non-zero field, or a member of a set in one: what it says, and of which elements.
  struct fact {
    std::uint64_t says = 0;
    std::uint32_t count = 0;
    mention about[4];
  };

  void collect_facts(const word* state) {
    facts_.clear();
    for (std::size_t s = 0; s < plan_.places.size(); ++s) {
      const place& x = plan_.places[s];
      word code = get(state, x.at);
      bool element = x.moves.sort != ir::nothing && !dead_[s] && code >= x.moves.options;
      if (!element) {
        if (code != 0) add(x, code, ~0u);
      } else if (!x.moves.set) {
        add(x, x.moves.options, static_cast<std::uint32_t>(code - x.moves.options));
      } else {
        for (word rest = code - x.moves.options; rest; rest &= rest - 1)
          add(x, x.moves.options, static_cast<std::uint32_t>(__builtin_ctzll(rest)));
      }
    }
  }

  void add(const place& x, word scalar, std::uint32_t member) {
    fact f;
    f.says = mix(x.variable + 1, scalar + 1);
    bool any = false;
    auto mention_of = [&](ir::sort_id s, std::uint32_t i) {
      f.about[f.count] = plan_.mentions[s][i];
      any = any || f.about[f.count].element != ~0u;
      ++f.count;
    };
    const auto& index = plan_.p.variables[x.variable].index;
    for (std::size_t k = 0; k < index.size(); ++k) mention_of(index[k], x.index[k]);
    if (member != ~0u) mention_of(x.moves.sort, member);
    if (any) facts_.push_back(f);
  }

  // Colours: elements of one colour could not be told apart. Refined until no colour splits.
  void refine() {
    for (const auto& c : plan_.classes)
      for (std::size_t k = 0; k < c.element.size(); ++k) colour_[c.first + k] = c.first + 1;
    std::size_t colours = plan_.classes.size();
    for (;;) {
      for (std::uint32_t e = 0; e < plan_.movable; ++e) sum_[e] = 0;
      for (const fact& f : facts_) contribute(f);
      std::size_t now = recolour();
      if (now == colours || now == plan_.movable) return;
      colours = now;
    }
  }

  void contribute(const fact& f) {
    for (std::uint32_t k = 0; k < f.count; ++k) {
      std::uint32_t e = f.about[k].element;
      if (e == ~0u) continue;
      bool again = false;
      for (std::uint32_t j = 0; j < k; ++j) again = again || f.about[j].element == e;
      if (again) continue;
      std::uint64_t h = f.says;
      for (std::uint32_t j = 0; j < f.count; ++j) {
        const mention& m = f.about[j];
        std::uint64_t who = m.element == ~0u ? 1 : m.element == e ? 2 : 2 + colour_[m.element];
        h = mix(h, m.role + who);
      }
      sum_[e] += h;
    }
  }

  // Sorts each class by (colour, sum) and numbers the colours by place. Returns how many there are.
  std::size_t recolour() {
    std::size_t n = 0;
    for (const auto& c : plan_.classes) {
      auto from = order_.begin() + c.first, to = from + static_cast<std::ptrdiff_t>(c.element.size());
      std::iota(from, to, c.first);
      std::sort(from, to, [&](std::uint32_t a, std::uint32_t b) {
        return colour_[a] != colour_[b] ? colour_[a] < colour_[b] : sum_[a] != sum_[b] ? sum_[a] < sum_[b] : a < b;
      });
      std::vector<std::uint32_t>& fresh = fresh_;
      fresh.resize(c.element.size());
      for (std::size_t k = 0; k < c.element.size(); ++k) {
        bool same = k > 0 &&
                    colour_[from[static_cast<std::ptrdiff_t>(k)]] == colour_[from[static_cast<std::ptrdiff_t>(k) - 1]] &&
                    sum_[from[static_cast<std::ptrdiff_t>(k)]] == sum_[from[static_cast<std::ptrdiff_t>(k) - 1]];
        fresh[k] = same ? fresh[k - 1] : c.first + static_cast<std::uint32_t>(k) + 1;
        n += !same;
      }
      for (std::size_t k = 0; k < c.element.size(); ++k) colour_[from[static_cast<std::ptrdiff_t>(k)]] = fresh[k];
    }
    return n;
  }

  // A run of elements of one colour in order_, and for each its kind: elements of a kind may be exchanged without any
  // change.
  struct tie {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> kinds;
  };

  void arrange(const word* state) {
    ties_.clear();
    for (std::uint32_t k = 0; k < plan_.movable;) {
      std::uint32_t end = k + 1;
      while (end < plan_.movable && colour_[order_[end]] == colour_[order_[k]]) ++end;
      if (end - k > 1) add_tie(state, k, end);
      k = end;
    }
    first_ = true;
    enumerate(state, 0);
  }

  void add_tie(const word* state, std::uint32_t from, std::uint32_t to) {
    tie t;
    t.first = from;
    t.members.assign(order_.begin() + from, order_.begin() + to);
    t.kinds.assign(t.members.size(), 0);
    std::vector<std::uint32_t> leader;
    for (std::size_t k = 0; k < t.members.size(); ++k) {
      std::uint32_t kind = 0;
      while (kind < leader.size() && !unchanged(state, leader[kind], t.members[k])) ++kind;
      if (kind == leader.size()) leader.push_back(t.members[k]);
      t.kinds[k] = kind;
    }
    if (leader.size() == 1) return;  // any order will do
    std::vector<std::pair<std::uint32_t, std::uint32_t>> both;
    for (std::size_t k = 0; k < t.members.size(); ++k) both.emplace_back(t.kinds[k], t.members[k]);
    std::sort(both.begin(), both.end());
    for (std::size_t k = 0; k < both.size(); ++k) std::tie(t.kinds[k], t.members[k]) = both[k];
    ties_.push_back(std::move(t));
  }

  bool unchanged(const word* state, std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> target(plan_.movable);
    std::iota(target.begin(), target.end(), 0u);
    std::swap(target[a], target[b]);
    plan_.apply(move_to(target), state, dead_, image_.data());
    return std::equal(image_.begin(), image_.end(), state);
  }

  // All arrangements of the ties from number k on; the least image is kept in best_.
  void enumerate(const word* state, std::size_t k) {
    if (k == ties_.size()) return try_order(state);
    tie& t = ties_[k];
    std::vector<std::uint32_t> labels = t.kinds;  // sorted: the first arrangement
    do {
      std::vector<std::size_t> next_of(t.members.size() + 1, 0);
      for (std::size_t j = 0, start = 0; j < t.kinds.size(); ++j) {
        if (j > 0 && t.kinds[j] != t.kinds[j - 1]) start = j;
        next_of[t.kinds[j]] = start;
      }
      for (std::size_t j = 0; j < labels.size(); ++j) order_[t.first + j] = t.members[next_of[labels[j]]++];
      enumerate(state, k + 1);
    } while (std::next_permutation(labels.begin(), labels.end()));
  }

  void try_order(const word* state) {
    target_.resize(plan_.movable);
    bool identity = true;
    for (std::uint32_t k = 0; k < plan_.movable; ++k) {
      target_[order_[k]] = k;
      identity = identity && order_[k] == k;
    }
    if (identity)
      std::copy_n(state, words_, image_.begin());
    else
      plan_.apply(move_to(target_), state, dead_, image_.data());
    if (first_ || std::lexicographical_compare(image_.begin(), image_.end(), best_.begin(), best_.end())) best_ = image_;
    first_ = false;
  }

  const move& move_to(const std::vector<std::uint32_t>& target) {
    auto it = moves_.find(target);
    if (it != moves_.end()) return it->second;
    if (moves_.size() * (plan_.places.size() + 16) > most_cached) moves_.clear();
    return moves_.emplace(target, plan_.move_of(plan_.images(target))).first->second;
  }

  static constexpr std::size_t most_cached = std::size_t{1} << 23;  // fields of all moves kept

  const symmetry::plan& plan_;
  std::vector<std::uint8_t> dead_;
  std::vector<fact> facts_;
  std::vector<std::uint64_t> sum_;
  std::vector<std::uint32_t> colour_, order_, fresh_, target_;
  std::size_t words_;
  std::vector<word> image_, best_;
  std::vector<tie> ties_;
  bool first_ = true;
  std::unordered_map<std::vector<std::uint32_t>, move, vector_hash> moves_;
};

symmetry::symmetry(const transition_system& s) : plan_(std::make_unique<plan>(s)) {}
symmetry::~symmetry() = default;
bool symmetry::trivial() const { return plan_->classes.empty(); }
std::uint64_t symmetry::order() const { return plan_->order(); }
const std::string& symmetry::why() const { return plan_->why_; }

std::unique_ptr<symmetry::canonicaliser> symmetry::make_canonicaliser() const {
  return std::make_unique<orbit_canonicaliser>(*plan_);
}

void symmetry::permute(word* state, std::uint64_t which) const {
  std::vector<std::uint8_t> dead(plan_->places.size(), 0);
  plan_->clear_dead(state, dead);
  std::vector<word> image(plan_->system.state_layout().words());
  plan_->apply(plan_->move_of(plan_->images(plan_->unrank(which))), state, dead, image.data());
  std::copy(image.begin(), image.end(), state);
}

}  // namespace quiesce
