// SPDX-License-Identifier: MIT
// Representatives from packed fields. The elements of a class ascend by a signature: all that the state says of an element
// without naming another one, taken together at once from the words, and who names it. Mostly that leaves one permutation,
// and often the identity. Elements of equal signature are told apart by the signatures of what they are related to; among
// those that still are equal, and not alike, the least image is taken. Where too many orders are left, the
// careful canonicaliser decides. Which of the two it is depends on the signatures alone, so it is the same for a whole
// orbit.

#include "model/explicit/symmetry_own.hpp"
#include "model/explicit/symmetry_plan.hpp"
#include "model/explicit/symmetry_relations.hpp"

namespace quiesce {

namespace {

using symmetries::mix;
using symmetries::most_movable;
using symmetries::own_fields;
using symmetries::relations;

constexpr std::uint64_t most_orders = 24;  // images of one state

class packed_canonicaliser final : public symmetry::canonicaliser {
 public:
  packed_canonicaliser(const symmetry::plan& p, std::unique_ptr<symmetry::canonicaliser> careful)
      : plan_(p),
        careful_(std::move(careful)),
        words_(p.system.state_layout().words()),
        own_(p),
        relations_(p, own_.relations()),
        sums_(2 * relations_.half()),
        sum_(sums_.data()),
        exact_(sum_ + relations_.half()),
        finer_(p.movable + 1),
        order_(p.movable),
        exchanged_(p.movable),
        image_(words_),
        best_(words_),
        copy_(words_) {}

  void canonical(word* state) override {
    relations_.clear_dead(state);
    sign(state);
    bool identity = arrange();
    drop_alike();
    if (ties_) {
      refine();
      identity = ordered();
    }
    const std::uint64_t orders = ties_ ? find_kinds(state) : 1;
    if (orders == 1 && identity) return;
    if (orders > most_orders) return careful_->canonical(state);
    if (orders == 1) {
      arranged(order_, state, image_.data());
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
  // --- signatures ---

  void sign(const word* state) {
    std::fill(sums_.begin(), sums_.end(), 0);
    own_.take(state, sum_);
    relations_.find(state);
    inexact_ = relations_.sign(sums_.data());
  }

  // --- elements of one signature ---

  // Elements of one signature, first in order_. Exchanging two of one kind changes nothing.
  struct tie {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> members, kinds, labels;
  };

  // Tells them apart by the signatures of what the state relates them to.
  void refine() {
    std::fill(finer_.begin(), finer_.end(), 0);
    relations_.pairs([&](std::uint32_t e, std::uint64_t what, std::uint32_t other) { finer_[e] += mix(what, sum_[other]); });
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
    return std::all_of(x.members.begin() + 1, x.members.end(), [&](std::uint32_t e) { return alike(x.members[0], e); });
  }

  // --- orders ---

  // Sorts each class. Is the order found the identity? By counting, as branches on signatures cannot be foreseen.
  bool arrange() {
    std::uint32_t moved = 0;
    ties_ = 0;
    for (const auto& c : plan_.classes) {
      const auto n = static_cast<std::uint32_t>(c.element.size());
      const std::uint64_t* const sum = sum_ + c.first;
      std::uint32_t before[most_movable] = {}, equal = 0;  // `before`: so many of the class come before it
      for (std::uint32_t k = 1; k < n; ++k)
        for (std::uint32_t j = 0; j < k; ++j) {
          const std::uint32_t exchanged = sum[j] > sum[k];
          before[j] += exchanged;
          before[k] += 1 - exchanged;
          equal |= std::uint32_t{sum[j] == sum[k]};
        }
      for (std::uint32_t k = 0; k < n; ++k) {
        order_[c.first + before[k]] = c.first + k;
        moved |= before[k] ^ k;
      }
      if (equal) find_ties(c.first, n);
    }
    return moved == 0;
  }

  void find_ties(std::uint32_t first, std::uint32_t n) {
    const std::uint32_t* const order = order_.data() + first;
    for (std::uint32_t k = 0, end = 0; k < n; k = end) {
      for (end = k + 1; end < n && sum_[order[end]] == sum_[order[k]];) ++end;
      if (end - k > 1) add_tie(first + k, order + k, order + end);
    }
  }

  // How many orders of the tied elements may give different images. Ties of one kind are dropped.
  std::uint64_t find_kinds(const word* state) {
    if (ties_ == 1 && tie_[0].members.size() == 2) {  // trying both costs no more than a look
      if (alike(tie_[0].members[0], tie_[0].members[1])) return ties_ = 0, 1;
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

  // Of elements with equal signatures: what the state relates each to is the same, so that exchanging them changes nothing.
  bool alike(std::uint32_t a, std::uint32_t b) const {
    return exact_[a] == exact_[b] && !((inexact_ >> a | inexact_ >> b) & 1) && own_.same(a, b);
  }

  bool unchanged(const word* state, std::uint32_t a, std::uint32_t b) {
    if (alike(a, b)) return true;
    std::iota(exchanged_.begin(), exchanged_.end(), 0u);
    std::swap(exchanged_[a], exchanged_[b]);
    arranged(exchanged_, state, image_.data());
    return std::equal(image_.begin(), image_.end(), state);
  }

  void lesser_of_two(word* state) {
    arranged(order_, state, best_.data());
    std::swap(order_[tie_[0].first], order_[tie_[0].first + 1]);
    arranged(order_, state, image_.data());
    const bool second = std::lexicographical_compare(image_.begin(), image_.end(), best_.begin(), best_.end());
    std::copy_n((second ? image_ : best_).begin(), words_, state);
  }

  // The image of the state that was signed last.
  void arranged(const std::vector<std::uint32_t>& order, const word* state, word* into) {
    std::uint8_t rank[most_movable + 1];
    for (std::uint32_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<std::uint8_t>(k);
    rank[relations_.nobody()] = static_cast<std::uint8_t>(relations_.nobody());
    own_.put(order.data(), state, into);
    relations_.put(order.data(), rank, into);
  }

  // The members of each kind in their order, the kinds in all orders.
  void try_orders(std::size_t k) {
    if (k == ties_) {
      arranged(order_, copy_.data(), image_.data());
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
  own_fields own_;
  relations relations_;
  std::vector<std::uint64_t> sums_;
  // By element, and of nobody: its signature; what relates it to others, by name; that by their signatures.
  std::uint64_t *const sum_, *const exact_;
  std::vector<std::uint64_t> finer_;
  std::uint32_t inexact_ = 0;  // elements of which exact_ does not say all, as bits
  std::vector<std::uint32_t> order_, exchanged_;
  std::vector<tie> tie_, coarse_;  // the first `ties_` of them
  std::size_t ties_ = 0;
  std::vector<std::uint32_t> leaders_;
  std::vector<word> image_, best_, copy_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<symmetry::canonicaliser> make_packed_canonicaliser(const symmetry::plan& p,
                                                                   std::unique_ptr<symmetry::canonicaliser> careful) {
  if (p.movable > most_movable) return careful;
  return std::make_unique<packed_canonicaliser>(p, std::move(careful));
}

}  // namespace quiesce
