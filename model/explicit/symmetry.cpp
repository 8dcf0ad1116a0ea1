// SPDX-License-Identifier: MIT
#include "model/explicit/symmetry.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "model/explicit/symmetry_plan.hpp"

namespace quiesce {

using symmetries::mention;
using symmetries::mix;
using symmetries::move;
using symmetries::place;

namespace {

struct vector_hash {
  std::size_t operator()(const std::vector<std::uint32_t>& v) const {
    std::uint64_t h = 1;
    for (std::uint32_t x : v) h = mix(h, x + 1);
    return h;
  }
};

}  // namespace

// Finds the representative of one state after the other, with colours refined as far as they go.
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
    if (moves_.size() * (2 * plan_.places.size() + words_ + 16) > most_cached) moves_.clear();
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

symmetry::symmetry(const transition_system& s, bool with_initial_states)
    : plan_(std::make_unique<plan>(s, with_initial_states)) {}
symmetry::~symmetry() = default;
bool symmetry::trivial() const { return plan_->classes.empty(); }
std::uint64_t symmetry::order() const { return plan_->order(); }
const std::string& symmetry::why() const { return plan_->why_; }

void symmetry::initial(const step_visitor& visit) {
  const std::vector<step> steps = std::move(plan_->initial);
  const std::vector<word> states = std::move(plan_->initial_states);
  const word* at = states.data();
  for (step x : steps) {
    x.state = at;
    at += plan_->system.state_layout().words();
    visit(x);
  }
}

bool symmetry::interchangeable(ir::sort_id s) const {
  for (const auto& c : plan_->classes)
    if (c.sort == s && c.element.size() == plan_->p.sorts[s].element.size()) return true;
  return false;
}

std::unique_ptr<symmetry::canonicaliser> symmetry::make_canonicaliser() const {
  return make_packed_canonicaliser(*plan_, std::make_unique<orbit_canonicaliser>(*plan_));
}

void symmetry::permute(word* state, std::uint64_t which) const {
  std::vector<std::uint8_t> dead(plan_->places.size(), 0);
  plan_->clear_dead(state, dead);
  std::vector<word> image(plan_->system.state_layout().words());
  plan_->apply(plan_->move_of(plan_->images(plan_->unrank(which))), state, dead, image.data());
  std::copy(image.begin(), image.end(), state);
}

std::function<void(word*)> symmetry::permutation(std::uint64_t which) const {
  const std::vector<std::uint8_t> dead(plan_->places.size(), 0);
  return [this, dead, move = plan_->move_of(plan_->images(plan_->unrank(which)))](word* state) {
    std::vector<word> image(plan_->system.state_layout().words());
    plan_->apply(move, state, dead, image.data());
    std::copy(image.begin(), image.end(), state);
  };
}

}  // namespace quiesce
